package reference

import (
	"fmt"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

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

// convert returns the message for a change, but for its id and ts.
func (c *converter) convert(header *canalpb.Header, change *canalpb.RowChange, eventType canalpb.EventType) *message {
	msg := &message{
		Database: c.show(header.GetSchemaName()),
		Table:    c.show(header.GetTableName()),
		ES:       header.GetExecuteTime(),
		Type:     eventType.String(),
		IsDDL:    change.GetIsDdl(),
		SQL:      c.show(change.GetSql()),
	}
	if !c.options.OmitGTID {
		gtid := c.show(header.GetGtid())
		msg.GTID = &gtid
	}

	switch eventType {
	case canalpb.EventType_INSERT, canalpb.EventType_UPDATE, canalpb.EventType_DELETE:
		if !change.GetIsDdl() {
			c.convertRows(msg, change.GetRowDatas(), eventType)
		}
	}
	return msg
}

// convertRows sets what msg says of the rows. It stays null where nothing was
// added to it.
func (c *converter) convertRows(msg *message, rows []*canalpb.RowData, eventType canalpb.EventType) {
	var sqlType, mysqlType object
	updated := map[string]bool{} // names of all columns updated so far

	for i, row := range rows {
		if c.options.OldPerRow {
			updated = map[string]bool{}
		}
		columns := row.GetAfterColumns()
		if eventType == canalpb.EventType_DELETE {
			columns = row.GetBeforeColumns()
		}

		var data object
		for _, col := range columns {
			name := c.show(col.GetName())
			data.put(name, value(col))
			sqlType.put(name, col.GetSqlType())
			mysqlType.put(name, col.GetMysqlType())
			if col.GetIsKey() && i == 0 {
				msg.PKNames = append(msg.PKNames, name)
			}
			if col.GetUpdated() {
				updated[name] = true
			}
		}
		if len(columns) > 0 {
			msg.Data = append(msg.Data, c.showValues(&data))
		}

		if eventType == canalpb.EventType_UPDATE {
			var old object
			for _, col := range row.GetBeforeColumns() {
				if updated[repair(col.GetName())] {
					old.put(c.show(col.GetName()), value(col))
				}
			}
			msg.Old = append(msg.Old, c.showValues(&old))
		}
	}

	msg.SQLType = sqlType.orNil()
	msg.MySQLType = c.showValues(&mysqlType).orNil()
}

// value returns what a column holds, not yet ready to be shown: another column
// of the same name may still take its place.
func value(col *canalpb.Column) any {
	if col.GetIsNull() {
		return nil
	}
	return col.GetValue()
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
