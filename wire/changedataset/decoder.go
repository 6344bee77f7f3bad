package changedataset

import (
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// Options say how a [Decoder] reads. The zero value is what the specification
// has.
type Options struct {
	// Database is the database of a tableName without a dot.
	Database string

	// PassSQLType makes ColumnData.sqlType the column's SQLType where it is a
	// number of 32 bits. Otherwise, and where it is none, that follows from the
	// column's type and value. Set it for a producer that writes numbers of
	// java.sql.Types; Fountain writes MySQL's own.
	PassSQLType bool
}

// Decoder fills Events from records that are a ChangeDataSet each:
//
//	err := d.Open(record) // all of it is good, or nothing of it comes out
//	for d.Next(&ev) {
//		…
//	}
//
// The zero Decoder is ready. It keeps no column: an Event's Rows read them from
// the record as they are walked. It serves one Event at a time.
type Decoder struct {
	Options Options // count from the next Open on

	set      wire.Message
	changes  wire.Reader // its current field is the current change
	count    int         // of the changes up to it
	current  bool        // there is one
	es       int64
	gtid     []byte
	database []byte // of a tableName without a dot

	tables tables
	rows   rows
	places [2][]uint32 // of the current change's data, by image
	joined []byte      // what gtid is, where it is made of several
}

// Open takes a record and checks all of it: that each message in it is well
// formed, used or not, and that each change is a row of a schema. Next gives its
// changes then. Whatever the error, a *[wire.ParseError] with the table in it
// where there is one, it gives none. What is no protobuf comes first, then the
// first change that is no row.
//
// d borrows record until it opens another one or is Reset.
func (d *Decoder) Open(record []byte) error {
	d.Reset()
	if len(record) >= maxRecord {
		return &wire.ParseError{Err: ErrTooLarge}
	}
	d.set = wire.NewMessage(record)
	err := d.read()
	if err == nil {
		return nil
	}
	if bad := d.malformed(); bad != nil {
		err = bad
	}
	d.Reset()
	return err
}

// Next fills ev with the next change of the record, if there is one, and returns
// true: a row of one table (Kind is KindRows, Type Insert, Update or Delete,
// Promoted true, CommitTS 0), in the order of the record. It returns false after
// the last one and makes ev zero.
//
// ev borrows the record and d: it is good until the record's bytes are written
// to, or Next, Open or Reset is called.
func (d *Decoder) Next(ev *change.Event) bool {
	for d.changes.Next() {
		if d.changes.Tag == setTableChange {
			d.count++
			d.current = true
			d.event(ev)
			return true
		}
	}
	d.current = false
	ev.Reset()
	return false
}

// Index returns the number of the current change in the record, from 0; -1 before
// the first.
func (d *Decoder) Index() int { return d.count - 1 }

// Reset makes d forget its record, and gives back memory that a giant one made
// it take.
func (d *Decoder) Reset() {
	d.set, d.changes, d.count, d.current = wire.Message{}, wire.Reader{}, 0, false
	d.gtid, d.es = nil, 0
	d.tables.reset()
	d.rows.reset()
	for im := range d.places {
		d.places[im] = keep(d.places[im], keepBytes/4)
	}
	d.joined = keep(d.joined, keepBytes)
}

// How much of each kind of scratch stays from record to record: 700 KiB in all,
// and of that, values that are widened may take most.
const (
	keepBytes = 64 << 10
	keepValue = 4 * keepBytes
)

// keep returns s, without its elements, or nil if it has room for more than n.
func keep[T any](s []T, n int) []T {
	if cap(s) > n {
		return nil
	}
	return s[:0]
}

// read is Open where all is well. What is no protobuf may be any error: it is
// looked for again.
func (d *Decoder) read() error {
	var need sizes
	var birthTime int64
	ids, idBytes := 0, 0
	r := d.set.Reader()
	for r.Next() {
		switch r.Tag {
		case setSyncPoint:
			in := r.Message().Reader()
			for in.Next() {
				if in.Tag == syncGTID {
					d.gtid = in.Bytes
					ids++
					idBytes += len(in.Bytes) + 1
				}
			}
			if in.Err() != nil {
				return in.Err()
			}
		case setTableSchema:
			if !need.measure(r.Message()) {
				return wire.ErrTruncated
			}
		case setBirthTime:
			birthTime = r.Int64()
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	d.es = milliseconds(birthTime)
	d.rows.numbers = d.Options.PassSQLType
	d.database = append(d.database[:0], d.Options.Database...)
	if ids > 1 {
		d.join(idBytes)
	}

	d.tables.open(d.set.Bytes(), need)
	d.places[change.After] = sized(d.places[change.After], seenSize(need.named)) // scratch, as yet
	for r = d.set.Reader(); r.Next(); {
		if r.Tag == setTableSchema && !d.tables.add(r.Message(), d.places[change.After]) {
			return wire.ErrTruncated
		}
	}
	if err := d.check(); err != nil {
		return err
	}
	d.makePlaces(d.rows.most)
	d.changes = d.set.Reader()
	return nil
}

// makePlaces makes room for so many data of each image. Where there are more of
// them there is the larger of the rooms.
func (d *Decoder) makePlaces(most [2]int) {
	b, a := &d.places[change.Before], &d.places[change.After]
	if (most[change.Before] > most[change.After]) != (cap(*b) > cap(*a)) {
		*b, *a = *a, *b
	}
	*b, *a = sized(*b, most[change.Before]), sized(*a, most[change.After])
}

// milliseconds returns s seconds as milliseconds, or as close as 64 bits get.
func milliseconds(s int64) int64 {
	switch {
	case s > math.MaxInt64/1000:
		return math.MaxInt64
	case s < math.MinInt64/1000:
		return math.MinInt64
	}
	return s * 1000
}

// join makes gtid the gtIds, which are so many bytes with a comma behind each.
func (d *Decoder) join(size int) {
	d.joined = sized(d.joined, size)[:0]
	p := SyncPoint{msg: d.set, inSet: true}
	for ids := p.GTIDs(); ids.Next(); {
		d.joined = append(append(d.joined, ids.GTID()...), ',')
	}
	d.gtid = d.joined[: size-1 : size-1]
}

// event fills ev with the current change.
func (d *Decoder) event(ev *change.Event) {
	name := d.rows.open(d)
	*ev = change.Event{
		Kind: change.KindRows, Type: d.rows.typ, Promoted: true,
		GTID: d.gtid, ES: d.es, Rows: &d.rows,
	}
	ev.Database, ev.Table = d.split(name)
}

// split returns the database and the table of a tableName.
func (d *Decoder) split(name []byte) (database, table []byte) {
	for i, c := range name {
		if c == '.' {
			return name[:i:i], name[i+1:]
		}
	}
	return d.database[:len(d.database):len(d.database)], name
}

// fullName returns a tableName as errors have it.
func (d *Decoder) fullName(name []byte) string {
	if database, table := d.split(name); len(database) > 0 && len(table) == len(name) {
		return string(database) + "." + string(table)
	}
	return string(name)
}
