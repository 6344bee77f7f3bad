package cdcodec_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFloors holds the table of CONTRIBUTING.md, which package may import which, to
// what they import: each package has a row, and imports nothing that is not in it.
func TestFloors(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| package | may import, of ours |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	names := regexp.MustCompile("`([^`]+)`")
	type row struct {
		all     bool
		imports []string
	}
	rows := map[string]row{} // a name that ends with "…" is that of all packages that begin so
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(line, "|")
		r := row{all: strings.Contains(cells[2], "everything")}
		for _, m := range names.FindAllStringSubmatch(cells[2], -1) {
			r.imports = append(r.imports, m[1])
		}
		for _, m := range names.FindAllStringSubmatch(cells[1], -1) {
			rows[m[1]] = r
		}
	}
	matches := func(pattern, path string) bool {
		prefix, isPrefix := strings.CutSuffix(pattern, "…")
		return pattern == path || isPrefix && strings.HasPrefix(path+"/", prefix)
	}
	checked := 0
	check := func(pkg, file string) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		var r row
		found := false
		for pattern, candidate := range rows {
			if matches(pattern, pkg) {
				r, found = candidate, true
			}
		}
		if !found {
			t.Errorf("CONTRIBUTING.md does not say what %s may import", pkg)
		}
		for _, spec := range parsed.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			ours, isOurs := strings.CutPrefix(path, "github.com/cdcodec/cdcodec/")
			allowed := r.all || !isOurs
			for _, pattern := range r.imports {
				allowed = allowed || matches(pattern, ours)
			}
			if !allowed {
				t.Errorf("%s imports %s", file, ours)
			}
			checked++
		}
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != "." && (err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir // another module, or none
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			check(filepath.ToSlash(filepath.Dir(path)), path)
		}
		return nil
	})
	if err != nil || checked < 100 || len(rows) < 15 {
		t.Errorf("%v; %d imports and %d packages were looked at", err, checked, len(rows))
	}
}
