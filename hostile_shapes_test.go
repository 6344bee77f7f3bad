package cdcodec_test

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// The tests of hostile_*_test.go send what no Canal sends but anyone may: records
// that are small to make and meant to be dear to read. TestHostile… hold the
// answers to the reference, count the steps instead of the time, and (in
// hostile_memory_test.go) the bytes that are allocated.

// giant reports whether tests do their largest sizes: not with -short, and not
// with -race, under which they take minutes.
func giant() bool {
	info, _ := debug.ReadBuildInfo()
	race := info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	return !testing.Short() && !race
}

// lenField and intField append a field of wire type 2 and 0.
func lenField(b []byte, n wire.Number, v []byte) []byte {
	return wire.AppendBytes(wire.AppendTag(b, n, wire.Bytes), v)
}

func intField(b []byte, n wire.Number, v uint64) []byte {
	return wire.AppendVarint(wire.AppendTag(b, n, wire.Varint), v)
}

// hostileEntry returns an Entry of table "s.t" that is a RowChange of that type
// with those encoded rows.
func hostileEntry(typ change.Type, rows ...[]byte) []byte {
	size := 64
	for _, r := range rows {
		size += len(r) + 6
	}
	store := intField(make([]byte, 0, size), 2, uint64(typ))
	for _, r := range rows {
		store = lenField(store, 12, r)
	}
	header := lenField(lenField(nil, 8, []byte("s")), 9, []byte("t"))
	return lenField(intField(lenField(make([]byte, 0, size+32), 1, header), 2, 2), 3, store)
}

// A crowd is columns: column i of n has the name and the flags these say.
type crowd struct {
	name    func(i int) string
	updated bool
	bare    bool   // nothing but the name
	extra   []byte // fields of every column
}

// image appends columns from to to of c to a row, as the image with that tag.
func (c crowd) image(row []byte, tag wire.Number, from, to int) []byte {
	var col []byte
	for i := from; i < to; i++ {
		col = col[:0]
		if name := c.name(i); name != "" {
			col = lenField(col, 3, []byte(name))
		}
		if !c.bare {
			col = lenField(intField(intField(col, 4, uint64(i&1)), 5, 0), 8, []byte("v"))
		}
		if c.updated {
			col = intField(col, 5, 1)
		}
		row = lenField(row, tag, append(col, c.extra...))
	}
	return row
}

// digits returns a name for number i: so many characters below 0x80, that need no
// escape.
func digits(i, width int) string {
	const some = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&'()*+,-./:;<=>?@[]^_`{|}~ "
	b := make([]byte, width)
	for k := range b {
		b[k] = some[i%len(some)]
		i /= len(some)
	}
	return string(b)
}

func equalNames(int) string      { return "a" }
func noNames(int) string         { return "" }
func distinctNames(i int) string { return digits(i, 3) }
func hundredNames(i int) string  { return "column_" + digits(i%100, 2) }

// twiceNames has each name twice in a row, one behind the other.
func twiceNames(i int) string { return digits(i/2, 3) }

// repairedNames are different bytes that are all the same text.
func repairedNames(i int) string { return string([]byte{[]byte{0xff, 0xfe, 0xc0, 0x80}[i%4]}) }

// A shape is a way to put n columns into an Entry.
type shape struct {
	name  string
	heavy bool // its size is not only that of n columns
	entry func(n int) []byte
}

// hostileShapes are crowds times rows times types.
func hostileShapes() []shape {
	var all []shape
	for _, names := range []struct {
		name string
		crowd
	}{
		{"equal", crowd{name: equalNames}},
		{"distinct", crowd{name: distinctNames}},
		{"hundred", crowd{name: hundredNames}},
		{"twice", crowd{name: twiceNames}},
		{"repaired", crowd{name: repairedNames}},
		{"bare empty", crowd{name: noNames, bare: true}},
		{"bare equal", crowd{name: equalNames, bare: true}},
		{"bare 1 byte", crowd{name: func(i int) string { return digits(i, 1) }, bare: true}},
		{"bare 2 bytes", crowd{name: func(i int) string { return digits(i, 2) }, bare: true}},
		{"bare 3 bytes", crowd{name: distinctNames, bare: true}},
		{"distinct escaped", crowd{name: func(i int) string { return "\x01\x02" + digits(i, 3) }, bare: true}},
	} {
		for _, perRow := range []int{0, 100, 1} { // 0: all in one row
			for _, kind := range []string{"INSERT", "DELETE", "UPDATE", "UPDATE all updated"} {
				width := fmt.Sprintf("rows of %d", perRow)
				if perRow == 0 {
					width = "one row"
				}
				all = append(all, shape{name: strings.Join([]string{kind, names.name, width}, ", "), entry: func(n int) []byte {
					per := perRow
					if per == 0 || per > n {
						per = n
					}
					var rows [][]byte
					for i := 0; i < n; i += per {
						rows = append(rows, names.row(kind, i, min(i+per, n)))
					}
					return hostileEntry(hostileTypes[kind], rows...)
				}})
			}
		}
	}
	return append(all, heavyShapes()...)
}

