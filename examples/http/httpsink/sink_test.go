package httpsink_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/examples/http/httpsink"
	"github.com/cdcodec/cdcodec/pool"
)

// serve starts a server of s, of HTTP/2 if so.
func (s *server) serve(h http.Handler) *httptest.Server {
	s.end = make(chan struct{})
	s.bodies = map[*http.Request]string{}
	ts := httptest.NewUnstartedServer(h)
	ts.Config.ErrorLog = log.New(io.Discard, "", 0)
	if s.http2 {
		ts.EnableHTTP2 = true
		ts.StartTLS()
	} else {
		ts.Start()
	}
	s.t.Cleanup(func() {
		close(s.end)
		ts.CloseClientConnections()
		ts.Close()
	})
	return ts
}

var header = http.Header{"X-Test": {"1"}}

// TestFailures: whatever the server does to a batch, all messages arrive in order, and none
// twice but after a failure.
func TestFailures(t *testing.T) {
	for name, a := range map[string]answer{
		"200": ok, "500": status(500), "503": status(503, "Retry-After", "0"), "408": status(408), "429": status(429, "Retry-After", "never"),
		"mid-body": midBody, "no answer": noAnswer, "reset": reset, "half": half, "slow": slow, "stalls": stalls, "closes": closes, "early": early,
	} {
		for _, http2 := range []bool{false, true} {
			t.Run(map[bool]string{false: "1.1/", true: "2/"}[http2]+name, func(t *testing.T) {
				t.Parallel()
				s := &server{t: t, http2: http2, encode: "zstd"}
				for range 3 {
					s.answers = append(s.answers, ok, a, ok, a, a)
				}
				ts := s.serve(s)
				buffers := new(pool.Pool)
				p := pipeline(buffers)
				p.Batch.Compress.Codec = compress.Zstd
				p.Batch.Frame = batch.Array
				records, bodies := traffic(t, 200, p.Convert)
				o := httpsink.Options{URL: ts.URL, Client: ts.Client(), Header: header, Batch: p.Batch, Timeout: time.Minute, Stream: "test"}
				isSlow := name == "slow" || name == "stalls"
				if isSlow {
					o.Timeout = 100 * time.Millisecond
				}
				if err := send(t.Context(), o, p, records); err != nil {
					t.Fatal(err)
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				s.check(p.Batch.Frame, bodies, isSlow)
				if s.tries < 15 || len(s.answers) > 0 {
					t.Errorf("%d tries, %d answers left", s.tries, len(s.answers))
				}
				if in := buffers.Stats().InUse; in != 0 {
					t.Errorf("%d buffers are out", in)
				}
			})
		}
	}
}

// TestRefused: there is no server at first, and for a while none in between.
func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s := &server{t: t, bodies: map[*http.Request]string{}}
	p := pipeline(nil)
	records, bodies := traffic(t, 300, p.Convert)
	done := make(chan error, 1)
	tried := make(chan struct{}, 1000)
	client := &http.Client{Transport: tell{tried}}
	go func() {
		done <- send(context.Background(), httpsink.Options{URL: "http://" + address, Client: client, Header: header, Batch: p.Batch}, p, records)
	}()
	for range 5 {
		<-tried
	}
	for range 3 {
		if l, err = net.Listen("tcp", address); err != nil {
			t.Skip("the port is taken: ", err)
		}
		hs := &http.Server{Handler: s}
		go hs.Serve(l)
		for range 8 {
			<-tried
		}
		if err := hs.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skip("the port is taken: ", err)
	}
	hs := &http.Server{Handler: s}
	go hs.Serve(l)
	defer hs.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s.check(batch.Lines, bodies, false)
}

// tell tells of each request.
type tell struct{ c chan struct{} }

func (t tell) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case t.c <- struct{}{}:
	default:
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestRetryAfter: the pause is as long as the server wants, and no longer than we bear.
func TestRetryAfter(t *testing.T) {
	s := &server{t: t, answers: []answer{status(429, "Retry-After", "1"), ok, status(503, "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"), status(503, "Retry-After", "99999999999999")}}
	ts := s.serve(s)
	p := pipeline(nil)
	p.Batch.MaxCount = 10
	records, bodies := traffic(t, 30, p.Convert)
	begin := time.Now()
	if err := send(t.Context(), httpsink.Options{URL: ts.URL, Header: header, Batch: p.Batch, MaxRetryAfter: 300 * time.Millisecond}, p, records); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 900*time.Millisecond {
		t.Errorf("it waited %v", took)
	}
	s.check(batch.Lines, bodies, false)
}

