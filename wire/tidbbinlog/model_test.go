package tidbbinlog_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// The model is spec/tidb-binlog.md said again, of generated messages and in the
// plainest way. It shares nothing with the package.

// model is what events shows of a Binlog; ok is false where it is an error.
func model(b *tidbbinlogpb.Binlog) (out []string, ok bool) {
	if b.GetType() == tidbbinlogpb.BinlogType_DDL {
		d := b.DdlData
		return []string{fmt.Sprintf("%v %s.%s ddl %s", tidbbinlog.StatementType(d.GetDdlQuery()), d.GetSchemaName(), d.GetTableName(), d.GetDdlQuery())}, d != nil
	}
	if b.DmlData == nil {
		return nil, false
	}
	for _, t := range b.DmlData.Tables {
		for _, m := range t.Mutations {
			images, good := modelImages(t, m)
			if !good {
				return nil, false
			}
			if len(t.ColumnInfo) > 0 {
				out = append(out, fmt.Sprintf("%s %s.%s%s", strings.ToUpper(m.Type.String()), t.GetSchemaName(), t.GetTableName(), images))
			}
		}
	}
	return out, true
}

func modelImages(t *tidbbinlogpb.Table, m *tidbbinlogpb.TableMutation) (s string, ok bool) {
	infos := t.ColumnInfo
	if m.Type == nil || *m.Type < 0 || *m.Type > tidbbinlogpb.MutationType_Delete || m.Row == nil || len(m.Row.Columns) != len(infos) {
		return "", false
	}
	isUpdate := m.GetType() == tidbbinlogpb.MutationType_Update
	if isUpdate && (m.ChangeRow == nil || len(m.ChangeRow.Columns) != len(infos)) {
		return "", false
	}
	image := func(sign string, row, other *tidbbinlogpb.Row) {
		for i := range infos {
			var o *tidbbinlogpb.Column
			if isUpdate {
				o = other.Columns[i]
			}
			text, good := modelColumn(t, i, row.Columns[i], o)
			s += " " + sign + "(" + text + ")"
			ok = ok && good
		}
	}
	ok = true
	switch m.GetType() {
	case tidbbinlogpb.MutationType_Insert:
		image("+", m.Row, nil)
	case tidbbinlogpb.MutationType_Delete:
		image("-", m.Row, nil)
	default:
		image("-", m.ChangeRow, m.Row)
		image("+", m.Row, m.ChangeRow)
	}
	return s, ok
}

// modelTypes has the sqlType of each type, and that of a larger unsigned value, with
// the first such value.
var modelTypes = map[string]struct {
	sqlType int32
	above   uint64
	larger  int32
}{
	"tinyint": {-6, 127, 5}, "smallint": {5, 32767, 4}, "mediumint": {4, math.MaxUint64, 4}, "int": {4, 2147483647, -5}, "bigint": {-5, 9223372036854775807, 3},
	"float": {7, 0, 0}, "double": {8, 0, 0}, "decimal": {3, 0, 0}, "char": {1, 0, 0}, "varchar": {12, 0, 0}, "json": {12, 0, 0}, "binary": {2004, 0, 0}, "blob": {2004, 0, 0},
	"text": {2005, 0, 0}, "date": {91, 0, 0}, "time": {92, 0, 0}, "datetime": {93, 0, 0}, "timestamp": {93, 0, 0}, "enum": {4, 0, 0}, "set": {-7, 0, 0}, "bit": {-7, 0, 0},
}

func modelColumn(t *tidbbinlogpb.Table, i int, c, o *tidbbinlogpb.Column) (s string, ok bool) {
	in := t.ColumnInfo[i]
	typ, _, _ := strings.Cut(strings.ToLower(in.GetMysqlType()), "(")
	facts, known := modelTypes[typ]
	if !known {
		facts.sqlType = 12
	}
	value, null, from, ok := modelValue(typ, c)
	unsigned := from == "uint64"
	updated := false
	if o != nil {
		before, wasNull, wasFrom, _ := modelValue(typ, o)
		unsigned = unsigned || wasFrom == "uint64"
		updated = null != wasNull || value != before
		for _, later := range t.ColumnInfo[i+1:] {
			updated = updated && later.GetName() != in.GetName()
		}
	}
	sqlType := facts.sqlType
	if facts.above > 0 && unsigned {
		typ += " unsigned"
		if n, err := strconv.ParseUint(value, 10, 64); err == nil && !null && n > facts.above {
			sqlType = facts.larger
		}
	}
	s = fmt.Sprintf("%s=%q %s %d", in.GetName(), value, typ, sqlType)
	if null {
		s = fmt.Sprintf("%s=NULL %s %d", in.GetName(), typ, sqlType)
	}
	isKey, isHandle := modelKey(t, i)
	for _, f := range []struct {
		is   bool
		name string
	}{{isKey, " key"}, {isHandle, " hdl"}, {updated, " upd"}} {
		if f.is {
			s += f.name
		}
	}
	return s, ok
}