var hostileTypes = map[string]change.Type{"INSERT": change.Insert, "DELETE": change.Delete, "UPDATE": change.Update, "UPDATE all updated": change.Update}

// row returns a row of columns from to to, all of them in each image that the
// kind of change has.
func (c crowd) row(kind string, from, to int) []byte {
	marked := c
	marked.updated = true
	switch kind {
	case "INSERT":
		return c.image(nil, 2, from, to)
	case "DELETE":
		return c.image(nil, 1, from, to)
	case "UPDATE":
		return c.image(c.image(nil, 1, from, to), 2, from, to)
	}
	return marked.image(c.image(nil, 1, from, to), 2, from, to)
}

// heavyShapes have one column with a lot of fields, and many others whose names
// lead to it. The first 256 names of a change are remembered in full; these are
// behind them.
func heavyShapes() []shape {
	heavy := func(n int) []byte { // 2n fields that say nothing
		return append(intField(lenField(nil, 3, []byte("X")), 5, 1), bytes.Repeat([]byte{0x28, 1}, 2*n)...)
	}
	first := crowd{name: distinctNames}
	light := crowd{name: func(int) string { return "X" }, bare: true}
	return []shape{
		{"heavy column, before images", true, func(n int) []byte {
			row := first.image(nil, 2, 0, 300)
			row = lenField(row, 2, heavy(n))
			return hostileEntry(change.Update, light.image(row, 1, 0, n))
		}},
		{"heavy column, in one row with others of its name", true, func(n int) []byte {
			row := first.image(nil, 2, 0, 300)
			row = light.image(row, 2, 0, n)
			return hostileEntry(change.Insert, lenField(row, 2, heavy(n)))
		}},
		{"heavy column, in the last of many rows", true, func(n int) []byte {
			light := light
			light.updated = true
			rows := [][]byte{first.image(nil, 2, 0, 300)}
			for range n {
				rows = append(rows, light.image(nil, 2, 0, 1))
			}
			return hostileEntry(change.Update, append(rows, lenField(nil, 2, heavy(n)))...)
		}},
		{"heavy columns, one in each row", true, func(n int) []byte {
			rows := [][]byte{first.image(nil, 2, 0, 300)}
			for range n / 50 {
				rows = append(rows, lenField(light.image(nil, 1, 0, 1), 2, heavy(25)))
			}
			return hostileEntry(change.Update, rows...)
		}},
		{"heavy columns, each of its own name, in old twice", true, func(n int) []byte {
			some := crowd{name: distinctNames, updated: true, extra: bytes.Repeat([]byte{0x20, 0}, 64)}
			row := crowd{name: distinctNames}.image(nil, 2, 0, 257)
			row = some.image(row, 2, 257, 257+n/30)
			row = some.image(row, 1, 257, 257+n/30)
			return hostileEntry(change.Update, some.image(row, 1, 257, 257+n/30))
		}},
		{"heavy and light columns of the same names by turns", true, func(n int) []byte {
			some := crowd{name: distinctNames, updated: true, extra: bytes.Repeat([]byte{0x20, 0}, 64)}
			light := crowd{name: distinctNames, bare: true}
			rows := [][]byte{crowd{name: distinctNames}.image(nil, 2, 0, 257)}
			for range 10 {
				rows = append(rows, light.image(some.image(nil, 2, 257, 257+n/300), 1, 257, 257+n/300), light.image(nil, 2, 257, 257+n/300))
			}
			return hostileEntry(change.Update, rows...)
		}},
		{"long names, equal only after repair", true, func(n int) []byte {
			var row []byte
			for i := range n / 50 {
				row = lenField(row, 2, lenField(nil, 3, bytes.Repeat([]byte{byte(0xf8 + i%8)}, 50)))
				row = lenField(row, 1, lenField(nil, 3, bytes.Repeat([]byte("\xf0\x9f\x98"), 50)))
			}
			return hostileEntry(change.Update, row)
		}},
		{"a column with its name given again and again", true, func(n int) []byte {
			return hostileEntry(change.Insert, lenField(nil, 2, bytes.Repeat([]byte("\x1a\x01a"), n)))
		}},
		{"rows without columns", true, func(n int) []byte {
			return hostileEntry(change.Update, make([][]byte, n)...)
		}},
		{"props", true, func(n int) []byte {
			return hostileEntry(change.Update, bytes.Repeat([]byte{0x1a, 0}, n), lenField(nil, 2, bytes.Repeat([]byte{0x3a, 0}, n)))
		}},
	}
}
