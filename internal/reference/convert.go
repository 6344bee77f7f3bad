package reference

import (
	"fmt"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/fastjson"
)

// printEvents returns the messages that events become in the dialect of o. If one of
// them cannot be printed it gives an error and no message at all.
func printEvents(events []*event, o fastjson.Options, m fastjson.Meta) (messages [][]byte, err error) {
	for _, e := range events {
		if e.dropped(o) {
			continue
		}
		var some [][]byte
		switch o.Dialect {
		case fastjson.Canal:
			some, err = canalMessages(e, o, m)
		case fastjson.TiCDC:
			some, err = ticdcMessages(e, o, m)
		default:
			panic("reference: unknown dialect")
		}
		if err != nil {
			return nil, err
		}
		messages = append(messages, some...)
	}
	return messages, nil
}

// canalMessages prints an event in dialect canal.
func canalMessages(e *event, o fastjson.Options, m fastjson.Meta) ([][]byte, error) {
	c := converter{options: o}
	whole := c.convert(e)
	if c.err != nil {
		return nil, c.err
	}
	whole.ID, whole.TS = m.ID, m.TS
	if !o.OneRow || len(whole.rows) == 0 {
		return [][]byte{whole.json()}, nil
	}
	var messages [][]byte
	for _, r := range whole.rows {
		part := *whole
		part.Data, part.Old = nil, nil
		part.add(r)
		messages = append(messages, part.json())
	}
	return messages, nil
}

// converter makes one message. Its err is the first text that was shown
// though the options forbid it.
type converter struct {
	options fastjson.Options
	err     error
}

// show returns s as it appears in the message. All text that appears goes
// through here, and nothing else does.
func (c *converter) show(s string) string {
	if c.options.RejectInvalidUTF8 && !utf8.ValidString(s) && c.err == nil {
		c.err = fmt.Errorf("invalid UTF-8: %q", s)
	}
	return repair(s)
}

// convert returns the message for an event, but for its id and ts.
func (c *converter) convert(e *event) *message {
	msg := &message{
		Database: c.show(e.database),
		Table:    c.show(e.table),
		ES:       e.es,
		Type:     e.eventType,
		IsDDL:    e.isDDL,
		SQL:      c.show(e.sql),
	}
	if !c.options.OmitGTID {
		gtid := c.show(e.gtid)
		msg.GTID = &gtid
	}
	if e.hasRows() {
		c.convertRows(msg, e)
	}
	return msg
}

// convertRows sets what msg says of the rows. It stays null where nothing was
// added to it.
func (c *converter) convertRows(msg *message, e *event) {
	var sqlType, mysqlType object
	updated := map[string]bool{} // names of all columns updated so far

	for i, row := range e.rows {
		if c.options.OldPerRow {
			updated = map[string]bool{}
		}
		columns := e.data(row)
		if !e.canal {
			columns = merge(columns, c.show)
		}

		var data object
		for _, col := range columns {
			name := c.show(col.name)
			data.put(name, col.value)
			sqlType.put(name, col.sqlType)
			mysqlType.put(name, col.mysqlType)
			if col.key && i == 0 {
				msg.PKNames = append(msg.PKNames, name)
			}
			if col.updated {
				updated[name] = true
			}
		}
		var shown messageRow
		if len(columns) > 0 {
			shown.data = c.showValues(&data)
		}

		if e.eventType == "UPDATE" {
			var old object
			for _, col := range c.changed(e, row, columns, updated) {
				old.put(c.show(col.name), col.value)
			}
			shown.old = c.showValues(&old)
		}
		if shown != (messageRow{}) {
			msg.rows = append(msg.rows, shown)
			msg.add(shown)
		}
	}

	msg.SQLType = sqlType.orNil()
	msg.MySQLType = c.showValues(&mysqlType).orNil()
}

// changed returns the columns that "old" shows of a row: all, if that is asked for. Of an Entry these are
// the ones whose name is among the updated ones; for all other sources, those
// that differ from what data shows.
func (c *converter) changed(e *event, r row, data []column, updated map[string]bool) []column {
	switch {
	case c.options.OldComplete && e.canal:
		return r.before
	case c.options.OldComplete:
		return merge(r.before, c.show)
	case !e.canal:
		return differing(merge(r.before, c.show), data)
	}
	var columns []column
	for _, col := range r.before {
		if updated[repair(col.name)] {
			columns = append(columns, col)
		}
	}
	return columns
}

// showValues makes the texts in a finished object ready to be shown.
func (c *converter) showValues(o *object) *object {
	for _, key := range o.keys {
		if s, ok := o.values[key].(string); ok {
			o.values[key] = c.show(s)
		}
	}
	return o
}
