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
		{"wide", 0, 1, 3166018, "ef1a946eabbdfef9feb009b9e1ca49ee"},
		{"blob", 0, 1, 6598315, "b2017d67348a6bfc6dff5834705c647a"},
		{"prose", 0, 1, 6598682, "167d9151b617b7318be988cae155f761"},
		{"stream", 1000, 1, 1056969, "71d0effcbf7576b24aff6229be4a2816"},
		{"stream", 0, 1, 20936038, "9e16c9e64bf26cceb6ae6c26c4d6b487"},
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

// TestFrozenPackets pins the bytes of Packets, and with them how many Entries
// each has.
func TestFrozenPackets(t *testing.T) {
	packets := usual(t, "stream").Packets()
	if sum := checksum(packets); len(packets) != 365 || sum != "5d971e371b221ac5aa59dbf2a0b890fc" {
		t.Errorf("%d packets with sum %s", len(packets), sum)
	}
}

// usual makes a corpus of the usual count and seed 1, once for all tests.
func usual(t *testing.T, name string) Corpus {
	t.Helper()
	c, ok := usuals[name]
	if !ok {
		var err error
		if c, err = Make(name, 0, 1); err != nil {
			t.Fatal(err)
		}
		usuals[name] = c
	}
	return c
}

var usuals = map[string]Corpus{}

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
	if _, err := Make("olpt", 1, 1); err == nil || err.Error() != `corpus: no corpus is named "olpt"; there are oltp, bulk, wide, blob, prose, stream, tidb, baidu` {
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
		{"wide", 200, 200, 16_000},
		{"blob", 100, 100, 66_000},
		{"prose", 100, 100, 66_000},
		{"stream", 20_000, 23_686, 1050},
	} {
		made := usual(t, c.name)
		if made.Name != c.name || len(made.Entries) != c.entries || made.Rows != c.rows {
			t.Errorf("%s: named %s, %d entries, %d rows", c.name, made.Name, len(made.Entries), made.Rows)
		}
		if mean := made.Size() / len(made.Entries); mean < c.about*95/100 || mean > c.about*105/100 {
			t.Errorf("%s: %d bytes an entry, want about %d", c.name, mean, c.about)
		}
	}
}

// TestPresence checks which fields are on the wire, on some Entries of each
// corpus.
func TestPresence(t *testing.T) {
	for _, name := range Names() {
		entries := 6
		if name == "stream" {
			entries = 1000
		}
		made, err := Make(name, entries, 1)
		if err != nil {
			t.Fatal(err)
		}
		var marks, ddls, rows int
		for _, wire := range made.Entries {
			e, rc := decode(t, wire)
			h := e.Header
			if h.Version == nil || h.LogfileName == nil || h.LogfileOffset == nil || h.ServerId == nil ||
				h.ServerenCode == nil || h.ExecuteTime == nil || h.SourceType == nil || h.SchemaName == nil ||
				h.TableName == nil || h.EventLength == nil || h.Gtid == nil {
				t.Fatalf("%s: header %v", name, h)
			}
			switch {
			case e.GetEntryType() != canalpb.EntryType_ROWDATA:
				marks++
				if h.EventType != nil || len(h.Props) != 0 {
					t.Fatalf("%s: header of a mark: %v", name, h)
				}
				continue // the flat twin cannot read all marks
			case rc.GetIsDdl():
				ddls++
				if h.EventType == nil || len(h.Props) != 0 || rc.EventType == nil || rc.Sql == nil || rc.DdlSchemaName == nil ||
					rc.TableId != nil || rc.RowDatas != nil || rc.Props != nil {
					t.Fatalf("%s: DDL %v %v", name, h, rc)
				}
			default:
				rows += len(rc.RowDatas)
				if h.EventType == nil || len(h.Props) != 1 || rc.EventType == nil || rc.IsDdl == nil ||
					rc.TableId == nil || rc.Sql != nil || rc.DdlSchemaName != nil || rc.Props != nil {
					t.Fatalf("%s: rows %v %v", name, h, rc)
				}
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
		if rows != made.Rows || (marks > 0 && ddls > 0) != (name == "stream") {
			t.Errorf("%s: %d rows, said to be %d; %d marks, %d DDLs", name, rows, made.Rows, marks, ddls)
		}
	}
}

// decode reads an Entry, and what it stores if that is rows or a DDL.
func decode(t *testing.T, wire []byte) (*canalpb.Entry, *canalpb.RowChange) {
	t.Helper()
	e, rc := new(canalpb.Entry), new(canalpb.RowChange)
	if err := proto.Unmarshal(wire, e); err != nil {
		t.Fatal(err)
	}
	if e.GetEntryType() == canalpb.EntryType_ROWDATA {
		if err := proto.Unmarshal(e.StoreValue, rc); err != nil {
			t.Fatal(err)
		}
	}
	return e, rc
}
