package jsonfiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/examples/input"
)

// stateName and its twin that is being written.
const (
	stateName = "state.json"
	newState  = "state.json.new"
	part      = ".part"
)

// State is what state.json holds.
type State struct {
	Input    string         `json:"input"`    // Options.Input
	Position input.Position `json:"position"` // before it all is delivered
	File     string         `json:"file"`     // that is being written, by its final name
	Size     int64          `json:"size"`     // of it; 0 if it need not be there
	Begun    time.Time      `json:"begun"`    // when the first batch of it was written
}

// load reads the state, or makes one for a directory that has none.
func load(dir FS, o *Options) (State, error) {
	text, err := dir.ReadFile(stateName)
	if errors.Is(err, fs.ErrNotExist) {
		names, err := dir.Names()
		if err != nil {
			return State{}, err
		}
		last := int64(0)
		for _, name := range names {
			if n, ok := o.number(name); ok && !strings.HasSuffix(name, part) {
				last = max(last, n)
			}
		}
		return State{Input: o.Input, File: o.name(last + 1)}, nil
	}
	if err != nil {
		return State{}, err
	}
	var s State
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return State{}, fmt.Errorf("jsonfiles: %s: %w", stateName, err)
	}
	if _, ok := o.number(s.File); !ok || s.Size < 0 {
		return State{}, fmt.Errorf("jsonfiles: %s: file %q, size %d", stateName, s.File, s.Size)
	}
	if s.Input != o.Input {
		return State{}, fmt.Errorf("jsonfiles: the directory is for the input %q, not %q", s.Input, o.Input)
	}
	return s, nil
}

// save puts the state in the place of the one before.
func (d *Dir) save() error {
	text, err := json.Marshal(&d.state)
	if err != nil {
		return err
	}
	f, err := d.fs.OpenFile(newState, true)
	if err != nil {
		return err
	}
	if err = f.Truncate(0); err == nil {
		if _, err = f.WriteAt(append(text, '\n'), 0); err == nil {
			err = f.Sync()
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = d.fs.Rename(newState, stateName)
	}
	if err == nil {
		err = d.fs.Sync()
	}
	return err
}

// name returns the name of file n.
func (o *Options) name(n int64) string { return fmt.Sprintf("%s%012d%s", o.Prefix, n, o.Suffix) }

// number returns the number in a name, whatever its suffix, and whether it is one of ours.
func (o *Options) number(name string) (int64, bool) {
	rest, ok := strings.CutPrefix(name, o.Prefix)
	if !ok {
		return 0, false
	}
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n > 0 && len(digits) >= 12
}
