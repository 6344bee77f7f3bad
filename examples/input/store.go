package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cdcodec/cdcodec/batch"
)

// Store keeps a Position in a small file. It is for sinks that have no better place for
// it: one that can write it in one step with the messages.
type Store struct {
	path  string
	at    Position
	saved time.Time
}

// saveEvery is how far the file may be behind.
const saveEvery = time.Second

// OpenStore reads the Position in that file; if there is none, it is the zero one. With an
// empty path nothing is kept.
func OpenStore(path string) (*Store, error) {
	s := &Store{path: path}
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s.at)
	}
	if err != nil {
		return nil, fmt.Errorf("position in %s: %w", path, err)
	}
	return s, nil
}

// Position returns the Position. It must not be called while a Pipeline runs.
func (s *Store) Position() Position { return s.at }

// Acknowledge is for PipelineOptions.Acknowledge, where records have a Position as their
// Tag. The file is written once a second at most: after a crash, what was delivered since
// is delivered again.
func (s *Store) Acknowledge(_ int64, delivered []batch.Record) {
	s.at = delivered[len(delivered)-1].Tag.(Position)
	if now := time.Now(); now.Sub(s.saved) >= saveEvery {
		s.saved = now
		_ = s.save() // Close tries again, and tells
	}
}

// Close writes the file. The Pipeline must have ended.
func (s *Store) Close() error { return s.save() }

// save replaces the file in one step. A power cut may bring the one before back.
func (s *Store) save() error {
	if s.path == "" {
		return nil
	}
	text, err := json.Marshal(s.at)
	if err != nil {
		return err
	}
	f, err := os.Create(s.path + ".new")
	if err != nil {
		return err
	}
	if _, err = f.Write(append(text, '\n')); err == nil {
		err = f.Sync() // or else the new name could come before what is in it
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}
