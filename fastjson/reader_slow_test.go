package fastjson_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// The slow and obvious reader, on encoding/json, that the Reader is held to. It
// knows nothing of what the Reader does for messages that are odd, and says so.

type slowMember struct {
	name  string
	value json.RawMessage
}

// slowObject splits an object into its members; a name that is there twice is where it
// was first, with its last value.
func slowObject(raw []byte) (members []slowMember, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		m := slowMember{name.(string), value}
		if i := slowFind(members, m.name); i >= 0 {
			members[i] = m
		} else {
			members = append(members, m)
		}
	}
	return members, true
}

// slowPairs is slowObject with all members, as they are.
func slowPairs(raw []byte) (members []slowMember) {
	d := json.NewDecoder(bytes.NewReader(raw))
	for t, _ := d.Token(); t == json.Delim('{') && d.More(); {
		name, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		members = append(members, slowMember{name.(string), value})
	}
	return members
}

func slowFind(members []slowMember, name string) int {
	return slices.IndexFunc(members, func(m slowMember) bool { return m.name == name })
}

// slowReader checks shapes as it reads; ok becomes false where one is wrong.
type slowReader struct{ ok bool }

func (s *slowReader) must(is bool) bool {
	s.ok = s.ok && is
	return is
}

func isNull(raw []byte) bool { return string(raw) == "null" }

func (s *slowReader) text(raw []byte) (text string) {
	if !isNull(raw) {
		s.must(len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil)
	}
	return text
}

var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func (s *slowReader) integer(raw []byte, low, high string) *big.Int {
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		text = s.text(raw)
	}
	v, from, to := new(big.Int), new(big.Int), new(big.Int)
	if isNull(raw) || !s.must(wholeNumber.MatchString(text)) {
		return v
	}
	v.SetString(text, 10)
	from.SetString(low, 10)
	to.SetString(high, 10)
	s.must(v.Cmp(from) >= 0 && v.Cmp(to) <= 0)
	return v
}

func (s *slowReader) int64(raw []byte) int64 {
	return s.integer(raw, "-9223372036854775808", "9223372036854775807").Int64()
}

// array splits an array or null.
func (s *slowReader) array(raw []byte) (elements []json.RawMessage) {
	if !isNull(raw) {
		s.must(raw[0] == '[' && json.Unmarshal(raw, &elements) == nil)
	}
	return elements
}

// object splits an object or null.
func (s *slowReader) object(raw []byte) []slowMember {
	if isNull(raw) {
		return nil
	}
	members, ok := slowObject(raw)
	s.must(ok)
	return members
}

// slowRow is an element of data or old.
func (s *slowReader) rows(raw []byte) (rows [][]slowMember) {
	for _, e := range s.array(raw) {
		rows = append(rows, s.object(e))
	}
	return rows
}

func slowValue(raw []byte) (text string, null bool) {
	switch {
	case isNull(raw):
		return "", true
	case raw[0] == '"':
		_ = json.Unmarshal(raw, &text)
		return text, false
	}
	return string(raw), false
}

