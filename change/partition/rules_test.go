package partition

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// describe shows rules as one line.
func describe(rules Rules) string {
	var all []string
	for _, r := range rules {
		kind := "name"
		if r.pattern != nil {
			kind = "pattern"
		}
		by := map[By]string{ByTable: "table", ByKey: "key", ByRules: fmt.Sprintf("%q", r.Columns)}[r.By]
		all = append(all, fmt.Sprintf("%s %s by %s", kind, r.Table, by))
	}
	return strings.Join(all, "; ")
}

func TestParseRules(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"", ""},
		{";,;", ""},
		{"shop.orders", "name shop.orders by table"},
		{"shop.orders:id", `name shop.orders by ["id"]`},
		{"shop.orders:id^name^id", `name shop.orders by ["id" "name" "id"]`},
		{"shop.orders:^id^^", `name shop.orders by ["id"]`},
		{"shop.orders:", "name shop.orders by []"},
		{"a.b:$pk$,c.d:$PK$;e.f:$Pk$", "name a.b by key; name c.d by key; name e.f by key"},
		{"a.b:$pk$^c", `name a.b by ["$pk$" "c"]`},
		{" a.b : id", `name  a.b  by [" id"]`},
		{":id", "name :id by table"}, // Canal looks for a colon behind the first character
		{"a:b:c", `name a:b by ["c"]`},
		{`.*\..*:id`, `pattern .*\..* by ["id"]`},
		{`$pk$`, "pattern $pk$ by table"},
		// It is split at commas first, and an open brace alone is a brace.
		{`a{1,2}.b`, "pattern a{1 by table; pattern 2}.b by table"},
		{"a.b:x,y", `name a.b by ["x"]; name y by table`},
	} {
		rules, err := ParseRules(c.rules)
		if got := describe(rules); err != nil || got != c.want {
			t.Errorf("%q is %s, %v; want %s", c.rules, got, err, c.want)
		}
	}
}

func TestParseRulesErrors(t *testing.T) {
	for _, c := range []struct{ rules, rule, has string }{
		{"a.b:id;shop.(x:id", "shop.(x:id", "missing closing )"},
		{"a)(b:id", "a)(b:id", "unexpected )"},
		{"(?:a|b).c", "(?:a|b).c", "invalid or unsupported Perl syntax"}, // what is behind the colon is columns
		{`a.b,(a)\1`, `(a)\1`, "invalid escape"},
		{"(?=x)y:id", "(?=x)y:id", "invalid or unsupported Perl syntax"},
		{"a.b;\xff.c", "a.b;\xff.c", "not UTF-8"},
	} {
		_, err := ParseRules(c.rules)
		var e *RuleError
		if !errors.As(err, &e) || e.Rule != c.rule || !strings.Contains(err.Error(), c.has) || errors.Unwrap(e) == nil {
			t.Errorf("%q: %v, want one of rule %q with %q", c.rules, err, c.rule, c.has)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		rules, name string
		want        int
	}{
		{"shop.orders", "SHOP.Orders", 0},
		{"shop.orders", "shop.orders2", -1},
		{"shop.orders", "shop.order", -1},
		{"É.ß;é.é", "é.É", 1},
		{"ıI.t", "iı.t", 0},    // Java: both are I in upper case
		{"\u212a.t", "k.t", 0}, // the Kelvin sign is k in lower case
		{`shop\..*`, "Shop.Orders", 0},
		{`shop\..*`, "myshop.orders", -1}, // all of the name
		{`(a|b).c`, "x.c", -1},
		{`a|b.c`, "b.c", 0},
		{`a|b.c`, "a.c", -1},
		{`a.b.c`, "a\nb.c", -1}, // a name has no expression in it: no dot is any character
		{`.*\.t`, "a\nb.t", 0},  // in an expression it is, a line end too
		{`x.*;.*\.t:id;.*`, "a.t", 1},
		{`(a.*)+x:id`, strings.Repeat("a", 5000), -1},
	} {
		rules, err := ParseRules(c.rules)
		if err != nil {
			t.Fatal(err)
		}
		if got := rules.find([]byte(c.name)); got != c.want {
			t.Errorf("%q of %q: rule %d, want %d", c.name, c.rules, got, c.want)
		}
	}
}

// TestTables asks for more tables than are remembered, again and again, and with names
// that could be taken for each other.
func TestTables(t *testing.T) {
	rules, err := ParseRules(`.*\..*7:id;a.bc;ab.c;.*0`)
	if err != nil {
		t.Fatal(err)
	}
	var tables tables
	ask := func(database, table string) {
		t.Helper()
		want := rules.find([]byte(database + "." + table))
		for range 2 {
			if got := tables.rule(rules, []byte(database), []byte(table)); got != want {
				t.Fatalf("%s.%s: rule %d, want %d", database, table, got, want)
			}
		}
	}
	for round := range 2 {
		ask("a", "bc")
		ask("ab", "c")
		ask("abc", "")
		ask("", "abc")
		ask("", "")
		name := []byte("table_00000")
		for i := range (maxTables + 1000) / (1 + 7*round) {
			for j, rest := len(name)-1, i; name[j] != '_'; j, rest = j-1, rest/10 {
				name[j] = '0' + byte(rest%10)
			}
			want := -1
			switch i % 10 {
			case 7:
				want = 0
			case 0:
				want = 3
			}
			if got := tables.rule(rules, []byte("shop"), name); got != want {
				t.Fatalf("shop.%s: rule %d, want %d", name, got, want)
			}
		}
		ask(strings.Repeat("x", maxName+1), "7")
		ask(strings.Repeat("x", maxName), "7")
		long := bytes.Repeat([]byte("y"), maxName)
		for i := range 600 { // more bytes than are kept
			tables.rule(nil, long, name[:i%len(name)])
			long[i]++
		}
	}
	if cap(tables.slots) > 2*maxTables || cap(tables.names) > 2*maxNames || cap(tables.text) > 4*maxName {
		t.Errorf("%d slots, %d bytes of names, %d of text", cap(tables.slots), cap(tables.names), cap(tables.text))
	}
	// Not UTF-8: what it is repaired to is what matches.
	if got := tables.rule(Rules{{Table: "\ufffd.t", By: ByTable}}, []byte("\xff"), []byte("t")); got != 0 {
		t.Errorf("a repaired name matches rule %d", got)
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		o   Options
		has string
	}{
		{Options{Partitions: -1}, "negative"},
		{Options{By: RoundRobin + 1}, "unknown By 5"},
		{Options{By: ByKey, Rules: "a.b"}, "Rules are for ByRules"},
		{Options{Rules: "("}, `rule "("`},
	} {
		if p, err := New(c.o); p != nil || err == nil || !strings.Contains(err.Error(), c.has) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.has)
		}
	}
}
