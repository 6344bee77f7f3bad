package claimcheck_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/fastjson/claimcheck"
)

var _ fastjson.ClaimStore = claimcheck.Dir("")

// TestPut keeps messages of several sizes, some of them equal: each has its own file
// with just its bytes, and nothing else is in the directory.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	name := regexp.MustCompile(`^[0-9a-f]{32}\.json$`)
	seen := map[string]bool{}
	for _, message := range []string{"", "{}", "{}", strings.Repeat("x", 1<<20)} {
		location, err := claimcheck.Dir(dir).Put([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(location) != dir || !name.MatchString(filepath.Base(location)) || seen[location] {
			t.Errorf("location is %q", location)
		}
		seen[location] = true
		got, err := os.ReadFile(location)
		if err != nil || string(got) != message {
			t.Errorf("%d bytes kept of %d, %v", len(got), len(message), err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(seen) {
		t.Errorf("%d files for %d messages, %v", len(files), len(seen), err)
	}
}

// TestPutFails has no directory to write to.
func TestPutFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	location, err := claimcheck.Dir(dir).Put([]byte("{}"))
	if location != "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v", location, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory has been made: %v", err)
	}
}

// TestPutAtOnce has many goroutines write, and one look whether it ever sees a file
// that is not whole.
func TestPutAtOnce(t *testing.T) {
	dir := t.TempDir()
	message := bytes.Repeat([]byte("0123456789"), 10_000)
	whole := func() (n int) {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Error(err)
		}
		for _, file := range files {
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, message) {
				t.Errorf("%s has %d bytes of %d, %v", file, len(got), len(message), err)
			}
		}
		return len(files)
	}
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 5 {
				if _, err := claimcheck.Dir(dir).Put(message); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		writers.Wait()
		close(done)
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		default:
		}
		whole()
	}
	if n := whole(); n != 40 {
		t.Errorf("%d files, want 40", n)
	}
}

// A row that is too large for its topic: what is sent says where the message is.
func ExampleDir() {
	dir, err := os.MkdirTemp("", "claims")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	w, err := fastjson.NewWriter(fastjson.Options{
		Dialect: fastjson.TiCDC,
		TiCDC: fastjson.TiCDCOptions{
			Extension: true, MaxMessage: 1000,
			Large: fastjson.ClaimCheck, Claims: claimcheck.Dir(dir),
		},
	})
	if err != nil {
		panic(err)
	}
	ev := change.Event{Type: change.Insert, Database: []byte("shop"), Table: []byte("notes"), Rows: change.NewList(change.Row{
		After: []change.Column{
			{Name: []byte("id"), Value: []byte("7"), MySQLType: []byte("int"), Key: true},
			{Name: []byte("text"), Value: bytes.Repeat([]byte("long "), 1000), MySQLType: []byte("text")},
		},
	})}
	stub, err := w.AppendEvent(nil, &ev, fastjson.Meta{TS: 1700000000000})
	if err != nil {
		panic(err)
	}

	// Who reads the stub finds the message by it.
	var read struct {
		Data []map[string]string `json:"data"`
		TiDB struct {
			Location string `json:"claimCheckLocation"`
		} `json:"_tidb"`
	}
	if err := json.Unmarshal(stub, &read); err != nil {
		panic(err)
	}
	fmt.Println("sent:", read.Data)
	message, err := os.ReadFile(read.TiDB.Location)
	if err == nil {
		err = json.Unmarshal(message, &read)
	}
	fmt.Println("kept:", len(read.Data[0]), "columns, text of", len(read.Data[0]["text"]), "bytes,", err)
	// Output:
	// sent: [map[id:7]]
	// kept: 2 columns, text of 5000 bytes, <nil>
}
