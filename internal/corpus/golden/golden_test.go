package golden

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.String("update", "", "rebuild golden.zip from this `folder`, which has entry, packet, message, partition and random in it")

// TestMain rebuilds the zip where that is asked for, and then tests the new
// one:
//
//	go test ./internal/corpus/golden -update FOLDER
func TestMain(m *testing.M) {
	flag.Parse()
	if *update != "" {
		var err error
		if packed, err = pack(*update); err == nil {
			err = os.WriteFile("golden.zip", packed, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// pack makes a zip of what is in dir, the same one for the same files: names
// in order, no times, one level of compression.
func pack(dir string) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, pattern := range []string{
		"entry/*.bin", "entry/*.json", "entry/index.tsv",
		"message/*.json", "message/*.stream", "message/index.tsv",
		"partition/*.bin", "partition/*.tsv",
		"packet/*.bin", "packet/*.json", "packet/index.tsv",
		"random/*.jsonl", "random/*.stream",
	} {
		paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		slices.Sort(paths)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(dir, p)
			if err != nil {
				return nil, err
			}
			f, err := w.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate})
			if err != nil {
				return nil, err
			}
			if _, err := f.Write(text); err != nil {
				return nil, err
			}
		}
	}
	err := w.Close()
	return buf.Bytes(), err
}

// TestNoneLost counts the cases, so that none goes missing on the way.
func TestNoneLost(t *testing.T) {
	for _, c := range []struct {
		set                         string
		cases                       []Case
		want, bad, standard, silent int
	}{
		{"entry", Entries(), 284, 89, 9, 0},
		{"packet", Packets(), 28, 8, 0, 0},
		{"message", Messages(), 10, 3, 0, 1},
		{"random", Random(), 2000 + 1500, 1717, 0, 3500},
	} {
		var bad, standard, silent int
		for _, k := range c.cases {
			if k.IsError() {
				bad++
			}
			if k.Law == "standard" {
				standard++
			}
			if k.Shows == "" {
				silent++
			}
		}
		if len(c.cases) != c.want || bad != c.bad || standard != c.standard || silent != c.silent {
			t.Errorf("%s: %d cases, %d bad, %d by the standard, %d without a remark; want %d, %d, %d, %d",
				c.set, len(c.cases), bad, standard, silent, c.want, c.bad, c.standard, c.silent)
		}
	}
}

// TestPartitions counts the rows and hashes likewise.
func TestPartitions(t *testing.T) {
	names, whole := map[string]bool{}, 0
	for _, p := range Partitions() {
		names[p.Name] = true
		if p.Row < 0 {
			whole++
		}
		if p.Want < 0 || int(p.Want) >= p.Partitions {
			t.Errorf("%+v", p)
		}
	}
	if n := len(Partitions()); n != 3000 || len(names) != 10 || whole != 43 {
		t.Errorf("%d rows, %d of them whole messages, of %d Entries", n, whole, len(names))
	}
	if n := len(Hashes()); n != 19 {
		t.Errorf("%d hashes", n)
	}
}

func TestShape(t *testing.T) {
	for _, set := range [][]Case{Entries(), Packets(), Messages(), Random()} {
		names := make(map[string]bool)
		for _, c := range set {
			if c.Name == "" || names[c.Name] {
				t.Errorf("%q: empty or second name", c.Name)
			}
			names[c.Name] = true
			var messages []map[string]any
			if !c.IsError() && json.Unmarshal(c.Want, &messages) != nil {
				t.Errorf("%s: the answer is neither messages nor an error: %s", c.Name, c.Want)
			}
			if bytes.ContainsAny(c.Want, "\r\n") {
				t.Errorf("%s: the answer is more than a line", c.Name)
			}
		}
	}
	for _, set := range [][]Case{Entries(), Packets(), Random()} {
		for _, c := range set {
			if len(c.Records) != 1 {
				t.Errorf("%s: %d records", c.Name, len(c.Records))
			}
		}
	}
	byName := func(a, b Case) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(Entries(), byName) {
		t.Error("entries are not in the order of their names")
	}
}

// TestKnown looks at one case of each kind from the outside.
func TestKnown(t *testing.T) {
	find := func(set []Case, name string) Case {
		for _, c := range set {
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no case %s", name)
		return Case{}
	}
	c := find(Entries(), "insert_0rows")
	if c.Law != "canal" || c.Shows != "INSERT without rowDatas: data,sqlType,mysqlType,pkNames all null" ||
		!bytes.Contains(c.Want, []byte(`"data":null`)) {
		t.Errorf("%+v", c)
	}
	if c := find(Packets(), "body_empty"); string(c.Want) != "[]" {
		t.Errorf("%+v", c)
	}
	if c := find(Messages(), "two_bad"); len(c.Records) != 2 || !c.IsError() {
		t.Errorf("%+v", c)
	}
	if c := find(Random(), "mutated/1999"); len(c.Want) == 0 {
		t.Errorf("%+v", c)
	}
}
