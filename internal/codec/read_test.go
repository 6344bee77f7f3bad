package codec

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// readers returns the codecs that read JSON.
func readers(t *testing.T) (list []*Codec) {
	t.Helper()
	for _, name := range Names() {
		c, err := New(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Read != nil {
			list = append(list, c)
		}
	}
	return list
}

// messages returns what the library makes of Entries.
func messages(t *testing.T, entries [][]byte) (list [][]byte) {
	t.Helper()
	tr, err := cdcodec.New(cdcodec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		js, msgs, err := tr.Append(nil, nil, e, meta)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			list = append(list, js[m.Start:m.End])
		}
	}
	return list
}

// TestReadAgree has all who read JSON read messages of all kinds, twice and mixed, as
// they use memory again.
func TestReadAgree(t *testing.T) {
	codecs, truth := readers(t), Truth(Options{})
	want := []string{Ours, "sonic", "sonic-reused", JSON}
	if len(sonicReaders) == 0 {
		want = []string{Ours, JSON}
	}
	var got []string
	for _, c := range codecs {
		got = append(got, c.Name)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v read JSON, want %v", got, want)
	}
	var all [][]byte
	for _, c := range traffic(t) {
		all = append(all, messages(t, c.Entries)...)
	}
	more := slices.Clone(all)
	slices.Reverse(more)
	for i, m := range append(all, more...) {
		want, err := truth.Read(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range codecs {
			if got, err := c.Read(m); got != want || err != nil {
				t.Fatalf("%s: message %d: sum %#x, %v, want %#x\n%.500s", c.Name, i, got, err, want, m)
			}
		}
	}
}

const updateMessage = `{"data":[{"id":"1","name":"a\"b","note":null},{"id":"2","name":"","note":"x"}],"database":"d","es":5,"gtid":"","id":3,"isDdl":false,` +
	`"mysqlType":{"id":"bigint","name":"text","note":"text"},"old":[{"name":"c"},{"note":null}],"pkNames":["id"],"sql":"","sqlType":{"id":-5,"name":12,"note":12},` +
	`"table":"t","ts":7,"type":"UPDATE"}`

// TestReadTakesAll changes a message in each thing that is read: all of that must show
// in the sum, and the order of columns must not.
func TestReadTakesAll(t *testing.T) {
	changes := [][2]string{
		{``, ``}, {`"d"`, `"e"`}, {`"table":"t"`, `"table":"u"`}, {`"es":5`, `"es":6`}, {`"id":3`, `"id":4`}, {`"ts":7`, `"ts":8`},
		{`UPDATE`, `INSERT`}, {`UPDATE`, `DELETE`}, {`UPDATE`, `CREATE`},
		{`"id":"1"`, `"id":"9"`}, {`"id":"1","name"`, `"ix":"1","name"`}, {`"note":null}`, `"note":""}`}, {`"name":"","note":"x"`, `"name":null,"note":"x"`},
		{`a\"b`, `a\"bc`}, {`"name":"c"`, `"name":"d"`}, {`[{"name":"c"},`, `[{},`}, {`{"note":null}]`, `{}]`}, {`,"note":"x"`, ``},
		{`"1","name":"a\"b","note":null},{"id":"2","name":"","note":"x"`, `"1","name":"","note":"x"},{"id":"2","name":"a\"b","note":null`},
	}
	for _, c := range readers(t) {
		seen := map[uint64]string{}
		for _, x := range changes {
			m := strings.Replace(updateMessage, x[0], x[1], 1)
			if m == updateMessage && x[0] != "" {
				t.Fatalf("%s is not in the message", x[0])
			}
			s, err := c.Read([]byte(m))
			if err != nil {
				t.Fatalf("%s: %v in %s", c.Name, err, m)
			}
			if other, ok := seen[s]; ok {
				t.Errorf("%s: %q and %q have the same sum", c.Name, x[1], other)
			}
			seen[s] = cmp.Or(x[1], x[0], "nothing")
		}
		moved := strings.Replace(updateMessage, `"id":"2","name":"","note":"x"`, `"note":"x","id":"2","name":""`, 1)
		if s, err := c.Read([]byte(moved)); err != nil || seen[s] != "nothing" {
			t.Errorf("%s: the order of columns shows: %q, %v", c.Name, seen[s], err)
		}
	}
}

// TestReadBad: what is cut short is an error to all, and the next message works.
func TestReadBad(t *testing.T) {
	for _, c := range readers(t) {
		want, err := c.Read([]byte(updateMessage))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 20, len(updateMessage) / 2, len(updateMessage) - 1} {
			if _, err := c.Read([]byte(updateMessage[:n])); err == nil {
				t.Errorf("%s: no error for %d bytes of %d", c.Name, n, len(updateMessage))
			}
		}
		if got, err := c.Read([]byte(updateMessage)); got != want || err != nil {
			t.Errorf("%s: after errors: %#x, %v, want %#x", c.Name, got, err, want)
		}
	}
}

// TestReadAllocs: ours allocates nothing.
func TestReadAllocs(t *testing.T) {
	c, err := New(Ours, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"oltp", "wide"} {
		made, err := corpus.Make(name, 30, 1)
		if err != nil {
			t.Fatal(err)
		}
		list := messages(t, made.Entries)
		n := testing.AllocsPerRun(5, func() {
			for _, m := range list {
				_, _ = c.Read(m)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
