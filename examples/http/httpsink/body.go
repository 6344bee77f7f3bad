package httpsink

import (
	"errors"
	"io"
	"sync"

	"github.com/cdcodec/cdcodec/batch"
)

// lease is how long a batch may be read: until Send returns.
type lease struct {
	b *batch.Batch

	mu    sync.RWMutex
	ended bool
}

var errEnded = errors.New("httpsink: the body is read after its request has ended")

// body returns a body from the beginning, one for each try of net/http's own.
func (l *lease) body() (io.ReadCloser, error) { return &body{l: l, r: l.b.Reader()}, nil }

// end waits for the Reads there are, and lets no other begin.
func (l *lease) end() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
}

type body struct {
	l *lease
	r io.Reader
}

func (b *body) Read(p []byte) (int, error) {
	b.l.mu.RLock()
	defer b.l.mu.RUnlock()
	if b.l.ended {
		return 0, errEnded
	}
	return b.r.Read(p)
}

func (b *body) Close() error { return nil }
