//go:build cdcdebug || race

package pool

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// panics returns what f panics with.
func panics(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return ""
}

// TestPoison: a view that lives on shows, whatever part of the buffer it has.
func TestPoison(t *testing.T) {
	for _, size := range []int{1, 100, 512, 5000, 2 << 20} {
		p := Pool{MaxKept: 1 << 20}
		b := p.GetSize(size)
		b.B = append(b.B, "views"...)
		all := b.B[:cap(b.B)]
		p.Put(b)
		if !poisoned(all) {
			t.Errorf("size %d: %x…", size, all[:min(16, len(all))])
		}
	}
	if poisoned([]byte{poisonByte, 0}) || !poisoned(nil) {
		t.Error("poisoned")
	}
}

func TestBrokenRules(t *testing.T) {
	var p, other Pool
	b := p.Get()
	p.Put(b)
	if text := panics(func() { p.Put(b) }); !strings.Contains(text, "put back before") {
		t.Errorf("put twice: %q", text)
	}
	big := p.GetSize(DefaultMaxKept + 1)
	p.Put(big)
	if text := panics(func() { p.Put(big) }); !strings.Contains(text, "put back before") {
		t.Errorf("a dropped one put twice: %q", text)
	}
	if text := panics(func() { p.Put(new(Buffer)) }); !strings.Contains(text, "not from this Pool") {
		t.Errorf("of no pool: %q", text)
	}
	if text := panics(func() { p.Put(other.Get()) }); !strings.Contains(text, "not from this Pool") {
		t.Errorf("of another: %q", text)
	}
	if s := p.Stats(); s.Puts != 2 || s.InUse != 0 {
		t.Errorf("a refused Put counts: %+v", s)
	}
}

// TestWrittenAfterPut: under the race detector sync.Pool does not keep everything, so
// that it may take a few.
func TestWrittenAfterPut(t *testing.T) {
	var p Pool
	for range 100 {
		b := p.Get()
		view := append(b.B, "xyz"...)
		p.Put(b)
		view[1] = 'Y'
		if text := panics(func() { p.Get() }); strings.Contains(text, "written to after its Put") {
			return
		}
	}
	t.Error("nobody noticed")
}

// TestForgets: the ledger does not grow with buffers that are gone, put back or not.
func TestForgets(t *testing.T) {
	var p Pool
	for i := range 2000 {
		if b := p.Get(); i%2 == 0 {
			p.Put(b)
		}
	}
	left := 0
	for range 100 {
		runtime.GC()
		k := p.ledger.open()
		k.mu.Lock()
		left = len(k.lent)
		k.mu.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d buffers are remembered", left)
}