// modelValue is a value as text, whether it is null, and from which field it is.
func modelValue(typ string, c *tidbbinlogpb.Column) (text string, null bool, from string, ok bool) {
	if c.GetIsNull() {
		return "", true, "", true
	}
	there := map[string]bool{
		"int64": c.Int64Value != nil, "uint64": c.Uint64Value != nil, "double": c.DoubleValue != nil, "bytes": c.BytesValue != nil, "string": c.StringValue != nil,
	}
	wanted := "string"
	switch typ {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		wanted = "int64"
	case "float", "double":
		wanted = "double"
	case "bit", "blob", "binary", "json":
		wanted = "bytes"
	case "enum", "set":
		wanted = "uint64"
	}
	for _, from := range []string{wanted, "int64", "uint64", "double", "bytes", "string"} {
		if !there[from] {
			continue
		}
		switch from {
		case "int64":
			return fmt.Sprint(*c.Int64Value), false, from, true
		case "uint64":
			return fmt.Sprint(*c.Uint64Value), false, from, true
		case "double":
			if typ == "float" {
				return strconv.FormatFloat(*c.DoubleValue, 'f', -1, 32), false, from, true
			}
			return strconv.FormatFloat(*c.DoubleValue, 'f', -1, 64), false, from, true
		case "string":
			return *c.StringValue, false, from, true
		}
		switch typ {
		case "bit":
			n := new(big.Int).SetBytes(c.BytesValue)
			return n.String(), false, from, n.BitLen() <= 64 || len(bytes.TrimLeft(c.BytesValue, "\x00")) <= 8
		case "json", "char", "varchar", "text":
			return string(c.BytesValue), false, from, true
		}
		var wide []rune
		for _, b := range c.BytesValue {
			wide = append(wide, rune(b))
		}
		return string(wide), false, from, true
	}
	return "", false, "", true
}

func modelKey(t *tidbbinlogpb.Table, i int) (isKey, isHandle bool) {
	name := t.ColumnInfo[i].GetName()
	var said, named []string
	for _, c := range t.ColumnInfo {
		if c.GetIsPrimaryKey() {
			said = append(said, c.GetName())
		}
	}
	for _, k := range t.UniqueKeys {
		if k.GetName() == "PRIMARY" {
			named = append(named, k.ColumnNames...)
		}
	}
	before := t.ColumnInfo[:i]
	if len(said) > 0 {
		return t.ColumnInfo[i].GetIsPrimaryKey() && !slices.ContainsFunc(before, func(c *tidbbinlogpb.ColumnInfo) bool { return c.GetName() == name && c.GetIsPrimaryKey() }), false
	}
	if slices.ContainsFunc(t.ColumnInfo, func(c *tidbbinlogpb.ColumnInfo) bool { return slices.Contains(named, c.GetName()) }) {
		return slices.Contains(named, name) && !slices.ContainsFunc(before, func(c *tidbbinlogpb.ColumnInfo) bool { return c.GetName() == name }), false
	}
	for _, k := range t.UniqueKeys {
		if k.GetName() != "PRIMARY" {
			return false, slices.Contains(k.ColumnNames, name)
		}
	}
	return false, false
}

