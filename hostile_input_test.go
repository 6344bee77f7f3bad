package cdcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
)

// TestHostileValue has one value of 64 MiB, plain, all escapes, all invalid, to
// a Transcoder that does not know the table and one that does.
func TestHostileValue(t *testing.T) {
	const mega = 1 << 20
	var buf []byte
	entry := func(unit string, size int) []byte {
		buf = hostileValue(buf[:0], unit, size/len(unit))
		return buf
	}
	tr := newTranscoder(t, cdcodec.Options{})
	var dst []byte
	for _, c := range []struct {
		unit, shown string
		size        int
	}{
		{"plain", "plain", 64 * mega},
		{`"`, `\"`, 64 * mega},
		{"\xff", "\ufffd", 64 * mega},
		{"\xf0\x9f\x98", "\ufffd", 4 * mega},
		{"é", "é", 4 * mega},
		{"text, then a \x02 here\n", `text, then a \u0002 here\n`, 4 * mega},
	} {
		small, err := reference.Entry(entry(c.unit, len(c.unit)), fastjson.Options{}, goldenMeta)
		if err != nil {
			t.Fatal(err)
		}
		head, tail, _ := bytes.Cut(small[0], []byte(c.shown))
		if !giant() {
			c.size = mega
		}
		for i, size := range []int{c.size, mega} { // the second time the table is known
			in := entry(c.unit, size)
			out, _, err := tr.Append(dst[:0], nil, in, goldenMeta)
			if err != nil {
				t.Errorf("%q: %v", c.unit, err)
				continue
			}
			dst = out
			body, ok := bytes.CutPrefix(out, head)
			body, ok2 := bytes.CutSuffix(body, tail)
			if !ok || !ok2 || !repeats(body, c.shown, size/len(c.unit)) {
				t.Errorf("%q, %d: %d bytes of output, %.100s…", c.unit, i, len(out), out)
			}
		}
	}

	// Six bytes for one are more than MaxOutput.
	in := entry("\x01", 8*mega)
	o := cdcodec.Options{JSON: fastjson.Options{MaxOutput: 6 * 8 * mega}}
	out, msgs, err := newTranscoder(t, o).Append(nil, nil, in, goldenMeta)
	if !errors.Is(err, fastjson.ErrMaxOutput) || out != nil || msgs != nil {
		t.Errorf("6 times 8 MiB: %v, %d bytes", err, len(out))
	}
}

// hostileValue appends an INSERT whose one column has n times unit as its value.
func hostileValue(dst []byte, unit string, n int) []byte {
	var parts [][]byte // from the inside
	size := n * len(unit)
	for _, head := range []struct {
		before []byte
		tag    wire.Number
	}{{[]byte("\x1a\x01v"), 8}, {nil, 2}, {[]byte{0x10, 1}, 12}, {[]byte("\x0a\x06\x42\x01s\x4a\x01t"), 3}} {
		b := wire.AppendVarint(wire.AppendTag(head.before, head.tag, wire.Bytes), uint64(size))
		parts = append(parts, b)
		size += len(b)
	}
	dst = slices.Grow(dst, size)
	for _, p := range slices.Backward(parts) {
		dst = append(dst, p...)
	}
	for range n {
		dst = append(dst, unit...)
	}
	return dst
}

// repeats reports whether s is n times unit.
func repeats(s []byte, unit string, n int) bool {
	if len(s) != n*len(unit) {
		return false
	}
	block := bytes.Repeat([]byte(unit), 1024)
	for len(s) > len(block) {
		if !bytes.Equal(s[:len(block)], block) {
			return false
		}
		s = s[len(block):]
	}
	return bytes.Equal(s, block[:len(s)])
}

