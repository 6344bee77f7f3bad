package reference

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/fastjson"
)

// This file prints dialect ticdc. The numbers are those of the rules in
// ticdc.md.

// recordOverhead is what a record of Kafka takes beside its key and its value,
// bytes: rule 12.
const recordOverhead = 36

var (
	errNoHandle = errors.New("no column of a handle key to show")
	errNoClaims = errors.New("a message is too large, and there is no store for it")
)

// Watermark returns the message that says that all changes up to ts have been
// sent, or none where the options want no such thing (rule 10).
func Watermark(ts uint64, o fastjson.Options, m fastjson.Meta) (messages [][]byte, err error) {
	if o.Dialect != fastjson.TiCDC || !o.TiCDC.Extension {
		return nil, nil
	}
	p := ticdcPrinter{&event{eventType: "TIDB_WATERMARK", es: physical(ts)}, o, m, nil}
	var tidb object
	if ts != 0 {
		tidb.put("watermarkTs", ts)
	}
	return p.statement(&tidb)
}

// physical returns the time in a TSO: rule 2.
func physical(ts uint64) int64 { return int64(ts >> 18) }

// ticdcMessages prints an event in dialect ticdc.
func ticdcMessages(e *event, o fastjson.Options, m fastjson.Meta) (messages [][]byte, err error) {
	p := ticdcPrinter{e, o, m, nil}
	if !e.hasRows() {
		var tidb object
		if ts := p.commitTS(); ts != 0 {
			tidb.put("commitTs", ts)
		}
		return p.statement(&tidb)
	}
	for _, r := range e.rows {
		if len(e.data(r)) == 0 {
			continue
		}
		msg, err := p.rowOfAnySize(r)
		if err != nil {
			return nil, err
		}
		messages = append(messages, msg)
	}
	return messages, nil
}

// ticdcPrinter prints one event. Its err is the first thing that the options
// forbid.
type ticdcPrinter struct {
	e   *event
	o   fastjson.Options
	m   fastjson.Meta
	err error
}

// commitTS returns that of the event, else the caller's.
func (p *ticdcPrinter) commitTS() uint64 {
	if p.e.commitTS != 0 {
		return p.e.commitTS
	}
	return p.m.CommitTS
}

// show returns s as it is: printing it replaces bad bytes (rule 8). All text
// that appears goes through here, and nothing else does.
func (p *ticdcPrinter) show(s string) string {
	if p.o.RejectInvalidUTF8 && !utf8.ValidString(s) && p.err == nil {
		p.err = fmt.Errorf("invalid UTF-8: %q", s)
	}
	return s
}

// statement prints what has no rows: a DDL, a query or a watermark.
func (p *ticdcPrinter) statement(tidb *object) ([][]byte, error) {
	msg := p.head(nil, p.show(p.e.sql))
	for _, key := range []string{"sqlType", "mysqlType", "data", "old"} {
		msg.put(key, nil)
	}
	if p.o.TiCDC.Extension {
		msg.put("_tidb", tidb)
	}
	out := ticdcJSON(msg)
	if p.err == nil && !p.fits(out) {
		p.err = p.tooLarge(out)
	}
	if p.err != nil {
		return nil, p.err
	}
	return [][]byte{out}, nil
}

// rowOfAnySize prints a row, or what there is to be instead if it is too large.
func (p *ticdcPrinter) rowOfAnySize(r row) ([]byte, error) {
	whole := p.row(r, p.e.eventType == "DELETE" && p.o.TiCDC.DeleteOnlyHandleKey, "", nil)
	if p.err != nil || p.fits(whole) {
		return whole, p.err
	}

	var stub []byte
	switch p.o.TiCDC.Large {
	case fastjson.HandleKeyOnly:
		stub = p.row(r, true, "onlyHandleKey", true)
	case fastjson.ClaimCheck:
		p.row(r, true, "", nil) // is there one? If not, nothing is put in the store
		if p.err != nil {
			return nil, p.err
		}
		if p.o.TiCDC.Claims == nil {
			return nil, errNoClaims
		}
		location, err := p.o.TiCDC.Claims.Put(whole)
		if err != nil {
			return nil, err
		}
		stub = p.row(r, true, "claimCheckLocation", p.show(location))
	default:
		return nil, p.tooLarge(whole)
	}
	if p.err == nil && !p.fits(stub) {
		p.err = p.tooLarge(stub)
	}
	return stub, p.err
}

// size returns what a message takes: rule 12.
func (p *ticdcPrinter) size(msg []byte) int {
	n := len(msg)
	if p.o.TiCDC.Sizer != nil {
		n = p.o.TiCDC.Sizer.SizeOf(msg)
	}
	return p.m.KeySize + n + recordOverhead
}