// TestAgainstModel has one Decoder read random records in a row: whatever the last
// one left must not show.
func TestAgainstModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 7))
	var d tidbbinlog.Decoder
	good, bad, records := 0, 0, 20_000
	if !giant() {
		records /= 10
	}
	for range records {
		record := scramble(rnd, bytesOf(randomBinlog(rnd)), (&tidbbinlogpb.Binlog{}).ProtoReflect().Descriptor())
		var pb tidbbinlogpb.Binlog
		fatal(t, proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(record, &pb))
		wanted, ok := model(&pb)
		if !ok {
			bad++
			if err := d.Open(record); err == nil {
				t.Fatalf("%x: no error\n%v", record, &pb)
			}
			continue
		}
		good++
		want(t, strings.Join(events(t, &d, record), "\n"), strings.Join(wanted, "\n"))
		if t.Failed() {
			t.Fatalf("%x\n%v", record, &pb)
		}
	}
	if good < records/4 || bad < records/20 {
		t.Errorf("%d good records and %d bad ones", good, bad)
	}
}

func randomBinlog(rnd *rand.Rand) *tidbbinlogpb.Binlog {
	b := &tidbbinlogpb.Binlog{}
	if rnd.IntN(3) > 0 {
		b.CommitTs = proto.Int64(int64(rnd.Uint64()))
	}
	if rnd.IntN(10) == 0 {
		b.Type = tidbbinlogpb.BinlogType_DDL.Enum()
	}
	if rnd.IntN(8) == 0 {
		b.DdlData = &tidbbinlogpb.DDLData{SchemaName: proto.String("s"), DdlQuery: []byte("DROP TABLE t")}
	}
	if rnd.IntN(20) == 0 {
		return b
	}
	b.DmlData = &tidbbinlogpb.DMLData{}
	for range rnd.IntN(4) {
		b.DmlData.Tables = append(b.DmlData.Tables, randomTable(rnd))
	}
	return b
}

func randomTable(rnd *rand.Rand) *tidbbinlogpb.Table {
	t := &tidbbinlogpb.Table{SchemaName: proto.String("s"), TableName: proto.String("t")}
	types := []string{"geometry", "tinyint", "smallint", "mediumint", "int", "bigint", "bigint", "float", "double", "decimal", "char", "varchar", "json", "binary", "blob", "text", "date", "time", "datetime", "timestamp", "enum", "set", "bit", "Int(11)", "GEO"}
	name := func() string { return string(rune('a' + rnd.IntN(6))) }
	n := rnd.IntN(8)
	if rnd.IntN(40) == 0 {
		n = 120 + rnd.IntN(60) // columns that are not in memory
	}
	for i := range n {
		in := &tidbbinlogpb.ColumnInfo{Name: proto.String(name()), MysqlType: proto.String(types[rnd.IntN(len(types))])}
		if rnd.IntN(2) == 0 {
			in.Name = proto.String("c" + strconv.Itoa(i))
		}
		if rnd.IntN(12) == 0 {
			in.IsPrimaryKey = proto.Bool(rnd.IntN(3) > 0)
		}
		t.ColumnInfo = append(t.ColumnInfo, in)
	}
	for range max(0, rnd.IntN(5)-2) {
		k := &tidbbinlogpb.Key{Name: proto.String([]string{"PRIMARY", "u"}[rnd.IntN(2)])}
		for range rnd.IntN(3) {
			k.ColumnNames = append(k.ColumnNames, name())
		}
		t.UniqueKeys = append(t.UniqueKeys, k)
	}
	for range rnd.IntN(4) {
		m := &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType(rnd.IntN(3)).Enum(), Row: randomRow(rnd, n)}
		if m.GetType() == tidbbinlogpb.MutationType_Update || rnd.IntN(10) == 0 {
			m.ChangeRow = randomRow(rnd, n)
			for i := range m.ChangeRow.Columns {
				if i < len(m.Row.Columns) && rnd.IntN(2) == 0 {
					m.ChangeRow.Columns[i] = m.Row.Columns[i]
				}
			}
		}
		switch rnd.IntN(60) {
		case 0:
			m.Type = nil
		case 1:
			m.Row = nil
		case 2:
			m.ChangeRow = nil
		}
		t.Mutations = append(t.Mutations, m)
	}
	return t
}

func randomRow(rnd *rand.Rand, n int) *tidbbinlogpb.Row {
	if rnd.IntN(60) == 0 {
		n = max(0, n+rnd.IntN(3)-1)
	}
	r := &tidbbinlogpb.Row{}
	for range n {
		c := &tidbbinlogpb.Column{}
		for range 1 + max(0, rnd.IntN(8)-5) {
			randomField(rnd, c)
		}
		r.Columns = append(r.Columns, c)
	}
	return r
}

