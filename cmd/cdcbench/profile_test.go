package main

import (
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/wire"
)

func TestProfileAlloc(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "p.pprof")
	r := cdcbench(nil, "profile", "--kind", "alloc", "--file", small(t), "--time", "1ms", "--against", "reference", "-o", out, "--top", "30")
	if r.code != 0 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{
		`(?m)^alloc of file, convert:$`,
		`(?m)^cdcodec: 0 bytes/entry over \d+ Entries, in .*p\.pprof$`,
		`(?m)^reference: [\d,.]+ bytes/entry over \d+ Entries, in .*p\.reference\.pprof$`,
		`(?m)^function +bytes/entry +flat +cum`,
		`(?m)^reference\.\(\*converter\)\.convert +[\d.,]+ +\d+\.\d% +\d+\.\d%$`,
		`\ncdcbench profile --kind alloc .*\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(r.out) {
			t.Errorf("no %s in\n%s", want, r.out)
		}
	}
	for _, name := range []string{out, filepath.Join(dir, "p.reference.pprof")} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{"alloc_space", "alloc_objects"} {
			if _, err := readProfile(b, value, ""); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestProfileCPU(t *testing.T) {
	t.Chdir(t.TempDir())
	r := cdcbench(nil, "profile", "--file", small(t), "--time", "100ms", "--codec", "reference")
	if r.code != 0 || r.err != "" || !strings.Contains(r.out, "in reference.cpu.pprof\n") {
		t.Fatalf("%+v", r)
	}
	b, err := os.ReadFile("reference.cpu.pprof")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readProfile(b, "cpu", ""); err != nil {
		t.Error(err)
	}
}

func TestProfileBlock(t *testing.T) {
	t.Chdir(t.TempDir())
	r := cdcbench(nil, "profile", "--file", small(t), "--time", "1ms", "--kind", "block", "--stage", "decode")
	if r.code != 0 || !strings.Contains(r.out, "There is nothing to show.") {
		t.Errorf("%+v", r)
	}
}

func TestProfileErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	in := small(t)
	for _, args := range [][]string{
		{"--corpus", "oltp,wide"},
		{"--stage", "convert,decode"},
		{"--codec", "nonsense"},
		{"--against", "nonsense"},
		{"--codec", "cdcodec-general", "--stage", "decode", "--corpus", "wide"},
		{"--file", in, "--top", "0", "--time", "1ms"},
		{"--file", in, "-o", filepath.Join("no", "folder"), "--time", "1ms"},
		{"--kind", "nonsense"},
	} {
		if r := cdcbench(nil, append([]string{"profile"}, args...)...); r.code != 2 || r.err == "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// profileOf writes a profile by hand: functions a, b and c of package p, of
// which b is inlined into a.
func profileOf() []byte {
	field := func(dst []byte, n wire.Number, b []byte) []byte {
		dst = wire.AppendTag(dst, n, wire.Bytes)
		return wire.AppendBytes(dst, b)
	}
	num := func(dst []byte, n wire.Number, v uint64) []byte {
		dst = wire.AppendTag(dst, n, wire.Varint)
		return wire.AppendVarint(dst, v)
	}
	packed := func(values ...uint64) (b []byte) {
		for _, v := range values {
			b = wire.AppendVarint(b, v)
		}
		return b
	}
	var p []byte
	for _, s := range []string{"", "samples", "cpu", "x/y/p.a", "x/y/p.b", "x/y/p.(*c[go.shape.x/y]).f"} {
		p = field(p, 6, []byte(s))
	}
	p = field(p, 1, num(nil, 1, 1))
	p = field(p, 1, num(nil, 1, 2))
	for i := range uint64(3) {
		p = field(p, 5, num(num(nil, 1, i+1), 2, i+3))
	}
	line := func(f uint64) []byte { return num(nil, 1, f) }
	p = field(p, 4, field(field(num(nil, 1, 10), 4, line(2)), 4, line(1))) // b in a
	p = field(p, 4, field(num(nil, 1, 11), 4, line(3)))                    // c
	// b in a, called by c; c, which calls itself; b in a, alone.
	p = field(p, 2, field(field(nil, 1, packed(10, 11)), 2, packed(1, 100)))
	p = field(p, 2, field(field(nil, 1, packed(11, 11)), 2, packed(1, 20)))
	p = field(p, 2, num(num(num(nil, 1, 10), 2, 1), 2, 3)) // not packed
	return p
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadProfile(t *testing.T) {
	const a, b, c = "p.a", "p.b", "p.(*c[go.shape.x/y]).f"
	for _, x := range []struct {
		value, under string
		total        int64
		flat, cum    map[string]int64
	}{
		{"cpu", "", 123, map[string]int64{b: 103, c: 20}, map[string]int64{a: 103, b: 103, c: 120}},
		{"samples", "", 3, map[string]int64{b: 2, c: 1}, map[string]int64{a: 2, b: 2, c: 2}},
		{"cpu", c, 120, map[string]int64{b: 100, c: 20}, map[string]int64{a: 100, b: 100, c: 120}},
	} {
		got, err := readProfile(zipped(t, profileOf()), x.value, x.under)
		if err != nil {
			t.Fatal(err)
		}
		if got.total != x.total || !maps.Equal(got.flat, x.flat) || !maps.Equal(got.cum, x.cum) {
			t.Errorf("%s under %q: got %+v", x.value, x.under, got)
		}
	}

	all, _ := readProfile(zipped(t, profileOf()), "cpu", "")
	part, _ := readProfile(zipped(t, profileOf()), "cpu", c)
	if all.subtract(part); all.total != 3 || !maps.Equal(all.flat, map[string]int64{b: 3}) || !maps.Equal(all.cum, map[string]int64{a: 3, b: 3}) {
		t.Errorf("got %+v", all)
	}

	whole := zipped(t, profileOf())
	for name, bad := range map[string][]byte{
		"no gzip":   profileOf(),
		"cut":       whole[:len(whole)-9],
		"cut field": zipped(t, profileOf()[:len(profileOf())-1]),
		"bad field": zipped(t, append(profileOf(), 4<<3|2, 1, 0xff)),
	} {
		if _, err := readProfile(bad, "cpu", ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := readProfile(whole, "delay", ""); err == nil || !strings.Contains(err.Error(), "does not count delay") {
		t.Errorf("got %v", err)
	}
}
