package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cdcodec/cdcodec/wire"
)

// This file reads the files of package runtime/pprof: a gzipped protobuf. The
// numbers of its fields are part of the format, fixed for good.
//
//	Profile:   1 sample_type ValueType*  2 sample Sample*  4 location Location*
//	           5 function Function*  6 string_table string*
//	ValueType: 1 type (in the string table)
//	Sample:    1 location_id uint64*, the leaf first  2 value int64*, by sample_type
//	Location:  1 id  4 line Line*, the innermost inlined function first
//	Line:      1 function_id
//	Function:  1 id  2 name (in the string table)

// costs is what a profile says, function by function.
type costs struct {
	total int64
	flat  map[string]int64 // of the function itself
	cum   map[string]int64 // and of what it calls
}

// subtract takes away what was there before.
func (c *costs) subtract(before *costs) {
	c.total -= before.total
	for f, v := range before.flat {
		if c.flat[f] -= v; c.flat[f] == 0 {
			delete(c.flat, f)
		}
	}
	for f, v := range before.cum {
		if c.cum[f] -= v; c.cum[f] == 0 {
			delete(c.cum, f)
		}
	}
}

type sample struct{ locations, values []uint64 }

// rawProfile is a profile with numbers for names.
type rawProfile struct {
	types     []uint64 // in the string table
	samples   []sample
	locations map[uint64][]uint64 // functions by location
	functions map[uint64]uint64   // in the string table
	strings   []string
}

// readProfile reads a profile and adds up the values of that type ("cpu",
// "alloc_space", …) of the samples in which a function occurs whose name ends
// like that; "" is in all.
func readProfile(b []byte, value, under string) (*costs, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	raw := rawProfile{locations: map[uint64][]uint64{}, functions: map[uint64]uint64{}}
	if err := raw.read(plain); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return raw.sum(value, under)
}

func (p *rawProfile) read(b []byte) error {
	r := wire.NewReader(b)
	for r.Next() {
		if r.Tag.Type() != wire.Bytes {
			continue
		}
		var m map[wire.Number][]uint64
		switch r.Tag.Number() {
		case 1, 2, 4, 5:
			var err error
			if m, err = integers(r.Bytes); err != nil {
				return err
			}
		}
		switch r.Tag.Number() {
		case 1:
			p.types = append(p.types, first(m[1]))
		case 2:
			p.samples = append(p.samples, sample{m[1], m[2]})
		case 4:
			functions, err := lines(r.Bytes)
			if err != nil {
				return err
			}
			p.locations[first(m[1])] = functions
		case 5:
			p.functions[first(m[1])] = first(m[2])
		case 6:
			p.strings = append(p.strings, string(r.Bytes))
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	return nil
}

// integers returns the integers of a message by field, packed or not. Of
// fields that hold something else it returns whatever.
func integers(b []byte) (map[wire.Number][]uint64, error) {
	m := map[wire.Number][]uint64{}
	r := wire.NewReader(b)
	for r.Next() {
		n := r.Tag.Number()
		switch r.Tag.Type() {
		case wire.Varint:
			m[n] = append(m[n], r.Uint)
		case wire.Bytes:
			for rest := r.Bytes; len(rest) > 0; {
				v, size := binary.Uvarint(rest)
				if size <= 0 {
					break
				}
				m[n] = append(m[n], v)
				rest = rest[size:]
			}
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// lines returns the functions of a Location.
func lines(location []byte) (functions []uint64, err error) {
	r := wire.NewReader(location)
	for r.Next() {
		if r.Tag == wire.MakeTag(4, wire.Bytes) {
			line, err := integers(r.Bytes)
			if err != nil {
				return nil, err
			}
			functions = append(functions, first(line[1]))
		}
	}
	return functions, nil // integers has found the location good
}

func first(x []uint64) uint64 {
	if len(x) == 0 {
		return 0
	}
	return x[0]
}

func (p *rawProfile) text(i uint64) string {
	if i < uint64(len(p.strings)) {
		return p.strings[i]
	}
	return "?"
}

// sum adds the samples up.
func (p *rawProfile) sum(value, under string) (*costs, error) {
	column := slices.IndexFunc(p.types, func(t uint64) bool { return p.text(t) == value })
	if column < 0 {
		return nil, errors.New("profile: it does not count " + value)
	}
	c := &costs{flat: map[string]int64{}, cum: map[string]int64{}}
	for _, s := range p.samples {
		var stack []string // the leaf first
		for _, location := range s.locations {
			for _, f := range p.locations[location] {
				stack = append(stack, shortName(p.text(p.functions[f])))
			}
		}
		called := slices.ContainsFunc(stack, func(f string) bool { return strings.HasSuffix(f, under) })
		if !called || column >= len(s.values) {
			continue
		}
		v := int64(s.values[column])
		c.total += v
		c.flat[stack[0]] += v
		for i, f := range stack {
			if !slices.Contains(stack[:i], f) { // a recursion counts once
				c.cum[f] += v
			}
		}
	}
	return c, nil
}

// shortName leaves the folders out of a function's name.
func shortName(name string) string {
	name, args, generic := strings.Cut(name, "[")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if generic {
		name += "[" + args
	}
	return name
}
