// Package golden gives tests and fuzz targets the cases whose right answer is
// known from outside: Canal inputs, each with the JSON that Canal makes of it.
//
// The answers were made by running Canal's own Java classes, with the protobuf
// and fastjson2 they ship with, over the inputs. In a few cases Canal's reader
// strays from the protobuf standard (it mangles padded ten-byte varints, and
// cuts tags and lengths to 32 bits); those have the answer that follows the
// standard, and their Law is "standard".
//
// An answer is one line: the JSON array of the messages that the input gives,
// often one, sometimes none, or {"error":true}. In all of them ts is
// 1700000000000 and id is 1, except that of a Packet, which has its own batch
// id.
//
// All cases sit in golden.zip, beside this file, as plain files that any unzip
// shows:
//
//	entry/NAME.bin       a Canal Entry         NAME.json   its answer
//	packet/NAME.bin      a Packet              NAME.json   its answer
//	message/NAME.stream  Entries of a Message  NAME.json   one answer for all
//	random/SET.stream    Entries, unrelated    SET.jsonl   one answer a line
//	*/index.tsv          what each case is there to show
//	partition/*.bin      Entries               *.tsv       rules, rows and where each goes; hashes
//
// A stream is a uint32, big-endian, and that many bytes, repeated.
package golden

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
)

// Case is an input and its answer. The slices are shared by all who ask for
// them, so none of their bytes may be modified.
type Case struct {
	Name  string // "insert_2"; of a random case set and place, "mutated/17"
	Law   string // "canal" or "standard"; empty where the index does not say
	Shows string // what the case is there to show; may be empty

	Records [][]byte // one, except that a Message has any number of Entries
	Want    []byte   // the answer, without a line end
}

// IsError reports whether the answer is that the input is bad.
func (c Case) IsError() bool { return string(c.Want) == `{"error":true}` }

// Entries returns the cases that are one Entry.
func Entries() []Case { return slices.Clone(load().entries) }

// Packets returns the cases that are one Packet, as found on Kafka.
func Packets() []Case { return slices.Clone(load().packets) }

// Messages returns the cases that are the Entries of one Message. They have
// one answer together: all that they give, or the error of any of them.
func Messages() []Case { return slices.Clone(load().messages) }

// Random returns Entries made by chance: "mutated" ones, most of them broken,
// and "structured" ones, well formed but odd. Each is a case of its own, named
// for its set and its place in it from 0.
func Random() []Case { return slices.Clone(load().random) }

//go:embed golden.zip
var packed []byte

type sets struct{ entries, packets, messages, random []Case }

// load reads the zip once. It is part of the program, so whatever is wrong
// with it is a fault of ours.
var load = sync.OnceValue(func() sets {
	all, err := unzip(packed)
	if err != nil {
		panic("golden.zip: " + err.Error())
	}
	must := func(cases []Case, err error) []Case {
		if err != nil {
			panic("golden.zip: " + err.Error())
		}
		return cases
	}
	return sets{
		entries:  must(all.folder("entry", ".bin", single)),
		packets:  must(all.folder("packet", ".bin", single)),
		messages: must(all.folder("message", ".stream", split)),
		random:   must(all.apart("random")),
	}
})

// files is what the zip holds, by path.
type files map[string][]byte

func unzip(data []byte) (files, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	all := make(files, len(r.File))
	for _, f := range r.File {
		rc, err := f.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(rc)
		rc.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all[f.Name] = slices.Clip(text)
	}
	return all, nil
}

// names lists the files of a folder that end in ext, without folder and ext.
func (all files) names(dir, ext string) []string {
	var names []string
	for name := range all {
		if path.Dir(name) == dir && path.Ext(name) == ext {
			names = append(names, strings.TrimSuffix(path.Base(name), ext))
		}
	}
	slices.Sort(names)
	return names
}

// folder reads a folder with one answer a case.
func (all files) folder(dir, ext string, records func([]byte) ([][]byte, error)) ([]Case, error) {
	remarks, err := index(all[dir+"/index.tsv"])
	if err != nil {
		return nil, fmt.Errorf("%s/index.tsv: %w", dir, err)
	}
	var cases []Case
	for _, name := range all.names(dir, ext) {
		c := remarks[name]
		c.Name = name
		if c.Records, err = records(all[dir+"/"+name+ext]); err != nil {
			return nil, fmt.Errorf("%s/%s%s: %w", dir, name, ext, err)
		}
		lines := answers(all[dir+"/"+name+".json"])
		if len(lines) != 1 {
			return nil, fmt.Errorf("%s/%s.json: %d lines, want 1", dir, name, len(lines))
		}
		c.Want = lines[0]
		cases = append(cases, c)
	}
	return cases, nil
}

// apart reads a folder of streams with one answer a record.
func (all files) apart(dir string) ([]Case, error) {
	var cases []Case
	for _, set := range all.names(dir, ".stream") {
		records, err := split(all[dir+"/"+set+".stream"])
		if err != nil {
			return nil, fmt.Errorf("%s/%s.stream: %w", dir, set, err)
		}
		lines := answers(all[dir+"/"+set+".jsonl"])
		if len(lines) != len(records) {
			return nil, fmt.Errorf("%s/%s: %d records but %d answers", dir, set, len(records), len(lines))
		}
		for i, record := range records {
			cases = append(cases, Case{Name: fmt.Sprintf("%s/%d", set, i), Records: [][]byte{record}, Want: lines[i]})
		}
	}
	return cases, nil
}

// single takes a file as one record.
func single(data []byte) ([][]byte, error) { return [][]byte{data}, nil }

// split takes a stream apart.
func split(data []byte) ([][]byte, error) {
	var records [][]byte
	for len(data) > 0 {
		if len(data) < 4 || uint64(binary.BigEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, fmt.Errorf("record %d goes past the end", len(records))
		}
		n := 4 + int(binary.BigEndian.Uint32(data))
		records = append(records, data[4:n:n])
		data = data[n:]
	}
	return records, nil
}

// answers takes a text of lines apart.
func answers(text []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		lines = append(lines, slices.Clip(line))
	}
	return lines
}

// index reads an index.tsv, whose columns are the name, the law (in one of the
// three folders) and what the case shows. It may name cases that are not here.
func index(text []byte) (map[string]Case, error) {
	remarks := make(map[string]Case)
	for i, line := range answers(text) {
		cells := strings.Split(string(line), "\t")
		switch {
		case i == 0: // the heading
		case len(cells) == 2:
			remarks[cells[0]] = Case{Shows: cells[1]}
		case len(cells) == 3:
			remarks[cells[0]] = Case{Law: cells[1], Shows: cells[2]}
		default:
			return nil, fmt.Errorf("line %d has %d columns", i+1, len(cells))
		}
	}
	return remarks, nil
}
