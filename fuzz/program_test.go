package fuzz

import (
	"bytes"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// A program is bytes that say, one step after another, what goes into an
// Entry. Any bytes are a program, and any program gives a well-formed Entry;
// so chance finds its way to rows that are odd in themselves, where bytes
// flipped in an Entry mostly break it. What no step makes odd is in the order
// in which Canal writes it.
type program struct {
	code []byte

	schema, table, gtid []byte
	time                uint64
	header, change      []byte // what comes behind these, and before the rows
	rest                []byte // of the Entry, behind its store value
	rows                [][]byte
	row                 []byte
	last                []byte // column, without its tag
	lastImage           protowire.Number
	counter             int // numbers names that are all different
	size                int
}

// maxBuilt bounds what a program builds, so that the reference keeps up.
const maxBuilt = 6 << 10

// names are few, so that they meet: among them are texts that are the same
// only after repair, and others that are not the same.
var names = []string{
	"", "a", "b", "id", "ID", "c\"", "\xff", "\xfe", "\ufffd", "\xed\xa0\x80", "\xe2\x82", "\ufffd\ufffd", "\xff\xff", "\xc0\x80", "a\x00", "中",
}

// values are the same, and some with escapes or long.
var values = append([]string{
	"1", "two", "\b\f\n", "\x7f\u2028", "12345678", "1234567\"890", "plain, and more than a few words of it",
	string(bytes.Repeat([]byte("long \" "), 40)), string(bytes.Repeat([]byte("\xf0\x9f\x98"), 80)), string(bytes.Repeat([]byte("长\x01"), 60)),
}, names...)

const (
	before = protowire.Number(1)
	after  = protowire.Number(2)
)

func (p *program) next() int {
	if len(p.code) == 0 {
		return 0
	}
	c := p.code[0]
	p.code = p.code[1:]
	return int(c)
}

func pick(list []string, n int) []byte { return []byte(list[n%len(list)]) }

// run builds the Entry.
func run(code []byte) []byte {
	p := &program{code: code, time: 1700000000000}
	for len(p.code) > 0 && p.size < maxBuilt {
		p.step()
	}
	p.endRow()
	header := num(num(sub(nil, 2, []byte("mysql-bin.000001")), 3, 4), 6, p.time)
	header = append(sub(sub(header, 8, p.schema), 9, p.table), p.header...)
	if p.gtid != nil {
		header = sub(header, 13, p.gtid)
	}
	change := p.change
	for _, r := range p.rows {
		change = sub(change, 12, r)
	}
	return append(sub(sub(nil, 1, header), 3, change), p.rest...)
}

func (p *program) step() {
	op := p.next()
	arg := op >> 4
	switch op & 15 {
	case 0, 1, 2: // a column with a name that others have too
		p.column(image(op), pick(names, arg), p.next())
	case 3: // the same columns before and after, with names of their own
		how := p.next()
		for range 1 + arg {
			p.counter++
			c := p.fields([]byte("n"+strconv.Itoa(p.counter)), how)
			p.row = sub(p.row, before, c)
			defer p.put(after, c)
		}
	case 4: // the same column again, some times
		for range 1 + arg {
			p.put(p.lastImage, p.last)
		}
	case 5: // the same column in the other image
		p.put(before+after-p.lastImage, p.last)
	case 6, 7: // columns with names of their own
		how := p.next()
		for range 1 + 9*arg {
			p.counter++
			p.put(image(op), p.fields([]byte("n"+strconv.Itoa(p.counter)), how))
		}
	case 8: // the numbering of names begins again
		p.counter = arg * 8
	case 9: // next row
		p.endRow()
		p.counter = 0
	case 10: // the row before, again
		p.endRow()
		n := len(p.rows)
		p.rows = append(p.rows, p.rows[n-1-arg%n])
		p.size += len(p.rows[n])
	case 11: // a column whose fields are given twice, and with other wire types
		p.odd(arg)
	case 12: // something unknown, somewhere
		unknown := [][]byte{num(nil, 99, 5), sub(nil, 99, []byte("x")), {0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06}, num(nil, 12, 3), sub(nil, 4, []byte("y"))}[arg%5]
		switch arg % 3 {
		case 0:
			p.row = append(p.row, unknown...)
		case 1:
			p.change = append(p.change, unknown...)
		case 2:
			p.rest = append(p.rest, unknown...)
		}
	case 13: // event type, any number
		p.change = num(p.change, 2, uint64(arg))
	case 14:
		p.scalar(arg)
	case 15: // a part of the header behind the store value
		h := num(sub(nil, protowire.Number(8+arg%6), pick(values, p.next())), 6, uint64(arg))
		p.rest = sub(p.rest, 1, h)
	}
}

func image(op int) protowire.Number {
	if op&1 == 0 {
		return before
	}
	return after
}

func (p *program) column(image protowire.Number, name []byte, how int) {
	p.put(image, p.fields(name, how))
}

// fields makes a column; how has its flags, and what else it has.
func (p *program) fields(name []byte, how int) (c []byte) {
	if how&8 != 0 {
		c = num(c, 1, uint64(len(name))) // index
		c = num(c, 2, uint64(int64(p.next()-128)))
	}
	if len(name) > 0 || how&16 != 0 {
		c = sub(c, 3, name)
	}
	c = num(c, 4, uint64(how>>1&1)) // isKey
	if how&32 == 0 {
		c = num(num(c, 5, uint64(how&1)), 6, uint64(how>>2&1)) // updated, isNull
	} else if how&5 != 0 {
		c = num(c, 4+protowire.Number(how&5), 1)
	}
	if how&4 == 0 {
		c = sub(c, 8, pick(values, p.next()))
	}
	if how&64 != 0 {
		c = sub(c, 10, pick(values, p.next()))
	}
	if how&128 != 0 {
		c = sub(c, 7, sub(nil, 1, []byte("prop")))
	}
	return c
}

func (p *program) put(image protowire.Number, column []byte) {
	if image != before {
		image = after
	}
	p.last, p.lastImage = column, image
	if p.size < maxBuilt {
		p.row = sub(p.row, image, column)
		p.size += len(column) + 2
	}
}

// odd puts a column that protobuf allows and no one writes.
func (p *program) odd(arg int) {
	c := bytes.Clone(p.last)
	switch arg % 8 {
	case 0: // all of it again, other name last
		c = sub(append(c, c...), 3, pick(names, p.next()))
	case 1: // name as varint: unknown
		c = num(c, 3, 7)
	case 2: // flags taken back
		c = num(num(num(c, 4, 0), 5, 0), 6, 0)
	case 3: // a flag in the highest bit only
		c = num(c, protowire.Number(4+p.next()%3), 1<<63)
	case 4: // the name last, after a group
		c = sub(append(c, 0x7b, 0x7c), 3, pick(names, p.next()))
	case 5: // value and types emptied
		c = sub(sub(num(c, 2, 0), 8, nil), 10, nil)
	case 6: // length
		c = num(c, 9, uint64(p.next()))
	case 7: // a byte of it changed, if that does no harm
		if n := p.next(); n < len(c) {
			c[n] ^= 1 << (p.next() & 7)
			if (part{bytes: c}).check(columnDesc, 3) != nil {
				return
			}
		}
	}
	if len(c) < 1024 {
		p.put(p.lastImage, c)
	}
}

// scalar sets something of header, change or Entry.
func (p *program) scalar(arg int) {
	text := pick(values, p.next())
	switch arg {
	case 0, 1:
		p.schema = text
	case 2, 3:
		p.table = text
	case 4:
		p.gtid = text
	case 5:
		p.time = uint64(p.next())<<56 | uint64(p.next())
	case 6:
		p.header = num(p.header, 11, uint64(p.next()))
	case 7:
		p.header = sub(p.header, 12, sub(nil, 1, text))
	case 8:
		p.change = sub(p.change, 11, text)
	case 9:
		p.change = num(p.change, 10, uint64(p.next()&1)<<40)
	case 10:
		p.change = sub(p.change, 14, text)
	case 11:
		p.change = sub(p.change, 13, sub(nil, 2, text))
	case 12:
		p.rest = num(p.rest, 2, uint64(p.next()&7))
	case 13: // a store value of its own, that wins
		p.rest = sub(p.rest, 3, sub(nil, 11, text))
	case 14:
		p.header = sub(p.header, 8, text)
	case 15:
		p.row = sub(p.row, 3, sub(nil, 1, text))
	}
}

func (p *program) endRow() {
	p.rows = append(p.rows, p.row)
	p.row = nil
	p.size += 2
}