// TestRedirect: 307 and 308 get the body again, and what would lose it is an error.
func TestRedirect(t *testing.T) {
	s := &server{t: t, encode: "gzip"}
	mux := http.NewServeMux()
	mux.Handle("/307", http.RedirectHandler("/308", http.StatusTemporaryRedirect))
	mux.Handle("/308", http.RedirectHandler("/", http.StatusPermanentRedirect))
	for _, code := range []int{301, 302, 303} {
		mux.Handle(fmt.Sprint("/", code), http.RedirectHandler("/", code))
	}
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusTemporaryRedirect))
	mux.Handle("/", s)
	ts := s.serve(mux)
	p := pipeline(nil)
	p.Batch.Compress.Codec = compress.Gzip
	p.Retry.Tries = 2
	records, bodies := traffic(t, 100, p.Convert)
	o := httpsink.Options{URL: ts.URL + "/307", Header: header, Batch: p.Batch}
	if err := send(t.Context(), o, p, records); err != nil {
		t.Fatal(err)
	}
	s.check(batch.Lines, bodies, false)
	for _, code := range []int{301, 302, 303} {
		o.URL = fmt.Sprint(ts.URL, "/", code)
		err := send(t.Context(), o, p, records)
		var failed *httpsink.StatusError
		var sent *batch.SendError
		if !errors.As(err, &failed) || failed.Status != code || !errors.As(err, &sent) || sent.Tries != 1 {
			t.Errorf("%d: %v", code, err)
		}
	}
	o.URL = ts.URL + "/loop"
	if err := send(t.Context(), o, p, records); err == nil || !strings.Contains(err.Error(), "more than 10 redirects") {
		t.Error(err)
	}
}

// TestPermanent: what cannot be mended is not tried again.
func TestPermanent(t *testing.T) {
	for _, code := range []int{300, 304, 400, 401, 404, 413, 422} {
		s := &server{t: t, answers: []answer{ok, status(code, "Retry-After", "1")}}
		ts := s.serve(s)
		p := pipeline(nil)
		p.Batch.MaxCount = 5
		records, _ := traffic(t, 30, p.Convert)
		var told []error
		o := httpsink.Options{URL: ts.URL, Header: header, Batch: p.Batch, Failed: func(err error) { told = append(told, err) }}
		err := send(t.Context(), o, p, records)
		var failed *httpsink.StatusError
		if !errors.As(err, &failed) || failed.Status != code || code >= 400 && failed.Text != "not today" || s.tries != 2 || len(told) != 1 || !errors.As(told[0], &failed) {
			t.Errorf("%d: %v, %d tries", code, err, s.tries)
		}
	}
}

// TestContext: a Pipeline that is given up does not wait for a server that hangs.
func TestContext(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for name, a := range map[string]answer{"slow": slow, "stalls": stalls, "Retry-After": status(503, "Retry-After", "3600")} {
			s := &server{t: t, http2: http2, answers: []answer{a}}
			ts := s.serve(s)
			ctx, cancel := context.WithCancel(t.Context())
			p := pipeline(nil)
			records, _ := traffic(t, 100, p.Convert)
			stop := time.AfterFunc(50*time.Millisecond, cancel)
			err := send(ctx, httpsink.Options{URL: ts.URL, Client: ts.Client(), Header: header, Batch: p.Batch, MaxRetryAfter: time.Hour}, p, records)
			stop.Stop()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestBodyEnds: net/http still reads the body of a request that has been answered. What is
// in the batch's memory by then is not sent.
func TestBodyEnds(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s := &server{t: t, http2: http2}
		ts := s.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
		}))
		buffers := new(pool.Pool)
		p := pipeline(buffers)
		p.Batch.MaxBytes = 4 << 20
		records, _ := traffic(t, 3000, p.Convert)
		if err := send(t.Context(), httpsink.Options{URL: ts.URL, Client: ts.Client(), Header: header, Batch: p.Batch}, p, records); err != nil && !http2 {
			t.Log(err) // the connection broke before the answer came
		}
		if in := buffers.Stats().InUse; in != 0 {
			t.Errorf("%d buffers are out", in)
		}
	}
}

// TestKeys: each batch has a key of its own, also where one record is many.
func TestKeys(t *testing.T) {
	s := &server{t: t, answers: []answer{ok, noAnswer, ok, noAnswer}}
	ts := s.serve(s)
	p := pipeline(nil)
	p.Batch.MaxCount = 1
	p.Convert.JSON.OneRow = true
	records, bodies := traffic(t, 100, p.Convert)
	if err := send(t.Context(), httpsink.Options{URL: ts.URL, Header: header, Batch: p.Batch, Stream: "orders", First: 1000}, p, records); err != nil {
		t.Fatal(err)
	}
	s.check(batch.Lines, bodies, false)
	if k := s.taken[0].key; !strings.HasPrefix(k, `"orders/10`) || !strings.HasSuffix(k, `/0.0.0/1"`) {
		t.Error(k)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []httpsink.Options{
		{}, {URL: "ftp://host"}, {URL: "http://"}, {URL: "http://host\x00"}, {URL: "http://host", Stream: `"`},
		{URL: "http://host", Header: http.Header{"A": {"b\nc"}}},
		{URL: "http://host", Header: http.Header{"A b": {""}}},
		{URL: "http://host", Header: http.Header{"": {""}}},
		{URL: "http://host", Batch: batch.Options{Frame: batch.Uvarint}},
		{URL: "http://host", Batch: batch.Options{Compress: compress.Options{Codec: compress.LZ4}}},
	} {
		if _, err := httpsink.New(o); err == nil {
			t.Errorf("%+v is good", o)
		}
	}
}
