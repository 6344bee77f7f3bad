package httpsink_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/examples/http/httpsink"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/pool"
)

// answer is what the server does with one request. It reports whether it has taken
// the batch.
type answer func(s *server, w http.ResponseWriter, r *http.Request) (taken bool)

func ok(s *server, w http.ResponseWriter, r *http.Request) bool {
	s.read(r)
	w.WriteHeader(http.StatusNoContent)
	return true
}

func status(code int, header ...string) answer {
	return func(s *server, w http.ResponseWriter, r *http.Request) bool {
		s.read(r)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, "not today")
		return false
	}
}

// midBody closes the connection, or resets the stream, with half of the body read.
func midBody(s *server, w http.ResponseWriter, r *http.Request) bool {
	_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
	panic(http.ErrAbortHandler)
}

// noAnswer takes the batch and gives no answer.
func noAnswer(s *server, w http.ResponseWriter, r *http.Request) bool {
	s.read(r)
	s.take(r, true)
	panic(http.ErrAbortHandler)
}

// reset is noAnswer with a TCP reset.
func reset(s *server, w http.ResponseWriter, r *http.Request) bool {
	s.read(r)
	s.take(r, true)
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
	return false
}

// half takes the batch and gives half an answer.
func half(s *server, w http.ResponseWriter, r *http.Request) bool {
	s.read(r)
	s.take(r, true)
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, "accepted, ")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// slow takes the batch, and gives no answer as long as anybody listens.
func slow(s *server, w http.ResponseWriter, r *http.Request) bool {
	s.read(r)
	s.take(r, true)
	select {
	case <-r.Context().Done():
	case <-s.end:
	}
	return false
}

// stalls reads a little of the body, and no more.
func stalls(s *server, w http.ResponseWriter, r *http.Request) bool {
	_, _ = io.CopyN(io.Discard, r.Body, 10)
	select {
	case <-r.Context().Done():
	case <-s.end:
	}
	return false
}

// closes takes the batch and closes the connection in good order.
func closes(s *server, w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Connection", "close")
	return ok(s, w, r)
}

// early answers before it has read the body, which it never does.
func early(s *server, w http.ResponseWriter, r *http.Request) bool {
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = http.NewResponseController(w).Flush()
	return false
}

// server takes batches, and has an answer for each request; ok when these are used up.
type server struct {
	t       *testing.T
	end     chan struct{}
	http2   bool
	mu      sync.Mutex
	answers []answer
	bodies  map[*http.Request]string
	taken   []batchOf
	tries   int
	encode  string
}

// batchOf is a batch as it was taken.
type batchOf struct {
	key, body string
	lost      bool // its sender cannot know that it was taken
}

func (s *server) read(r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("the body: %v", err)
		return
	}
	if r.ContentLength != int64(len(raw)) || len(r.TransferEncoding) > 0 {
		s.t.Errorf("Content-Length %d of %d bytes, %q", r.ContentLength, len(raw), r.TransferEncoding)
	}
	if r.Method != "POST" || r.Header.Get("Content-Encoding") != s.encode || r.Header.Get("X-Test") != "1" || r.ProtoAtLeast(2, 0) != s.http2 {
		s.t.Errorf("%s, %v", r.Proto, r.Header)
	}
	in := io.Reader(bytes.NewReader(raw))
	switch s.encode {
	case "gzip":
		in, err = gzip.NewReader(in)
	case "zstd":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in); err == nil {
			defer z.Close()
			in = z
		}
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(in)
	}
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	s.bodies[r] = string(text)
	s.mu.Unlock()
}

func (s *server) take(r *http.Request, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, batchOf{r.Header.Get("Idempotency-Key"), s.bodies[r], lost})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.tries++
	a := ok
	if len(s.answers) > 0 {
		a, s.answers = s.answers[0], s.answers[1:]
	}
	s.mu.Unlock()
	if a(s, w, r) {
		s.take(r, r.Context().Err() != nil)
	}
}

var meta = fastjson.Meta{ID: 1, TS: 1700000000000}

// traffic returns records, and the messages they become.
func traffic(t testing.TB, n int, o cdcodec.Options) (records [][]byte, bodies []string) {
	t.Helper()
	c, err := corpus.Make("stream", n, 3)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := cdcodec.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Entries {
		js, msgs, err := tr.Append(nil, nil, e, meta)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			bodies = append(bodies, string(js[m.Start:m.End]))
		}
	}
	return c.Entries, bodies
}

// send sends records through a Pipeline.
func send(ctx context.Context, o httpsink.Options, p batch.PipelineOptions, records [][]byte) error {
	sink, err := httpsink.New(o)
	if err != nil {
		return err
	}
	defer sink.Close()
	p.Sink = sink
	pipe, err := batch.NewPipeline(ctx, p)
	if err != nil {
		return err
	}
	for _, r := range records {
		if _, err := pipe.Submit(ctx, batch.Record{Value: r, Meta: meta}); err != nil {
			break
		}
	}
	return pipe.Close(ctx)
}

// messages takes a body apart.
func messages(t *testing.T, f batch.Frame, body string) (all []string) {
	t.Helper()
	if f == batch.Array {
		var list []json.RawMessage
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			all = append(all, string(m))
		}
		return all
	}
	for l := range strings.Lines(body) {
		all = append(all, strings.TrimSuffix(l, "\n"))
	}
	return all
}

// check holds what the server took to the messages: each one, in order, and none twice
// unless the sender could not know that it was taken; then the batch comes again, with
// its key. Where it was only slow, what came first can be taken last.
func (s *server) check(f batch.Frame, bodies []string, isSlow bool) {
	s.t.Helper()
	keys := map[string]string{}
	var got []string
	for i, b := range s.taken {
		first, again := keys[b.key]
		switch {
		case !again:
			keys[b.key] = b.body
			got = append(got, messages(s.t, f, b.body)...)
		case first != b.body:
			s.t.Errorf("two batches have the key %s", b.key)
		case !isSlow && (s.taken[i-1].key != b.key || !s.taken[i-1].lost):
			s.t.Errorf("batch %d, %s, comes twice", i, b.key)
		}
	}
	if len(got) != len(bodies) {
		s.t.Fatalf("%d of %d messages", len(got), len(bodies))
	}
	for i := range got {
		if got[i] != bodies[i] {
			s.t.Fatalf("message %d is another one", i)
		}
	}
}

var patient = batch.Retry{Tries: -1, Initial: time.Millisecond, Max: 5 * time.Millisecond}

func pipeline(p *pool.Pool) batch.PipelineOptions {
	var o batch.PipelineOptions
	o.Batch.Pool = p
	o.Batch.MaxBytes = 8 << 10
	o.Retry = patient
	return o
}
