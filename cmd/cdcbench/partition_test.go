package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// TestPartitionGolden has the command tell what Canal's own classes say, one run for
// each set of rules, over all Entries.
func TestPartitionGolden(t *testing.T) {
	type config struct {
		rules      string
		partitions int
		hash       bool
	}
	want := map[config]map[string]string{} // by Entry and row: the line's end
	var names []string
	records := map[string][]byte{}
	for _, g := range golden.Partitions() {
		if records[g.Name] == nil {
			names, records[g.Name] = append(names, g.Name), g.Entry
		}
		c := config{g.Rules, g.Partitions, g.DatabaseHash}
		if want[c] == nil {
			want[c] = map[string]string{}
		}
		row := "-"
		if g.Row >= 0 {
			row = strconv.Itoa(g.Row)
		}
		want[c][g.Name+"\t"+row] = strconv.Itoa(int(g.Want))
	}
	var in []byte
	for _, name := range names {
		in = append(in, stream(t, frame.U32BE, records[name])...)
	}
	found := 0
	for c, rows := range want {
		args := []string{"partition", "--rules", c.rules, "--partitions", strconv.Itoa(c.partitions)}
		if c.hash {
			args = append(args, "--database-hash")
		}
		r := cdcbench(in, args...)
		if r.code != 0 || r.err != "" {
			t.Fatalf("%v: %+v", args, r)
		}
		for line := range strings.Lines(r.out) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			record, err := strconv.Atoi(cells[0])
			if err != nil || len(cells) != 3 {
				t.Fatalf("%v: line %q", args, line)
			}
			if w, ok := rows[names[record]+"\t"+cells[1]]; ok {
				if found++; w != cells[2] {
					t.Errorf("%v: %s, row %s: %s, want %s", args, names[record], cells[1], cells[2], w)
				}
			}
		}
	}
	if found != len(golden.Partitions()) {
		t.Errorf("%d of %d rows were told of", found, len(golden.Partitions()))
	}
}

// someEntries returns a golden Entry of four rows, and one of a DDL.
func someEntries(t *testing.T) (rows, ddl []byte) {
	t.Helper()
	for _, g := range golden.Partitions() {
		switch g.Name {
		case "p_insert_mixed":
			rows = g.Entry
		case "p_ddl":
			ddl = g.Entry
		}
	}
	if rows == nil || ddl == nil {
		t.Fatal("no such Entry")
	}
	return rows, ddl
}

func TestPartition(t *testing.T) {
	rows, ddl := someEntries(t)
	packet := func(entries ...[]byte) []byte {
		return encode(t, &packetpb.Packet{Type: packetpb.PacketType_MESSAGES, Body: encode(t, &packetpb.Messages{Messages: entries})})
	}
	bad := rows[:len(rows)-1]
	const four = "%d\t%d\t2\n%d\t%d\t0\n%d\t%d\t0\n%d\t%d\t0\n"
	lines := func(record, row int) string {
		return fmt.Sprintf(four, record, row, record, row+1, record, row+2, record, row+3)
	}
	key := []string{"partition", "--rules", `.*\..*:$pk$`, "--partitions", "3"}
	with := func(more ...string) []string { return append(key[:len(key):len(key)], more...) }

	cdcbench(stream(t, frame.U32BE, begin(t), rows, ddl), key...).check(t, 0, lines(1, 0)+"2\t-\t0\n", "")
	cdcbench(stream(t, frame.Uvarint, rows), with("--frame", "uvarint")...).check(t, 0, lines(0, 0), "")
	cdcbench(rows, with("--frame", "single")...).check(t, 0, lines(0, 0), "")

	// Rows of a packet are counted through all of its entries; it is atomic.
	cdcbench(stream(t, frame.U32BE, packet(rows, ddl, rows)), with("--from", "packet")...).check(t, 0, lines(0, 0)+"0\t-\t0\n"+lines(0, 4), "")
	r := cdcbench(stream(t, frame.U32BE, packet(rows, bad), packet(rows)), with("--from", "packet", "--on-error", "skip")...)
	if r.code != 1 || r.out != lines(1, 0) || !strings.HasPrefix(r.err, "record 0 at byte 4: body.messages[1]") {
		t.Errorf("a bad packet: %+v", r)
	}
	r = cdcbench(stream(t, frame.U32BE, packet(rows, bad), packet(rows)), with("--from", "packet", "--bad-entry", "skip")...)
	if r.code != 1 || r.out != lines(0, 0)+lines(1, 0) || strings.Count(r.err, "\n") != 1 {
		t.Errorf("a packet with a bad entry: %+v", r)
	}

	// Bad records say what convert says of them.
	for _, onError := range []string{"stop", "skip"} {
		in := stream(t, frame.U32BE, rows, bad, ddl)
		r, c := cdcbench(in, with("--on-error", onError)...), convert(in, "--on-error", onError)
		want := lines(0, 0)
		if onError == "skip" {
			want += "2\t-\t0\n"
		}
		r.check(t, 1, want, c.err)
	}
	if r := cdcbench(stream(t, frame.U32BE, rows)[:20], key...); r.code != 2 {
		t.Errorf("a broken frame: %+v", r)
	}

	for _, c := range []struct{ by, want string }{
		{"round-robin", "0\t0\t0\n0\t1\t0\n0\t2\t0\n0\t3\t0\n1\t-\t0\n2\t0\t1\n2\t1\t1\n2\t2\t1\n2\t3\t1\n"},
		{"commit-ts", "0\t0\t0\n0\t1\t0\n0\t2\t0\n0\t3\t0\n1\t-\t0\n2\t0\t0\n2\t1\t0\n2\t2\t0\n2\t3\t0\n"},
		{"key", lines(0, 0) + "1\t-\t0\n" + lines(2, 0)},
	} {
		cdcbench(stream(t, frame.U32BE, rows, ddl, rows), "partition", "--by", c.by, "--partitions", "3").check(t, 0, c.want, "")
	}
	// A watermark has no message in dialect canal.
	r = cdcbench([]byte(`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1,"ts":1,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}`+"\n"),
		"partition", "--partitions", "1", "--from", "canal-json", "--frame", "lines")
	r.check(t, 0, "", "")
}

func TestPartitionUsage(t *testing.T) {
	for _, c := range []struct{ args, has string }{
		{"", "--partitions"},
		{"--partitions 3", "--by rules needs --rules"},
		{"--partitions 3 --by key --database d", "--database is for --from changedataset"},
		{"--partitions 0", "--partitions: 0 is no number of partitions"},
		{"--partitions -1", "--partitions: -1"},
		{"--partitions 99999999999", "--partitions: 99999999999 is no number"},
		{"--partitions 1 --rules (", `partition rule "("`},
		{"--partitions 1 --by key --rules a.b", "--rules and --by key exclude each other"},
		{"--by chance", "--by must be one of"},
	} {
		r := cdcbench(nil, append([]string{"partition"}, strings.Fields(c.args)...)...)
		if r.code != 2 || r.out != "" || !strings.Contains(r.err, c.has) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
}
