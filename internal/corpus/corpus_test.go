package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// TestFrozen pins the bytes. If it fails, the change that made it fail is the
// mistake: recorded figures are about these bytes. Sample may change, as long
// as whatever quotes it changes too.
func TestFrozen(t *testing.T) {
	for _, c := range []struct {
		name    string
		entries int // 0: as usual
		seed    uint64
		size    int
		sum     string
	}{
		{"oltp", 100, 1, 91754, "fac4c51714865b441bed234085eccb53"},
		{"oltp", 0, 1, 4577065, "eafa0871de60b279a0b63524d8783502"},
		{"bulk", 0, 1, 7835224, "73c7d16fcaebac3f58b48c9eb77b4b9b"},
	} {
		made, err := Make(c.name, c.entries, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		if size, sum := made.Size(), checksum(made.Entries); size != c.size || sum != c.sum {
			t.Errorf("%s, %d entries: %d bytes with sum %s, want %d with %s", c.name, len(made.Entries), size, sum, c.size, c.sum)
		}
	}
}

func checksum(entries [][]byte) string {
	h := sha256.New()
	for _, e := range entries {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(e))))
		h.Write(e)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func TestMake(t *testing.T) {
	for _, name := range Names() {
		long, err := Make(name, 10, 7)
		if err != nil {
			t.Fatal(err)
		}
		short, err := Make(name, 4, 7)
		if err != nil {
			t.Fatal(err)
		}
		if checksum(long.Entries[:4]) != checksum(short.Entries) {
			t.Errorf("%s: 10 entries do not begin with the 4 of the same seed", name)
		}
		other, err := Make(name, 4, 8)
		if err != nil {
			t.Fatal(err)
		}
		if checksum(other.Entries) == checksum(short.Entries) {
			t.Errorf("%s: seeds 7 and 8 give the same", name)
		}
	}
	if _, err := Make("olpt", 1, 1); err == nil || err.Error() != `corpus: no corpus is named "olpt"; there are oltp, bulk` {
		t.Errorf("of a name that is none: %v", err)
	}
	if _, err := Make("oltp", -1, 1); err == nil {
		t.Error("-1 entries were made")
	}
}

// TestSizes holds the corpora to what is said of them.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name          string
		entries, rows int
		about         int // bytes an Entry
	}{
		{"oltp", 5000, 5000, 950},
		{"bulk", 20, 10000, 380_000},
	} {
		made, err := Make(c.name, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if made.Name != c.name || len(made.Entries) != c.entries || made.Rows != c.rows {
			t.Errorf("%s: named %s, %d entries, %d rows", c.name, made.Name, len(made.Entries), made.Rows)
		}
		if mean := made.Size() / len(made.Entries); mean < c.about*95/100 || mean > c.about*105/100 {
			t.Errorf("%s: %d bytes an entry, want about %d", c.name, mean, c.about)
		}
	}
}

// TestMix decodes oltp and counts what is in it.
func TestMix(t *testing.T) {
	made, err := Make("oltp", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var types, changes, inTable [16]int
	var columns, nulls, wide, quoted int
	for i, wire := range made.Entries {
		e, rc := decode(t, wire)
		if e.GetEntryType() != canalpb.EntryType_ROWDATA || len(rc.RowDatas) != 1 || rc.GetEventType() != e.Header.GetEventType() {
			t.Fatalf("entry %d: %v %v", i, e.Header, rc)
		}
		at := slices.IndexFunc(tables, func(x table) bool {
			return x.schema == e.Header.GetSchemaName() && x.name == e.Header.GetTableName()
		})
		inTable[at]++
		types[rc.GetEventType()]++
		row := rc.RowDatas[0]
		if rc.GetEventType() == canalpb.EventType_UPDATE {
			changes[changed(t, row)]++
		}
		for _, c := range slices.Concat(row.BeforeColumns, row.AfterColumns) {
			columns++
			if c.GetIsNull() {
				nulls++
			}
			if c.GetValue() > "\u0800" {
				wide++
			}
			if slices.Contains([]byte(c.GetValue()), '"') {
				quoted++
			}
		}
	}
	if types[canalpb.EventType_INSERT] != 1667 || types[canalpb.EventType_UPDATE] != 1667 || types[canalpb.EventType_DELETE] != 1666 {
		t.Errorf("types: %v", types)
	}
	for i := range tables {
		if inTable[i] < 500 || inTable[i] > 750 {
			t.Errorf("%d entries of table %s", inTable[i], tables[i].name)
		}
	}
	for n := 1; n <= 3; n++ {
		if changes[n] < 450 || changes[n] > 660 {
			t.Errorf("%d updates of %d columns", changes[n], n)
		}
	}
	if rows := columns / 10; columns != rows*10 || nulls < rows*70/100 || nulls > rows*80/100 ||
		wide < rows*35/100 || wide > rows*40/100 || quoted < rows*80/100 {
		t.Errorf("of %d columns, %d are null, %d Chinese, %d with quotes", columns, nulls, wide, quoted)
	}
}

// changed counts the updated columns of an UPDATE, which are those that differ.
func changed(t *testing.T, row *canalpb.RowData) int {
	n := 0
	for i, b := range row.BeforeColumns {
		a := row.AfterColumns[i]
		if b.GetUpdated() || a.GetUpdated() != (a.GetIsNull() != b.GetIsNull() || a.GetValue() != b.GetValue()) {
			t.Errorf("updated is wrong:\n%v\n%v", b, a)
		}
		if a.GetUpdated() {
			n++
		}
	}
	return n
}

// TestPresence checks which fields are on the wire, on all of a small corpus
// of each name.
func TestPresence(t *testing.T) {
	for _, name := range Names() {
		made, err := Make(name, 6, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, wire := range made.Entries {
			e, rc := decode(t, wire)
			h := e.Header
			if h.Version == nil || h.LogfileName == nil || h.LogfileOffset == nil || h.ServerId == nil ||
				h.ServerenCode == nil || h.ExecuteTime == nil || h.SourceType == nil || h.EventLength == nil ||
				h.EventType == nil || h.Gtid == nil || len(h.Props) != 1 {
				t.Fatalf("%s: header %v", name, h)
			}
			if rc.TableId == nil || rc.EventType == nil || rc.IsDdl == nil || rc.Sql != nil || rc.DdlSchemaName != nil || rc.Props != nil {
				t.Fatalf("%s: row change %v", name, rc)
			}
			for _, row := range rc.RowDatas {
				for _, c := range slices.Concat(row.BeforeColumns, row.AfterColumns) {
					if c.Index == nil || c.SqlType == nil || c.Name == nil || c.IsKey == nil || c.Updated == nil || c.IsNull == nil ||
						c.MysqlType == nil || (c.Value == nil) != *c.IsNull || c.Length != nil || c.Props != nil {
						t.Fatalf("%s: column %v", name, c)
					}
				}
			}
			// The flat twin is meant to read what is in a corpus.
			if err := new(canalflatpb.Entry).UnmarshalVT(wire); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func decode(t *testing.T, wire []byte) (*canalpb.Entry, *canalpb.RowChange) {
	t.Helper()
	e, rc := new(canalpb.Entry), new(canalpb.RowChange)
	if err := proto.Unmarshal(wire, e); err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(e.StoreValue, rc); err != nil {
		t.Fatal(err)
	}
	return e, rc
}
