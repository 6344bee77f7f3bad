package change

// Image names the two states of a row.
type Image uint8

// Before is the row as it was, After the row as it became. An INSERT has no
// Before, a DELETE no After.
const (
	Before Image = iota
	After
)

// ImageOf returns the image that holds a row's data for changes of type t:
// Before for a DELETE, else After.
func ImageOf(t Type) Image {
	if t == Delete {
		return Before
	}
	return After
}

// Column is one column of one image of a row.
//
// It is a view: its slices borrow the record, and the Column itself is good
// until the next call of the [Rows] that gave it.
//
// Heavy is set where to read the column again with Rows.At is no small matter: it
// is of 64 fields or more, or a long value would have to be formatted, widened or
// unescaped once more (of wire/tidbbinlog 1 KiB or more, of a fastjson.Reader
// 256 bytes of name, value and type together). Who would ask for it again and again
// keeps what it needs of it.
type Column struct {
	Name      []byte
	Value     []byte // as text; means nothing where Null
	MySQLType []byte // "varchar(255)"; empty where the source gives none
	SQLType   int32  // a number of java.sql.Types
	Key       bool   // part of the primary key
	Handle    bool   // part of the not-null unique key that stands in for a primary key, where the source names one
	Updated   bool   // changed by this UPDATE, as the source flags it
	Null      bool
	Ref       uint32 // finds the column again, see Rows.At
	Heavy     bool   // Rows.At takes long for it, as told above
}

// Rows is a cursor over the rows of an [Event]. It holds no columns: each call
// reads them from the record, so an Event of any size costs no memory. A
// cursor can be walked as often as wanted:
//
//	for rows.Rewind(); rows.Next(); {
//		rows.Select(change.After)
//		for c := rows.Column(); c != nil; c = rows.Column() {
//			…
//		}
//	}
//
// A reader has checked all of it before it gives the Event away; a walk cannot
// fail. The [Event] says how long its bytes are good.
type Rows interface {
	// Rewind goes back before the first row.
	Rewind()
	// Next steps to the next row and reports whether there is one.
	Next() bool
	// Select goes before the first column of an image of the current row.
	Select(Image)
	// Column returns the next column of the selected image, nil after the
	// last one. The Column is overwritten by the next call.
	Column() *Column
	// At returns a column of any row again, by its Ref. It does not move the
	// cursor, and does not overwrite what Column returned, only what At did.
	At(ref uint32) *Column
	// MaxNames returns an upper bound for the number of distinct column names
	// in that image of all rows, so that a table of names can be sized once:
	// never more than the columns that have a name, plus one.
	MaxNames(Image) int
}

// Row is one row with its columns in memory, for Events made by hand and for
// copies. The usual way is [Rows], which holds nothing.
type Row struct {
	Before, After []Column
}

// List is a [Rows] over rows in memory.
type List struct {
	rows  []Row
	row   int
	cols  []Column
	col   int
	refs  []*Column
	names [2]int // columns that have a name, by image
}

// NewList returns a List of the given rows. It numbers their columns: the Ref
// of each is set.
func NewList(rows ...Row) *List {
	l := &List{rows: rows, row: -1}
	for i := range rows {
		for im, cols := range [...][]Column{Before: rows[i].Before, After: rows[i].After} {
			for j := range cols {
				cols[j].Ref = uint32(len(l.refs))
				l.refs = append(l.refs, &cols[j])
				l.names[im] += min(len(cols[j].Name), 1)
			}
		}
	}
	return l
}

// Rewind implements [Rows].
func (l *List) Rewind() { l.row, l.cols, l.col = -1, nil, 0 }

// Next implements [Rows].
func (l *List) Next() bool {
	if l.row+1 >= len(l.rows) {
		return false
	}
	l.row++
	l.cols, l.col = nil, 0
	return true
}

// Select implements [Rows].
func (l *List) Select(im Image) {
	l.cols, l.col = l.rows[l.row].After, 0
	if im == Before {
		l.cols = l.rows[l.row].Before
	}
}

// Column implements [Rows].
func (l *List) Column() *Column {
	if l.col >= len(l.cols) {
		return nil
	}
	l.col++
	return &l.cols[l.col-1]
}

// At implements [Rows].
func (l *List) At(ref uint32) *Column { return l.refs[ref] }

// MaxNames implements [Rows].
func (l *List) MaxNames(im Image) int { return l.names[im] + 1 }

// CopyRows walks r from its first row and returns copies that borrow nothing.
func CopyRows(r Rows) []Row {
	var out []Row
	for r.Rewind(); r.Next(); {
		out = append(out, Row{Before: copyColumns(r, Before), After: copyColumns(r, After)})
	}
	return out
}

func copyColumns(r Rows, im Image) []Column {
	var out []Column
	r.Select(im)
	for c := r.Column(); c != nil; c = r.Column() {
		d := *c
		d.Name = cloneBytes(c.Name)
		d.Value = cloneBytes(c.Value)
		d.MySQLType = cloneBytes(c.MySQLType)
		out = append(out, d)
	}
	return out
}

// Single is a [Rows] of one row: the one that Rows stands at. To walk a Single
// does not move Rows to another row, and so the rows of an Event can be given on
// one by one:
//
//	one := change.Single{Rows: all}
//	for all.Rewind(); all.Next(); {
//		… &one …
//	}
type Single struct {
	Rows
	done bool
}

// Rewind implements [Rows].
func (s *Single) Rewind() { s.done = false }

// Next implements [Rows].
func (s *Single) Next() bool {
	s.done = !s.done
	return s.done
}
