package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// sourceOf is a corpus of each source, and what else has to be said to read it.
var sourceOf = []struct {
	corpus string
	args   []string
}{
	{"oltp", []string{"--from", "entry"}},
	{"oltp", []string{"--from", "packet"}},
	{"tidb", []string{"--from", "tidb-binlog"}},
	{"baidu", []string{"--from", "changedataset"}},
	{"oltp", []string{"--from", "canal-json", "--frame", "lines"}},
}

// recordsOf returns so many entries of it, as a stream.
func recordsOf(t *testing.T, i, entries int) []byte {
	t.Helper()
	args := []string{"gen", "--corpus", sourceOf[i].corpus, "--entries", fmt.Sprint(entries)}
	switch sourceOf[i].args[1] {
	case "packet":
		args = append(args, "--as", "packet")
	case "canal-json":
		args = append(args, "--as", "json")
	}
	r := cdcbench(nil, args...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	return []byte(r.out)
}

// TestVerifySources holds all that the reference reads to it, under all flags.
func TestVerifySources(t *testing.T) {
	large := []string{"--dialect", "ticdc", "--tidb-extension", "--max-message-bytes", "700", "--large"}
	ofSets := []string{"--database", "x", "--pass-sql-type"}
	flags := [][]string{
		nil, {"--one-row"}, {"--one-row", "--old-per-row", "--omit-gtid"}, {"--id", "4", "--ts", "5"}, {"--max-output", "3000"},
		{"--drop-ddl", "--drop-queries", "--drop-heartbeats", "--drop-watermarks", "--reject-invalid-utf8"},
		{"--bad-entry", "skip"}, {"--bad-entry", "skip", "--max-output", "3000"}, ofSets,
		{"--dialect", "ticdc"}, {"--dialect", "ticdc", "--bad-entry", "skip", "--max-output", "3000"},
		{"--dialect", "ticdc", "--max-message-bytes", "700"},
		{"--dialect", "ticdc", "--tidb-extension", "--commit-ts", "5", "--only-updated", "--data-first"},
		{"--dialect", "ticdc", "--tidb-extension", "--content-compatible", "--delete-only-handle-key"},
		append(slices.Clone(large), "handle-key-only"), append(slices.Clone(large), "claim-check"),
	}
	for i, source := range sourceOf[:4] {
		in := recordsOf(t, i, 60)
		for _, f := range flags {
			if len(f) > 0 && f[0] == ofSets[0] && source.args[1] != "changedataset" {
				continue
			}
			r := cdcbench(in, slices.Concat([]string{"verify"}, source.args, f)...)
			if r.code != 0 || r.err != "" || !strings.HasSuffix(r.out, "on both sides: equal\n") {
				t.Errorf("%q %q: %+v", source.args, f, r)
			}
		}
	}
	r := cdcbench(nil, append(append([]string{"verify", "--max-output", "9"}, large...), "claim-check")...)
	if r.code != 2 || !strings.Contains(r.err, "--large and --max-output") {
		t.Errorf("%+v", r)
	}
}

// TestSourcesToEverything: what goes through Canal's protobuf, or through Canal-JSON,
// is the same as what does not.
func TestSourcesToEverything(t *testing.T) {
	for i, source := range sourceOf {
		in := recordsOf(t, i, 30)
		to := func(in []byte, args ...string) []byte {
			t.Helper()
			r := convert(in, append([]string{"--id", "1"}, args...)...)
			if r.code != 0 || r.err != "" || r.out == "" {
				t.Fatalf("%q: %d, %s", args, r.code, r.err)
			}
			return []byte(r.out)
		}
		json := to(in, source.args...)
		from := func(args ...string) []string { return slices.Concat(source.args, args) }
		if got := to(json, "--from", "canal-json", "--frame", "lines"); !bytes.Equal(got, json) {
			t.Errorf("%q: Canal-JSON becomes something else", source.args)
		}
		if source.args[1] == "canal-json" {
			continue // of an UPDATE it has only a part of the row before
		}
		for _, d := range []string{"entry", "packet"} {
			for _, f := range []string{"u32be", "uvarint"} {
				got := to(to(in, from("--dialect", d, "--frame-out", f)...), "--from", d, "--frame", f)
				if !bytes.Equal(got, json) {
					t.Errorf("%q: by way of %s it becomes something else", source.args, d)
				}
			}
			if !bytes.Equal(to(in, from("--dialect", d)...), to(in, from("--dialect", d, "--frame-out", "u32be")...)) {
				t.Errorf("%q: frames of %s are not u32be", source.args, d)
			}
		}
		if rows := bytes.Count(to(in, from("--one-row")...), []byte("\n")); bytes.Count(to(in, from("--dialect", "ticdc")...), []byte("\n")) != rows {
			t.Errorf("%q: dialect ticdc has not a message for each of %d rows", source.args, rows)
		}
	}
}

// binlog is a Binlog that inserts a row of one column.
func binlog(t *testing.T, value int64) []byte {
	t.Helper()
	return encode(t, &tidbbinlogpb.Binlog{
		Type:     tidbbinlogpb.BinlogType_DML.Enum(),
		CommitTs: proto.Int64(5 << 18),
		DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{{
			SchemaName: proto.String("s"), TableName: proto.String("t"),
			ColumnInfo: []*tidbbinlogpb.ColumnInfo{{Name: proto.String("id"), MysqlType: proto.String("int"), IsPrimaryKey: proto.Bool(true)}},
			Mutations: []*tidbbinlogpb.TableMutation{{
				Type: tidbbinlogpb.MutationType_Insert.Enum(),
				Row:  &tidbbinlogpb.Row{Columns: []*tidbbinlogpb.Column{{Int64Value: proto.Int64(value)}}},
			}},
		}}},
	})
}

