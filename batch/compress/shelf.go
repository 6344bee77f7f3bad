package compress

import "sync"

// shelf keeps things that are dear to make, and lets no more than a number of them be in
// use. The one that came back last goes out first, so that those are made that are needed.
type shelf[T any] struct {
	slots chan struct{} // as full as things are out
	make  func() (T, error)

	mu     sync.Mutex
	idle   []T
	closed bool
}

func newShelf[T any](bound int, make_ func() (T, error)) *shelf[T] {
	return &shelf[T]{slots: make(chan struct{}, bound), make: make_, idle: make([]T, 0, bound)}
}

// take waits until there is one. Who gets one without an error gives it back.
func (s *shelf[T]) take() (thing T, err error) {
	s.slots <- struct{}{}
	s.mu.Lock()
	closed, found := s.closed, false
	if n := len(s.idle); n > 0 && !closed {
		thing, found = s.idle[n-1], true
		s.idle = s.idle[:n-1]
	}
	s.mu.Unlock()
	switch {
	case closed:
		err = ErrClosed
	case !found:
		thing, err = s.make()
	}
	if err != nil {
		<-s.slots
	}
	return thing, err
}

func (s *shelf[T]) give(thing T) {
	s.mu.Lock()
	s.idle = append(s.idle, thing)
	s.mu.Unlock()
	<-s.slots
}

// close waits for those that are out and ends them all.
func (s *shelf[T]) close(end func(T)) {
	s.mu.Lock()
	before := s.closed
	s.closed = true
	s.mu.Unlock()
	if before {
		return
	}
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	s.mu.Lock()
	for _, thing := range s.idle {
		end(thing)
	}
	s.idle = nil
	s.mu.Unlock()
	for range cap(s.slots) {
		<-s.slots // who waits is to learn that it is closed
	}
}
