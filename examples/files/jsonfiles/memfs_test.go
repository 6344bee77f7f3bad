package jsonfiles_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cdcodec/cdcodec/examples/files/jsonfiles"
)

var (
	errDisk  = errors.New("the disk has an error")
	errCrash = errors.New("the machine is down")
)

// disk is a directory in memory that knows what would be there after a power cut. It
// can fail at any operation: before it, after it, or half way.
type disk struct {
	t *testing.T
	r *rand.Rand

	mu      sync.Mutex
	names   map[string]*inode
	lasting map[string]*inode // after the last Sync of the directory
	pending []func(map[string]*inode)
	ops     int    // done so far
	fail    int    // number of the operation that fails; -1: none
	always  string // the operation that always fails
	crash   bool
	down    bool
	failed  string // the operation that did
}

type inode struct {
	data, lasting []byte
}

func newDisk(t *testing.T, r *rand.Rand) *disk {
	return &disk{t: t, r: r, names: map[string]*inode{}, lasting: map[string]*inode{}, fail: -1}
}

// op is called with d.mu held: it does the operation, unless that is to fail. half may
// do a part of it.
func (d *disk) op(name string, do func() error, half func()) error {
	if d.down {
		return errCrash
	}
	d.ops++
	if d.always == name {
		return errDisk
	}
	if d.ops-1 != d.fail {
		return do()
	}
	d.failed = name
	switch d.r.IntN(3) {
	case 0:
		_ = do()
	case 1:
		half()
	}
	if d.crash {
		d.down = true
		return errCrash
	}
	return errDisk
}

// restart is what is there after a power cut: what was synced, and of the rest a part,
// by chance.
func (d *disk) restart() {
	for _, p := range d.pending {
		if d.r.IntN(2) == 0 {
			p(d.lasting)
		}
	}
	d.pending = nil
	d.names = map[string]*inode{}
	for name, f := range d.lasting {
		f.cut(d.r)
		d.names[name] = f
	}
	d.down, d.fail = false, -1
}

// cut leaves of what was not synced what chance wants.
func (f *inode) cut(r *rand.Rand) {
	if slices.Equal(f.data, f.lasting) {
		return
	}
	same := f.same()
	switch r.IntN(4) {
	case 0:
		f.data = slices.Clone(f.lasting)
	case 1: // the length was written, but not all that is in it
		clear(f.data[same+r.IntN(len(f.data)-same+1):])
	case 2:
		if len(f.data) > same {
			f.data = f.data[:same+r.IntN(len(f.data)-same)]
		}
	}
	f.lasting = slices.Clone(f.data)
}

// same returns how many bytes are as they were synced.
func (f *inode) same() int {
	n := 0
	for n < min(len(f.data), len(f.lasting)) && f.data[n] == f.lasting[n] {
		n++
	}
	return n
}

func (d *disk) OpenFile(name string, create bool) (jsonfiles.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var f *inode
	err := d.op("open "+name, func() error {
		if f = d.names[name]; f == nil {
			if !create {
				return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			f = &inode{}
			d.names[name] = f
			d.pending = append(d.pending, func(m map[string]*inode) { m[name] = f })
		}
		return nil
	}, func() {})
	if err != nil {
		return nil, err
	}
	return &handle{d: d, f: f, name: name}, nil
}

func (d *disk) ReadFile(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.names[name]; f != nil {
		return slices.Clone(f.data), nil
	}
	return nil, fs.ErrNotExist
}

func (d *disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.op("rename "+from, func() error {
		f := d.names[from]
		if f == nil {
			return fs.ErrNotExist
		}
		if strings.HasSuffix(from, ".part") && (!slices.Equal(f.data, f.lasting) || d.names[to] != nil) {
			d.t.Errorf("%s gets its final name before it is synced, or over another", from)
		}
		move := func(m map[string]*inode) {
			if m[from] == f {
				delete(m, from)
			}
			m[to] = f
		}
		move(d.names)
		d.pending = append(d.pending, move)
		return nil
	}, func() {})
}

func (d *disk) Names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name := range d.names {
		names = append(names, name)
	}
	return names, nil
}

func (d *disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	sync := func() error {
		for _, p := range d.pending {
			p(d.lasting)
		}
		d.pending = nil
		return nil
	}
	return d.op("sync the directory", sync, func() {})
}

// handle is an open file.
type handle struct {
	d      *disk
	f      *inode
	name   string
	closed bool
}

func (h *handle) op(name string, do func(), half func()) error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.closed {
		h.d.t.Errorf("%s of %s, which is closed", name, h.name)
	}
	if name != "close" && name != "size" && !strings.HasSuffix(h.name, ".part") && !strings.HasPrefix(h.name, "state") {
		h.d.t.Errorf("%s of %s, which is finished", name, h.name)
	}
	return h.d.op(name+" "+h.name, func() error { do(); return nil }, half)
}

func (h *handle) WriteAt(p []byte, at int64) (n int, err error) {
	write := func(p []byte) {
		if grow := int(at) + len(p) - len(h.f.data); grow > 0 {
			h.f.data = append(h.f.data, make([]byte, grow)...)
		}
		n = copy(h.f.data[at:], p)
	}
	err = h.op("write", func() { write(p) }, func() { write(p[:len(p)/2]) })
	return n, err
}

func (h *handle) Truncate(size int64) error {
	return h.op("truncate", func() {
		if int(size) > len(h.f.data) {
			h.d.t.Errorf("%s is made longer", h.name)
		}
		h.f.data = slices.Clone(h.f.data[:size])
	}, func() {})
}

func (h *handle) Size() (int64, error) {
	var n int64
	err := h.op("size", func() { n = int64(len(h.f.data)) }, func() {})
	return n, err
}

func (h *handle) Sync() error {
	return h.op("sync", func() { h.f.lasting = slices.Clone(h.f.data) }, func() {
		old := h.f.same() // what is behind is written by half, and the rest forgotten
		n := old + (len(h.f.data)-old)/2
		h.f.lasting = slices.Clone(h.f.data[:n])
		clear(h.f.data[n:])
	})
}

func (h *handle) Close() error {
	err := h.op("close", func() {}, func() {})
	h.closed = true
	return err
}