// TestHostileEmpties has 100,000 Entries of nothing in a Packet of 200 KB and in a
// list, one message of 178 bytes for each.
func TestHostileEmpties(t *testing.T) {
	const n = 100_000
	want, err := reference.Entry(nil, fastjson.Options{}, goldenMeta)
	if err != nil {
		t.Fatal(err)
	}
	packet := lenField(intField(nil, 3, 7), 5, bytes.Repeat([]byte{0x12, 0}, n))
	for _, from := range []string{"packet", "list"} {
		tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, IgnoreBatchID: true})
		run := func() ([]byte, []cdcodec.Message, error) { return tr.Append(nil, nil, packet, goldenMeta) }
		if from == "list" {
			run = func() ([]byte, []cdcodec.Message, error) {
				return tr.AppendEntries(nil, nil, make([][]byte, n), goldenMeta)
			}
		}
		out, msgs, err := run()
		if err != nil || len(msgs) != n || !repeats(out, string(want[0]), n) {
			t.Errorf("%s: %v, %d messages, %d bytes", from, err, len(msgs), len(out))
			continue
		}
		for i, m := range msgs {
			if m.Start != i*len(want[0]) || m.End != m.Start+len(want[0]) || m.Entry != i {
				t.Fatalf("%s: message %d is %+v", from, i, m)
			}
		}
	}
	o := cdcodec.Options{From: cdcodec.FromPacket, JSON: fastjson.Options{MaxOutput: n * len(want[0]) / 2}}
	bad := 0
	o.BadEntry = func(i int, err error) {
		if bad++; !errors.Is(err, fastjson.ErrMaxOutput) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, msgs, err := newTranscoder(t, o).Append(nil, nil, packet, goldenMeta); err != nil || len(msgs)+bad != n || bad > n/2+n/100 {
		t.Errorf("half of the output allowed: %v, %d messages, %d refused", err, len(msgs), bad)
	}
}

// TestHostileBadEntries has a Packet of 100,000 Entries of one bad byte each.
func TestHostileBadEntries(t *testing.T) {
	const n = 100_000
	packet := lenField(intField(nil, 3, 7), 5, bytes.Repeat([]byte{0x12, 1, 0x0f}, n))
	next := 0
	o := cdcodec.Options{From: cdcodec.FromPacket, BadEntry: func(i int, err error) {
		e, ok := err.(*wire.ParseError)
		if !ok || i != next || e.Offset != len(packet)-3*n+3*i+2 || e.Err != wire.ErrType || e.Path != fmt.Sprintf("body.messages[%d]", i) {
			t.Fatalf("Entry %d, number %d: %#v", i, next, err)
		}
		next++
	}}
	if out, msgs, err := newTranscoder(t, o).Append(nil, nil, packet, goldenMeta); err != nil || len(out) > 0 || len(msgs) > 0 || next != n {
		t.Errorf("%v, %d bytes, %d messages, %d bad Entries", err, len(out), len(msgs), next)
	}
	o.BadEntry = nil
	_, _, err := newTranscoder(t, o).Append(nil, nil, packet, goldenMeta)
	if e, ok := err.(*wire.ParseError); !ok || e.Path != "body.messages[0]" {
		t.Errorf("without BadEntry: %v", err)
	}
}

// TestHostileStream sends a million small Entries, of thousands of tables, through
// one Transcoder.
func TestHostileStream(t *testing.T) {
	n := 1_000_000
	if !giant() {
		n = 50_000
	}
	tr := newTranscoder(t, cdcodec.Options{})
	entry := func(buf []byte, i int) []byte {
		switch i % 4 {
		case 0:
			return buf[:0] // an empty Entry
		case 1:
			return intField(buf[:0], 2, 1) // a transaction mark
		case 2:
			return append(buf[:0], 0x1a, 0x04, 0x62, 0x02, 0x12, 0x00) // an UPDATE of a column without a name
		}
		header := lenField(lenField(nil, 8, []byte("s")), 9, []byte(digits(i/4%7919, 3)))
		store := lenField([]byte{0x10, 1}, 12, []byte("\x12\x0b\x1a\x02id\x20\x01\x42\x03123"))
		return lenField(lenField(buf[:0], 1, header), 3, store)
	}
	var dst, buf []byte
	var msgs []cdcodec.Message
	var err error
	for i := range n {
		buf = entry(buf, i)
		if dst, msgs, err = tr.Append(dst[:0], msgs[:0], buf, goldenMeta); err != nil {
			t.Fatal(err)
		}
		if i%997 < 4 {
			want, err := reference.Entry(buf, fastjson.Options{}, goldenMeta)
			if err != nil || !bytes.Equal(dst, bytes.Join(want, nil)) {
				t.Fatalf("Entry %d %x: %v\n got %s\nwant %s", i, buf, err, dst, want)
			}
		}
	}
}