func (p *ticdcPrinter) fits(msg []byte) bool {
	return p.o.TiCDC.MaxMessage == 0 || p.size(msg) <= p.o.TiCDC.MaxMessage
}

func (p *ticdcPrinter) tooLarge(msg []byte) error {
	return fmt.Errorf("table %q: a message of %d bytes, the limit is %d", p.e.table, p.size(msg), p.o.TiCDC.MaxMessage)
}

// head returns a message with its first keys: rules 1 and 2.
func (p *ticdcPrinter) head(pkNames any, sql string) *object {
	msg := new(object)
	msg.put("id", 0)
	msg.put("database", p.show(p.e.database))
	msg.put("table", p.show(p.e.table))
	msg.put("pkNames", pkNames)
	msg.put("isDdl", p.e.isDDL)
	msg.put("type", p.e.eventType)
	msg.put("es", p.e.es)
	msg.put("ts", p.m.TS)
	msg.put("sql", sql)
	return msg
}

// row prints one row; with onlyHandle only its handle key. Its "_tidb" has one
// more key, if that is not "".
func (p *ticdcPrinter) row(r row, onlyHandle bool, key string, value any) []byte {
	o := p.o.TiCDC
	data := merge(p.e.data(r), sameName)
	pkNames := []string{} // rule 3: never null
	for _, c := range data {
		if c.key {
			pkNames = append(pkNames, p.show(c.name))
		}
	}
	old := merge(r.before, sameName)
	if o.OnlyUpdated || o.ContentCompatible {
		old = differing(old, data)
	}
	if onlyHandle {
		data = handleOf(data)
		shown := map[string]bool{}
		missing := len(data) == 0
		for _, c := range data {
			shown[c.name] = true
			missing = missing || !c.key && (isNull(r.before, c.name) || isNull(r.after, c.name))
		}
		if missing && p.err == nil {
			p.err = fmt.Errorf("table %q: %w", p.e.table, errNoHandle)
		}
		old = slices.DeleteFunc(old, func(c column) bool { return !shown[c.name] })
	}

	var sqlType, mysqlType object
	for _, c := range data {
		sqlType.put(p.show(c.name), p.sqlType(c))
		mysqlType.put(c.name, p.show(p.mysqlType(c)))
	}
	msg := p.head(pkNames, "")
	msg.put("sqlType", &sqlType)
	msg.put("mysqlType", &mysqlType)
	if !o.DataFirst {
		msg.put("old", p.old(old))
	}
	msg.put("data", []*object{p.values(data)})
	if o.DataFirst {
		msg.put("old", p.old(old))
	}
	if o.Extension {
		var tidb object
		tidb.put("commitTs", p.commitTS())
		if key != "" {
			tidb.put(key, value)
		}
		msg.put("_tidb", &tidb)
	}
	return ticdcJSON(msg)
}

// sameName is for merge: names are compared as raw bytes.
func sameName(s string) string { return s }

// handleOf returns the columns of the handle key: of the primary key, else of
// the one that stands in for it.
func handleOf(columns []column) []column {
	var key, handle []column
	for _, c := range columns {
		if c.key {
			key = append(key, c)
		}
		if c.handle {
			handle = append(handle, c)
		}
	}
	if key != nil {
		return key
	}
	return handle
}

// isNull reports whether a column of that name is NULL in an image. A unique key
// that is does not find the row.
func isNull(image []column, name string) bool {
	for _, c := range merge(image, sameName) {
		if c.name == name && c.value == nil {
			return true
		}
	}
	return false
}

// old is rule 4.
func (p *ticdcPrinter) old(columns []column) any {
	if p.e.eventType != "UPDATE" {
		return nil
	}
	return []*object{p.values(columns)}
}

func (p *ticdcPrinter) values(columns []column) *object {
	var values object
	for _, c := range columns {
		if s, ok := c.value.(string); ok {
			p.show(s)
		}
		values.put(p.show(c.name), c.value)
	}
	return &values
}

// mysqlType is rule 5.
func (p *ticdcPrinter) mysqlType(c column) string {
	if p.o.TiCDC.ContentCompatible {
		return c.mysqlType
	}
	return parseType(c.mysqlType).name()
}

// sqlType is rule 6. All sources but Canal's follow it already; what Canal says
// counts where its mysqlType says nothing.
func (p *ticdcPrinter) sqlType(c column) int32 {
	if t := parseType(c.mysqlType); p.e.canal && t.known() {
		return t.sqlType(c.value)
	}
	return c.sqlType
}