func TestTiDBBinlog(t *testing.T) {
	in := stream(t, frame.U32BE, binlog(t, 7))
	canal := `{"data":[{"id":"7"}],"database":"s","es":5,"gtid":"","id":1,"isDdl":false,"mysqlType":{"id":"int"},"old":null,` +
		`"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"t","ts":` + fixedTS + `,"type":"INSERT"}`
	ticdc := `{"id":0,"database":"s","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":5,"ts":` + fixedTS +
		`,"sql":"","sqlType":{"id":4},"mysqlType":{"id":"int"},"old":null,"data":[{"id":"7"}],"_tidb":{"commitTs":1310720}}`
	convert(in, "--from", "tidb-binlog").check(t, 0, canal+"\n", "")
	convert(in, "--from", "tidb-binlog", "--dialect", "ticdc", "--tidb-extension").check(t, 0, ticdc+"\n", "")
	convert(in, "--from", "tidb-binlog", "--dialect", "ticdc", "--tidb-extension", "--id", "9", "--per-record").check(t, 0, "["+ticdc+"]\n", "")
}

// TestBadRecordsOfSources: a bad record between good ones, of each source, under each
// --on-error.
func TestBadRecordsOfSources(t *testing.T) {
	set, err := corpus.Make("baidu", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	js := `{"data":[{"id":"1"}],"type":"INSERT"}`
	good := entry(t, "a")
	for _, c := range []struct {
		from, frame string
		good, bad   []byte
		say         string // of the error
	}{
		{"entry", "u32be", good, bad, badText},
		{"packet", "u32be", packet(t, 1, good), []byte{0x18, 0x07, 0x2a, 0x02, 0x12, 0x05}, "body.messages[0] at byte 4: input ends inside a field"},
		{"tidb-binlog", "u32be", binlog(t, 1), []byte{0x08, 0x00, 0x10, 0x01, 0x1a, 0x04, 0x0a, 0x02, 0x0a, 0x09}, "dml_data.tables[0].schema_name at byte 8: input ends inside a field"},
		{"changedataset", "uvarint", set.Entries[0], []byte{0x0a, 0x05, 0x01}, "dbInstanceName at byte 0: input ends inside a field"},
		{"canal-json", "lines", []byte(js), []byte(`{"type":"INSERT","data":[{"id":1},{"id":tru}]}`), "data[1].id at byte 43: not JSON"},
	} {
		t.Run(c.from, func(t *testing.T) {
			kind, err := frame.ParseKind(c.frame)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"--from", c.from, "--frame", c.frame}
			ok := stream(t, kind, c.good)
			one := convert(ok, args...)
			array := convert(ok, append(args, "--per-record")...)
			if one.code != 0 || one.out == "" || array.code != 0 {
				t.Fatalf("%+v", one)
			}
			in := stream(t, kind, c.good, c.bad, c.good)
			at := bytes.Index(in, c.bad)
			r := convert(in, args...)
			say := c.say
			line := fmt.Sprintf("record 1 at byte %d: %s\n", at, say)
			r.check(t, 1, one.out, line)
			convert(in, append(args, "--on-error", "skip")...).check(t, 1, one.out+one.out, line)
			convert(in, append(args, "--on-error", "skip", "--per-record")...).check(t, 1, array.out+"[]\n"+array.out, line)
			convert(in, append(args, "--on-error", "inline", "--per-record")...).check(t, 0, array.out+`{"error":"`+say+"\"}\n"+array.out, line)
		})
	}
}

