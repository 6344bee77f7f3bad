//go:build cdcdebug || race

package pool

import (
	"runtime"
	"sync"
	"weak"
)

// Debug tells whether this build poisons what is put back and checks who puts it: it does
// with -tags cdcdebug and under the race detector.
const Debug = true

// ledger knows of each buffer of a Pool that is still in memory whether it is lent.
type ledger struct {
	once sync.Once
	book *book
}

// book is apart from the Pool, as the cleanup of a buffer holds it: one that held the Pool
// would hold the buffers in it.
type book struct {
	mu   sync.Mutex
	lent map[weak.Pointer[Buffer]]bool
}

func (l *ledger) open() *book {
	l.once.Do(func() { l.book = &book{lent: map[weak.Pointer[Buffer]]bool{}} })
	return l.book
}

// get notes that b is lent.
func (l *ledger) get(b *Buffer) {
	k := l.open()
	w := weak.Make(b)
	k.mu.Lock()
	_, known := k.lent[w]
	k.lent[w] = true
	k.mu.Unlock()
	if !known {
		runtime.AddCleanup(b, k.forget, w)
	} else if !poisoned(b.B[:cap(b.B)]) {
		panic("pool: a Buffer was written to after its Put, by who still had a view of it")
	}
}

// put notes that b is back.
func (l *ledger) put(b *Buffer) {
	k := l.open()
	w := weak.Make(b)
	k.mu.Lock()
	lent, known := k.lent[w]
	if known {
		k.lent[w] = false
	}
	k.mu.Unlock()
	switch {
	case !known:
		panic("pool: Put of a Buffer that is not from this Pool")
	case !lent:
		panic("pool: Put of a Buffer that was put back before")
	}
}

func (k *book) forget(w weak.Pointer[Buffer]) {
	k.mu.Lock()
	delete(k.lent, w)
	k.mu.Unlock()
}

// poisoned tells whether b is as poison left it.
func poisoned(b []byte) bool {
	for _, c := range b {
		if c != poisonByte {
			return false
		}
	}
	return true
}
