package jsonfiles

import (
	"os"
	"path/filepath"
)

// FS is what a [Dir] asks of its directory. Names are those of files in it. Errors for a
// file that is not there are fs.ErrNotExist, as package os has them.
type FS interface {
	// OpenFile is os.OpenFile, for reading and writing; with create it makes a file
	// that is not there.
	OpenFile(name string, create bool) (File, error)
	ReadFile(name string) ([]byte, error)
	Rename(from, to string) error // in one step, over what to was
	Names() ([]string, error)
	Sync() error // makes new files and names last
}

// File is an open file.
type File interface {
	WriteAt(p []byte, at int64) (int, error)
	Truncate(size int64) error
	Size() (int64, error)
	Sync() error // makes what is in it last
	Close() error
}

// OS returns the directory of that path.
func OS(path string) FS { return osDir(path) }

type osDir string

func (d osDir) path(name string) string { return filepath.Join(string(d), name) }

func (d osDir) OpenFile(name string, create bool) (File, error) {
	flag := os.O_RDWR
	if create {
		flag |= os.O_CREATE
	}
	f, err := os.OpenFile(d.path(name), flag, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d osDir) ReadFile(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

func (d osDir) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }

func (d osDir) Names() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (d osDir) Sync() error { return syncDir(string(d)) }

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