// TestClaimDir keeps what is too large where the flag says, and fails if it cannot,
// whatever is to become of bad records.
func TestClaimDir(t *testing.T) {
	in, dir := recordsOf(t, 2, 3), t.TempDir()
	args := []string{"--from", "tidb-binlog", "--dialect", "ticdc", "--tidb-extension", "--large", "claim-check", "--max-message-bytes", "700", "--claim-dir", dir}
	r := convert(in, args...)
	kept, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if r.code != 0 || r.err != "" || len(kept) == 0 || strings.Count(r.out, `"claimCheckLocation":"`) != len(kept) {
		t.Fatalf("%d kept, %+v", len(kept), r)
	}
	whole := convert(in, args[:5]...).out
	for _, name := range kept {
		b, err := os.ReadFile(name)
		if err != nil || !strings.Contains(whole, string(b)+"\n") || !strings.Contains(r.out, filepath.Base(name)) {
			t.Errorf("%s is not the message: %v", name, err)
		}
	}
	args[len(args)-1] = file(t, nil)
	if r := convert(in, args...); r.code != 2 || !strings.Contains(r.err, "is no directory") {
		t.Errorf("%+v", r)
	}
	c := claimDir{dir: "none such"}
	if _, err := c.Put([]byte("{}")); err == nil || c.err != err {
		t.Errorf("%v, %v", err, c.err)
	}
}

// TestMemoryOfSources: any amount of data of any source streams through.
func TestMemoryOfSources(t *testing.T) {
	for i, source := range sourceOf[1:] {
		one := recordsOf(t, i+1, 100)
		const total = 16 << 20
		in := io.LimitReader(&endless{b: one}, int64(total/len(one)*len(one)))
		if n := allocated(t, in, append([]string{"convert"}, source.args...)...); n > 10<<20 {
			t.Errorf("%q: %d bytes allocated for %d", source.args, n, total)
		}
	}
}

// TestHelpGroups has the flags of a dialect under its name.
func TestHelpGroups(t *testing.T) {
	r := cdcbench(nil, "convert", "--help")
	for _, say := range []string{"\nDialect canal:\n  --omit-gtid", "\nDialect ticdc:\n  --tidb-extension", "\nFrom changedataset:\n  --database"} {
		if !strings.Contains(r.out, say) {
			t.Errorf("no %q in\n%s", say, r.out)
		}
	}
}
