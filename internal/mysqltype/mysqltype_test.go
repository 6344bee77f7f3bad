package mysqltype_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/internal/mysqltype"
)

// TestParse is ticdc.md 5: the name that TiCDC has for what Canal says.
func TestParse(t *testing.T) {
	for _, c := range []struct{ in, name string }{
		{"int", "int"}, {"INT(11)", "int"}, {"int(10) unsigned", "int unsigned"}, {"int(5) zerofill", "int unsigned zerofill"},
		{"int(5) unsigned zerofill", "int unsigned zerofill"}, {"INTEGER", "int"}, {"Bool", "tinyint"}, {"boolean", "tinyint"},
		{"numeric(10, 4) UNSIGNED", "decimal unsigned"}, {"dec", "decimal"}, {"real", "double"}, {"double precision unsigned", "double unsigned"},
		{"decimal(10,2)", "decimal"}, {"bit(8) unsigned", "bit"}, {"year(4) zerofill", "year"}, {"enum('a)unsigned','it''s')", "enum"},
		{"set('x','y')", "set"}, {"varchar(20)", "varchar"}, {"varbinary(16)", "varbinary"}, {"mediumblob", "mediumblob"},
		{"", ""}, {"geometry", ""}, {"(int)", ""}, {"int4", ""}, {"mediumblobb", ""}, {"  float  unsigned ", "float unsigned"},
		{"int(", "int"}, {"int('", "int"}, {"int -- unsigned", "int unsigned"}, {"intunsigned", ""}, {"vector(3)", "vector"},
	} {
		if got := mysqltype.Parse([]byte(c.in)).Name(); got != c.name {
			t.Errorf("%q is %q, want %q", c.in, got, c.name)
		}
	}
}

// TestSQLType is ticdc.md 6, at the boundaries.
func TestSQLType(t *testing.T) {
	for _, c := range []struct {
		typ, value string
		want       int32
	}{
		{"tinyint", "", -6}, {"tinyint", "200", -6}, {"tinyint unsigned", "127", -6}, {"tinyint unsigned", "128", 5},
		{"smallint", "1", 5}, {"smallint unsigned", "32767", 5}, {"smallint unsigned", "32768", 4},
		{"mediumint unsigned", "16777215", 4}, {"int unsigned", "2147483647", 4}, {"int unsigned", "2147483648", -5},
		{"bigint", "9223372036854775808", -5}, {"bigint unsigned", "9223372036854775807", -5}, {"bigint unsigned", "9223372036854775808", 3},
		{"bigint unsigned", "18446744073709551615", 3}, {"bigint unsigned", "18446744073709551616", -5}, {"bigint unsigned", "99999999999999999999", -5},
		{"tinyint unsigned", "0000000000000000000000200", 5}, {"tinyint unsigned", "-200", -6}, {"tinyint unsigned", "200.0", -6}, {"tinyint unsigned", "+200", -6},
		{"float", "", 7}, {"double", "", 8}, {"decimal(10,2) unsigned", "99999", 3}, {"char", "", 1}, {"varchar(20)", "", 12}, {"json", "", 12},
		{"year", "", 12}, {"vector", "", 12}, {"binary", "", 2004}, {"varbinary", "", 2004}, {"tinyblob", "", 2004}, {"longblob", "", 2004},
		{"tinytext", "", 2005}, {"longtext", "", 2005}, {"date", "", 91}, {"time", "", 92}, {"datetime", "", 93}, {"timestamp", "", 93},
		{"enum('a')", "1", 4}, {"set('a')", "1", -7}, {"bit(64)", "1", -7}, {"geometry", "", 12},
	} {
		if got := mysqltype.Parse([]byte(c.typ)).SQLType([]byte(c.value)); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.typ, c.value, got, c.want)
		}
	}
}

// TestBases holds the groups to the names they are made of.
func TestBases(t *testing.T) {
	for _, c := range []struct {
		name                  string
		integer, text, binary bool
		bits                  int
	}{
		{"tinyint", true, false, false, 8}, {"mediumint", true, false, false, 24}, {"bigint", true, false, false, 64},
		{"float", false, false, false, 0}, {"char", false, true, false, 0}, {"var_string", false, true, false, 0}, {"json", false, false, false, 0},
		{"binary", false, false, true, 0}, {"longblob", false, false, true, 0}, {"tinytext", false, true, false, 0}, {"longtext", false, true, false, 0},
		{"date", false, false, false, 0}, {"bit", false, false, false, 0}, {"?", false, false, false, 0},
	} {
		b := mysqltype.Parse([]byte(c.name)).Base
		if b.IsInteger() != c.integer || b.IsText() != c.text || b.IsBinary() != c.binary || b.Bits() != c.bits {
			t.Errorf("%s: integer %v, text %v, binary %v, %d bits", c.name, b.IsInteger(), b.IsText(), b.IsBinary(), b.Bits())
		}
	}
}

func TestNoAllocation(t *testing.T) {
	in, value := []byte("BIGINT(20) unsigned"), []byte("9223372036854775808")
	if n := testing.AllocsPerRun(100, func() {
		if typ := mysqltype.Parse(in); typ.SQLType(value) != 3 || typ.Name() != "bigint unsigned" {
			t.Error(typ)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