func randomField(rnd *rand.Rand, c *tidbbinlogpb.Column) {
	number := rnd.Uint64() >> rnd.IntN(64)
	text := strconv.FormatUint(number, 10)
	switch rnd.IntN(8) {
	case 0:
		c.IsNull = proto.Bool(rnd.IntN(4) > 0)
	case 1, 2:
		c.Int64Value = proto.Int64(int64(number))
	case 3:
		c.Uint64Value = proto.Uint64(number)
	case 4:
		f := []float64{0, math.Copysign(0, -1), 1.5, 1e300, 1e-7, math.NaN(), math.Inf(1), float64(int64(number)), math.Float64frombits(number)}
		c.DoubleValue = proto.Float64(f[rnd.IntN(len(f))])
	case 5:
		c.BytesValue = []byte{byte(number), byte(number >> 8), byte(number >> 16)}
		if rnd.IntN(100) == 0 {
			c.BytesValue = append(c.BytesValue, "12345678"...)
		}
	case 6:
		c.StringValue = proto.String(text)
	}
}

// scramble writes the fields of an encoded message in another order, those of
// repeated fields in the one they have, and the messages in it in parts where they
// may be; between them it puts fields that nobody knows, and known numbers with another
// wire type.
func scramble(rnd *rand.Rand, b []byte, d protoreflect.MessageDescriptor) []byte {
	parts := map[protowire.Number][][]byte{}
	var order []protowire.Number
	add := func(n protowire.Number, part []byte) {
		parts[n] = append(parts[n], part)
		order = append(order, n)
	}
	for len(b) > 0 {
		number, typ, size := protowire.ConsumeField(b)
		part := b[:size]
		b = b[size:]
		fd := d.Fields().ByNumber(number)
		if fd == nil || fd.Message() == nil {
			add(number, part)
			continue
		}
		_, _, tag := protowire.ConsumeTag(part)
		in, _ := protowire.ConsumeBytes(part[tag:])
		pieces := [][]byte{scramble(rnd, in, fd.Message())}
		if !fd.IsList() && rnd.IntN(3) == 0 {
			pieces = split(rnd, pieces[0])
		}
		for _, p := range pieces {
			add(number, protowire.AppendBytes(protowire.AppendTag(nil, number, typ), p))
		}
	}
	if rnd.IntN(2) == 0 {
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	var out []byte
	for _, n := range order {
		if rnd.IntN(20) == 0 {
			out = append(out, strange(rnd, d)...)
		}
		out = append(out, parts[n][0]...)
		parts[n] = parts[n][1:]
	}
	return out
}

// split cuts an encoded message in two, between fields.
func split(rnd *rand.Rand, b []byte) [][]byte {
	at := 0
	for at < len(b) && rnd.IntN(4) > 0 {
		_, _, size := protowire.ConsumeField(b[at:])
		at += size
	}
	return [][]byte{b[:at], b[at:]}
}

// strange returns a field that is none of d's.
func strange(rnd *rand.Rand, d protoreflect.MessageDescriptor) []byte {
	number := protowire.Number(1 + rnd.IntN(20))
	own := protowire.Type(-1)
	if fd := d.Fields().ByNumber(number); fd != nil {
		own = protowire.BytesType
		switch fd.Kind() {
		case protoreflect.DoubleKind:
			own = protowire.Fixed64Type
		case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Int64Kind, protoreflect.Uint64Kind:
			own = protowire.VarintType
		}
	}
	types := []protowire.Type{protowire.VarintType, protowire.Fixed64Type, protowire.BytesType, protowire.StartGroupType}
	typ := types[rnd.IntN(len(types))]
	if typ == own {
		typ = protowire.Fixed32Type
	}
	b := protowire.AppendTag(nil, number, typ)
	switch typ {
	case protowire.VarintType:
		return protowire.AppendVarint(b, rnd.Uint64()>>rnd.IntN(64))
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, rnd.Uint32())
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, rnd.Uint64())
	case protowire.StartGroupType:
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 7)
		return protowire.AppendTag(b, number, protowire.EndGroupType)
	}
	return protowire.AppendString(b, "strange")
}