// slowRead reads a message. ok is false where it is no message; odd says that a
// Reader may give its rows otherwise, so that a Writer writes it again.
func slowRead(b []byte) (ev *change.Event, meta fastjson.Meta, odd, ok bool) {
	if !json.Valid(b) {
		return nil, meta, false, false
	}
	if _, ok := slowObject(b); !ok {
		return nil, meta, false, false
	}
	s := slowReader{ok: true}
	ev = &change.Event{}
	var data, old [][]slowMember
	var types, numbers []slowMember
	var keys []string
	var commit, watermark uint64
	var typ string
	var hasTiDB, isDDL bool
	var first string
	for i, m := range slowPairs(b) { // every one must have the right shape
		if i == 0 {
			first = m.name
		}
		switch m.name {
		case "data":
			data = s.rows(m.value)
		case "old":
			old = s.rows(m.value)
		case "mysqlType":
			types = s.object(m.value)
			for _, m := range slowPairs(m.value) {
				s.text(m.value)
			}
		case "sqlType":
			numbers = s.object(m.value)
			for _, m := range slowPairs(m.value) {
				s.integer(m.value, "-2147483648", "2147483647")
			}
		case "pkNames":
			keys = nil
			for _, e := range s.array(m.value) {
				s.must(!isNull(e))
				keys = append(keys, s.text(e))
			}
		case "_tidb":
			hasTiDB, commit, watermark = true, 0, 0
			s.object(m.value)
			for _, m := range slowPairs(m.value) {
				switch m.name {
				case "commitTs":
					commit = s.integer(m.value, "0", "18446744073709551615").Uint64()
				case "watermarkTs":
					watermark = s.integer(m.value, "0", "18446744073709551615").Uint64()
				case "onlyHandleKey", "claimCheckLocation":
					s.must(isNull(m.value) || string(m.value) == "false") // else it is a stub
				}
			}
		case "database":
			ev.Database = []byte(s.text(m.value))
		case "table":
			ev.Table = []byte(s.text(m.value))
		case "gtid":
			ev.GTID = []byte(s.text(m.value))
		case "sql":
			ev.SQL = []byte(s.text(m.value))
		case "type":
			typ = s.text(m.value)
		case "es":
			ev.ES = s.int64(m.value)
		case "id":
			meta.ID = s.int64(m.value)
		case "ts":
			meta.TS = s.int64(m.value)
		case "isDdl":
			isDDL = string(m.value) == "true"
			s.must(isDDL || isNull(m.value) || string(m.value) == "false")
		}
		if !s.ok {
			return nil, meta, false, false
		}
	}
	ev.IsDDL, ev.CommitTS = isDDL, commit
	for t := change.Insert; t.Valid(); t++ {
		if t.String() == typ {
			ev.Type = t
		}
	}
	switch {
	case typ == "TIDB_WATERMARK":
		ev.Kind, ev.CommitTS, ev.ES = change.KindWatermark, watermark, int64(watermark>>18)
	case ev.Type == 0:
		return nil, meta, false, false
	case isDDL:
		ev.Kind = change.KindDDL
	case !ev.Type.HasRows():
		ev.Kind = change.KindQuery
	}
	if ev.Kind != change.KindRows {
		return ev, meta, false, true
	}

	isCanal := first == "data" && !hasTiDB
	column := func(m slowMember) change.Column {
		c := change.Column{Name: []byte(m.name), Key: slices.Contains(keys, m.name)}
		var text string
		text, c.Null = slowValue(m.value)
		c.Value = []byte(text)
		if i := slowFind(types, m.name); i >= 0 {
			c.MySQLType = []byte(s.text(types[i].value))
		}
		if i := slowFind(numbers, m.name); i >= 0 {
			c.SQLType = int32(s.integer(numbers[i].value, "-2147483648", "2147483647").Int64())
		}
		return c
	}
	var rows []change.Row
	update := ev.Type == change.Update
	if !update {
		old = nil
	}
	ev.Partial = isCanal && update
	for i := range max(len(data), len(old)) {
		var row change.Row
		if i < len(data) {
			for _, m := range data[i] {
				c := column(m)
				if j := -1; i < len(old) {
					if j = slowFind(old[i], m.name); j < 0 {
						ev.Partial = true
					} else {
						was, null := slowValue(old[i][j].value)
						c.Updated = isCanal || null != c.Null || was != string(c.Value)
					}
				}
				row.After = append(row.After, c)
			}
		}
		if i < len(old) {
			for _, m := range old[i] {
				row.Before = append(row.Before, column(m))
				odd = odd || isCanal && (i >= len(data) || slowFind(data[i], m.name) < 0)
			}
		}
		if !update && ev.Type == change.Delete {
			row.Before, row.After = row.After, nil
		}
		rows = append(rows, row)
	}
	if isCanal && len(data) > 0 { // the first row's keys must be pkNames
		var has []string
		for _, m := range data[0] {
			if slices.Contains(keys, m.name) {
				has = append(has, m.name)
			}
		}
		odd = odd || !slices.Equal(has, keys)
	}
	ev.Rows = change.NewList(rows...)
	return ev, meta, odd, true
}
