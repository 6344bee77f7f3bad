package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/wire/frame"
)

const (
	outBuffer  = 256 << 10
	keptBuffer = 4 << 20 // elements; a larger buffer goes after the record that needed it
)

// output writes items, each a message or what one record became, in frames.
type output struct {
	w     *bufio.Writer
	kind  frame.Kind
	file  *os.File // what to close; nil for standard output
	array []byte   // scratch
	whole []byte   // scratch
}

// openOutput opens the named file, or standard output if there is no name.
// input is what is read, which must be another file.
func openOutput(s *streams, name string, kind frame.Kind, input os.FileInfo) (*output, error) {
	o := &output{kind: kind}
	w := s.out
	if name != "" && name != "-" {
		if there, err := os.Stat(name); err == nil && input != nil && os.SameFile(there, input) {
			return nil, usageError("--out: " + name + " is the input as well")
		}
		var err error
		if o.file, err = os.Create(name); err != nil {
			return nil, err
		}
		w = o.file
	}
	o.w = bufio.NewWriterSize(w, outBuffer)
	return o, nil
}

// Close writes what is left.
func (o *output) Close() error {
	err := o.w.Flush()
	if o.file != nil {
		if cerr := o.file.Close(); err == nil {
			err = cerr
		}
	}
	return err
}

// item writes b in its frame. JSON of ours has no line feed in it, so that
// Lines needs no look.
func (o *output) item(b []byte) error {
	if o.kind == frame.Lines {
		_, _ = o.w.Write(b) // bufio keeps its error, and the next line returns it
		return o.w.WriteByte('\n')
	}
	var err error
	if o.whole, err = frame.Append(o.whole[:0], o.kind, b); err != nil {
		return err
	}
	_, err = o.w.Write(o.whole)
	o.whole = trim(o.whole)
	return err
}

// messages writes each message in js as an item of its own.
func (o *output) messages(js []byte, msgs []cdcodec.Message) error {
	for _, m := range msgs {
		if err := o.item(js[m.Start:m.End]); err != nil {
			return err
		}
	}
	return nil
}

// record writes the messages in js as one item, a JSON array.
func (o *output) record(js []byte, msgs []cdcodec.Message) error {
	b := append(o.array[:0], '[')
	for i, m := range msgs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, js[m.Start:m.End]...)
	}
	b = append(b, ']')
	err := o.item(b)
	o.array = trim(b)
	return err
}

// failed writes, in place of its messages, why a record has none.
func (o *output) failed(reason error) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Error string `json:"error"`
	}{reason.Error()}); err != nil {
		return err
	}
	return o.item(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// trim returns b to be used again, or nil if it is too large to be kept.
func trim[T any](b []T) []T {
	if cap(b) > keptBuffer {
		return nil
	}
	return b
}
