package wire_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/*.want")

// TestGolden prints what a Reader finds in the messages of testdata/*.hex and
// compares it with the .want file beside each.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.hex")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".hex"), func(t *testing.T) {
			in := unhex(t, file)
			before := slices.Clone(in)
			got := describe(wire.NewMessage(in), "")
			if !slices.Equal(in, before) {
				t.Error("the input was written to")
			}

			wantFile := strings.TrimSuffix(file, ".hex") + ".want"
			if *update {
				if err := os.WriteFile(wantFile, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wantFile)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
			if bad := strings.HasPrefix(filepath.Base(file), "bad_"); bad != strings.Contains(got, "error: ") {
				t.Errorf("the name of the file says bad: %v; it reads as\n%s", bad, got)
			}
		})
	}
	wants, _ := filepath.Glob("testdata/*.want")
	if len(wants) != len(files) {
		t.Errorf("%d .want files for %d .hex files", len(wants), len(files))
	}
}

// unhex reads hex digits with white space between them, and a remark behind a
// # on each line.
func unhex(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	in, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return in
}

// describe prints a message, one line a field and then the error, if there is
// one. Package wire knows no schema; for these files, field 12 is a message, and
// field 13 is bytes that hold one, whose levels are counted anew.
func describe(m wire.Message, indent string) string {
	var b strings.Builder
	r := m.Reader()
	for r.Next() {
		fmt.Fprintf(&b, "%s@%d %d: ", indent, r.Offset, r.Tag.Number())
		switch r.Tag.Type() {
		case wire.Varint:
			fmt.Fprintf(&b, "varint %d\n", r.Int64())
		case wire.Fixed32:
			fmt.Fprintf(&b, "fixed32 %#x\n", r.Uint)
		case wire.Fixed64:
			fmt.Fprintf(&b, "fixed64 %#x\n", r.Uint)
		case wire.StartGroup:
			b.WriteString("group\n")
		case wire.Bytes:
			switch r.Tag.Number() {
			case 12:
				b.WriteString("message\n" + describe(r.Message(), indent+"    "))
			case 13:
				b.WriteString("embedded\n" + describe(r.Embedded(), indent+"    "))
			default:
				fmt.Fprintf(&b, "bytes %q\n", r.Bytes)
			}
		}
	}
	if err := r.Err(); err != nil {
		fmt.Fprintf(&b, "%serror: %v (field %d)\n", indent, err, err.Number)
	}
	return b.String()
}
