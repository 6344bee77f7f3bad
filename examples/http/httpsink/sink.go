package httpsink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
)

// What zero Options mean.
const (
	DefaultTimeout       = 30 * time.Second
	DefaultMaxRetryAfter = 5 * time.Minute
)

// Options say where batches go, and what they are. Only URL has to be set.
type Options struct {
	URL    string
	Header http.Header  // goes with each request: Authorization and the like
	Client *http.Client // nil: one of its own

	// Batch is the Pipeline's, for Content-Type and Content-Encoding.
	Batch batch.Options

	// Timeout is how long one try may take, the answer included; 0: DefaultTimeout.
	Timeout time.Duration

	// MaxRetryAfter is the longest that a receiver can make us wait; 0:
	// DefaultMaxRetryAfter.
	MaxRetryAfter time.Duration

	// Stream is what keys begin with. First is the number in the stream of the Pipeline's
	// record 0, after a restart.
	Stream string
	First  int64

	// Failed, if set, is told each error of Send, most of which are tried again.
	Failed func(error)
}

// Sink is a [batch.Sink] that POSTs.
type Sink struct {
	o      Options
	client http.Client
	header http.Header
}

// New returns a Sink. An error names the option that makes no sense.
func New(o Options) (*Sink, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("httpsink: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("httpsink: %q is no URL of HTTP", o.URL)
	}
	if strings.ContainsFunc(o.Stream, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return nil, fmt.Errorf("httpsink: Stream %q cannot be in a header", o.Stream)
	}
	for name, values := range o.Header { // or else each try would fail, for good
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) ||
			strings.ContainsFunc(strings.Join(values, ""), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, fmt.Errorf("httpsink: %q: %q is no header", name, values)
		}
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxRetryAfter == 0 {
		o.MaxRetryAfter = DefaultMaxRetryAfter
	}
	s := &Sink{o: o, header: o.Header.Clone()}
	if s.header == nil {
		s.header = http.Header{}
	}
	if o.Client != nil {
		s.client = *o.Client
	} else {
		s.client.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	more := s.client.CheckRedirect
	s.client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		switch {
		case r.Method != http.MethodPost: // the body would be lost
			return http.ErrUseLastResponse
		case more != nil:
			return more(r, via)
		case len(via) >= 10:
			return errors.New("httpsink: more than 10 redirects")
		}
		return nil
	}
	return s, s.describe(&o.Batch)
}

// describe sets the headers that tell what a body is.
func (s *Sink) describe(o *batch.Options) error {
	switch o.Frame {
	case batch.Lines:
		s.header.Set("Content-Type", "application/x-ndjson")
	case batch.Array:
		s.header.Set("Content-Type", "application/json")
	default:
		return fmt.Errorf("httpsink: there is no Content-Type for the frame %v", o.Frame)
	}
	switch o.Compress.Codec {
	case compress.None:
	case compress.Gzip, compress.Zstd:
		s.header.Set("Content-Encoding", o.Compress.Codec.String())
	default:
		return fmt.Errorf("httpsink: there is no Content-Encoding for %v", o.Compress.Codec)
	}
	return nil
}

// Close closes the connections that are kept open.
func (s *Sink) Close() { s.client.CloseIdleConnections() }

// Send implements [batch.Sink].
func (s *Sink) Send(ctx context.Context, b *batch.Batch) error {
	err := s.send(ctx, b)
	if err != nil && s.o.Failed != nil {
		s.o.Failed(fmt.Errorf("records %d to %d: %w", s.o.First+b.First, s.o.First+b.Last, err))
	}
	return err
}

func (s *Sink) send(ctx context.Context, b *batch.Batch) error {
	l := &lease{b: b}
	defer l.end()
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.Timeout, errTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.o.URL, nil)
	if err != nil {
		return batch.Permanent(err)
	}
	r.Header = s.header.Clone()
	r.Header.Set("Idempotency-Key", s.key(b))
	r.Body, _ = l.body()
	r.GetBody = l.body
	r.ContentLength = b.Size()
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return s.verdict(answer)
}

var errTimeout = errors.New("httpsink: there was no answer in time")

// key tells one batch from all others of the stream, see doc.go.
func (s *Sink) key(b *batch.Batch) string {
	var first batch.Message
	for first = range b.Messages() {
		break
	}
	return fmt.Sprintf(`"%s/%d-%d/%d.%d.%d/%d"`, s.o.Stream, s.o.First+b.First, s.o.First+b.Last, first.Entry, first.Row, first.Part, b.Len())
}

// Bounds of what is read of an answer, so that its connection can be used again, and of
// what is kept of it.
const (
	maxAnswer = 64 << 10
	maxText   = 512
)

// verdict reads the answer.
func (s *Sink) verdict(answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxText))
	if err == nil {
		_, err = io.CopyN(io.Discard, answer.Body, maxAnswer-maxText)
		if err == io.EOF {
			err = nil
		}
	}
	if answer.StatusCode/100 == 2 {
		if err != nil {
			return fmt.Errorf("httpsink: status %d, but the answer broke off: %w", answer.StatusCode, err)
		}
		return nil
	}
	failed := &StatusError{
		Status:     answer.StatusCode,
		RetryAfter: retryAfter(answer.Header.Get("Retry-After"), time.Now(), s.o.MaxRetryAfter),
		Text:       string(text),
	}
	if !failed.temporary() {
		failed.RetryAfter = 0
		return batch.Permanent(failed)
	}
	if failed.RetryAfter > 0 {
		return batch.After(failed, failed.RetryAfter)
	}
	return failed
}