// TestHostileGroups has groups, side by side and nested, wherever a field can be.
func TestHostileGroups(t *testing.T) {
	pairs := bytes.Repeat([]byte{0x7b, 0x7c}, 1<<19)
	deep := func(n int) []byte { return append(bytes.Repeat([]byte{0x7b}, n), bytes.Repeat([]byte{0x7c}, n)...) }
	open := bytes.Repeat([]byte{0x7b}, 1<<20)
	places := []struct {
		name   string
		levels int // that are left for groups
		put    func(g []byte) []byte
	}{
		{"Entry", 100, func(g []byte) []byte { return append(hostileEntry(change.Insert), g...) }},
		{"header", 99, func(g []byte) []byte { return lenField(hostileEntry(change.Insert), 1, g) }},
		{"header props", 98, func(g []byte) []byte { return lenField(nil, 1, lenField(nil, 12, g)) }},
		{"RowChange", 100, func(g []byte) []byte { return lenField(nil, 3, g) }},
		{"row", 99, func(g []byte) []byte { return hostileEntry(change.Insert, g) }},
		{"column", 98, func(g []byte) []byte { return hostileEntry(change.Insert, lenField(nil, 2, g)) }},
		{"column props", 97, func(g []byte) []byte { return hostileEntry(change.Delete, lenField(nil, 2, lenField(nil, 7, g))) }},
	}
	for _, p := range places {
		for _, c := range []struct {
			name   string
			groups []byte
			err    error
		}{
			{"1 MiB of pairs", pairs, nil},
			{"as deep as may be", deep(p.levels), nil},
			{"one level more", deep(p.levels + 1), wire.ErrDepth},
			{"1 MiB of beginnings", open, wire.ErrDepth},
			{"an end too much", append(slices.Clone(pairs), 0x7c), wire.ErrGroup},
			{"an end too few", append(slices.Clone(pairs), 0x7b), wire.ErrTruncated},
		} {
			record := p.put(c.groups)
			out, _, err := newTranscoder(t, cdcodec.Options{}).Append(nil, nil, record, goldenMeta)
			want, werr := reference.Entry(record, fastjson.Options{}, goldenMeta)
			if !errors.Is(err, c.err) || (err == nil) != (werr == nil) || !bytes.Equal(out, bytes.Join(want, nil)) {
				t.Errorf("%s in %s: %v, want %v (reference %v)", c.name, p.name, err, c.err, werr)
			}
		}
	}
}

// TestHostileLengths replaces each length of a good record by ones that lie.
func TestHostileLengths(t *testing.T) {
	row := lenField(nil, 2, lenField(lenField(lenField(nil, 3, []byte("name")), 8, []byte("value")), 10, []byte("text")))
	entry := hostileEntry(change.Insert, row)
	packet := lenField(intField(nil, 3, 7), 5, lenField(nil, 2, entry))
	for _, from := range []cdcodec.Source{cdcodec.FromEntry, cdcodec.FromPacket} {
		record := [][]byte{entry, packet}[from]
		lengths := 0
		for at := 1; at < len(record); at++ {
			if record[at-1]&7 != 2 || int(record[at]) > len(record)-at {
				continue
			}
			lengths++
			for _, lie := range []uint64{uint64(len(record)), 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + uint64(record[at]), 1<<63 - 1, 1 << 63, 1<<64 - 1} {
				bad := append(wire.AppendVarint(bytes.Clone(record[:at]), lie), record[at+1:]...)
				tr := newTranscoder(t, cdcodec.Options{From: from})
				for range 2 {
					if _, _, err := tr.Append(nil, nil, record, goldenMeta); err != nil {
						t.Fatal(err)
					}
				}
				var out []byte
				var msgs []cdcodec.Message
				var err, werr error
				n := allocated(func() { out, msgs, err = tr.Append(nil, nil, bad, goldenMeta) })
				within(t, fmt.Sprintf("length %d at %d of %x", lie, at, record), n, len(bad))
				if from == cdcodec.FromEntry {
					_, werr = reference.Entry(bad, fastjson.Options{}, goldenMeta)
				} else {
					_, werr = reference.Packet(bad, fastjson.Options{}, goldenMeta, false)
				}
				if (err == nil) != (werr == nil) || err != nil && (out != nil || msgs != nil) {
					t.Errorf("length %d at %d of %x: %v, reference %v", lie, at, record, err, werr)
				}
			}
		}
		if lengths < 8 {
			t.Errorf("only %d lengths were found", lengths)
		}
	}
}
