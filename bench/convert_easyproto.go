package bench

import (
	"github.com/VictoriaMetrics/easyproto"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// easyReader reads with easyproto, as decode_easyproto.go does, what a message of
// Canal-JSON shows, into the messages that the writers take.
type easyReader struct{ e canalflatpb.Entry }

func newEasyReader() *easyReader {
	return &easyReader{canalflatpb.Entry{Header: new(canalflatpb.Header), StoreValue: new(canalflatpb.RowChange)}}
}

// read is a flatReader. Of marks it reads the head only.
func (r *easyReader) read(src []byte) (_ *canalflatpb.Entry, err error) {
	r.e.EntryType = 0
	r.e.Header.Reset()
	var fc easyproto.FieldContext
	var store []byte
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return nil, err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			var data []byte
			if data, ok = fc.MessageData(); ok {
				err = readEasyHeader(r.e.Header, data)
			}
		case 2:
			var v int32
			v, ok = fc.Int32()
			r.e.EntryType = canalflatpb.EntryType(v)
		case 3:
			store, ok = fc.MessageData()
		}
		if !ok {
			err = errEasy
		}
		if err != nil {
			return nil, err
		}
	}
	if isMarkType(r.e.EntryType) {
		store = nil
	}
	return &r.e, readEasyChange(r.e.StoreValue, store)
}

func readEasyHeader(h *canalflatpb.Header, src []byte) (err error) {
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 6:
			h.ExecuteTime, ok = fc.Int64()
		case 8:
			h.SchemaName, ok = fc.String()
		case 9:
			h.TableName, ok = fc.String()
		case 13:
			h.Gtid, ok = fc.String()
		}
		if !ok {
			return errEasy
		}
	}
	return nil
}

func readEasyChange(c *canalflatpb.RowChange, src []byte) (err error) {
	c.EventType, c.IsDdl, c.Sql, c.RowDatas = 0, false, "", c.RowDatas[:0]
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 2:
			var v int32
			v, ok = fc.Int32()
			c.EventType = canalflatpb.EventType(v)
		case 10:
			c.IsDdl, ok = fc.Bool()
		case 11:
			c.Sql, ok = fc.String()
		case 12:
			var data []byte
			if data, ok = fc.MessageData(); ok {
				var row *canalflatpb.RowData
				c.RowDatas, row = another(c.RowDatas)
				err = readEasyRow(row, data)
			}
		}
		if !ok {
			err = errEasy
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func readEasyRow(row *canalflatpb.RowData, src []byte) (err error) {
	row.BeforeColumns, row.AfterColumns = row.BeforeColumns[:0], row.AfterColumns[:0]
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		var c *canalflatpb.Column
		switch fc.FieldNum {
		case 1:
			row.BeforeColumns, c = another(row.BeforeColumns)
		case 2:
			row.AfterColumns, c = another(row.AfterColumns)
		default:
			continue
		}
		data, ok := fc.MessageData()
		if !ok {
			return errEasy
		}
		if err := readEasyColumn(c, data); err != nil {
			return err
		}
	}
	return nil
}

func readEasyColumn(c *canalflatpb.Column, src []byte) (err error) {
	c.Index, c.SqlType, c.Name, c.IsKey = 0, 0, "", false
	c.Updated, c.IsNull, c.Value, c.MysqlType = false, false, "", ""
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			c.Index, ok = fc.Int32()
		case 2:
			var v int64
			v, ok = fc.Int64()
			c.SqlType = int32(v)
		case 3:
			c.Name, ok = fc.String()
		case 4:
			c.IsKey, ok = fc.Bool()
		case 5:
			c.Updated, ok = fc.Bool()
		case 6:
			c.IsNull, ok = fc.Bool()
		case 8:
			c.Value, ok = fc.String()
		case 10:
			c.MysqlType, ok = fc.String()
		}
		if !ok {
			return errEasy
		}
	}
	return nil
}

// easyJwriter and easySegmentio are two pairs at stage convert.
func easyJwriter() Run { return convertRun(newEasyReader().read, jwriterOnto()) }

func easySegmentio() Run { return convertRun(newEasyReader().read, segmentioWrite()) }
