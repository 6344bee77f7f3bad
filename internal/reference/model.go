package reference

import "github.com/cdcodec/cdcodec/fastjson"

// event is one change as its source tells it. All strings in it are the bytes
// of the source, valid UTF-8 or not.
type event struct {
	database, table string
	gtid, sql       string
	eventType       string // by Canal's name
	isDDL           bool
	es              int64  // ms
	commitTS        uint64 // 0: the source tells none
	rows            []row
	mark            bool // of Canal: HEARTBEAT or GTIDLOG, whatever it holds

	// canal says that a Canal Entry tells this. Such an event has rules of its
	// own: its columns are flagged as updated, it keeps a name in pkNames as often
	// as it is there, and its sqlType is not what dialect ticdc would make of it.
	canal bool
}

// hasRows reports whether the rows of e count.
func (e *event) hasRows() bool {
	if e.isDDL {
		return false
	}
	switch e.eventType {
	case "INSERT", "UPDATE", "DELETE":
		return true
	}
	return false
}

// dropped reports whether the options leave e out.
func (e *event) dropped(o fastjson.Options) bool {
	switch {
	case e.mark:
		return o.DropHeartbeats
	case e.isDDL:
		return o.DropDDL
	}
	return !e.hasRows() && o.DropQueries
}

// data returns the image of a row that "data" shows.
func (e *event) data(r row) []column {
	if e.eventType == "DELETE" {
		return r.before
	}
	return r.after
}

// row is the two images of a row; either may be empty.
type row struct{ before, after []column }

// column is one value of one image.
type column struct {
	name      string
	value     any    // a string, or nil: NULL
	mysqlType string // as full as the source has it
	sqlType   int32
	key       bool // of the primary key
	handle    bool // of a unique key that stands in for one
	updated   bool // flagged as changed
}

// merge makes columns of the same name one: it is where the first one is, and
// has the value and the type of the last one. It is a key if one of them is.
// The name that counts, and that it has from then on, is what rename makes of it.
func merge(columns []column, rename func(string) string) []column {
	var merged []column
	at := map[string]int{}
	for _, c := range columns {
		c.name = rename(c.name)
		i, seen := at[c.name]
		if !seen {
			at[c.name] = len(merged)
			merged = append(merged, c)
			continue
		}
		c.key = c.key || merged[i].key
		c.handle = c.handle || merged[i].handle
		merged[i] = c
	}
	return merged
}

// differing returns the columns of before whose value is not the one that the
// column of that name has in after. A column that is not there has no such
// value. Both images are merged.
func differing(before, after []column) []column {
	values := map[string]any{}
	for _, c := range after {
		values[c.name] = c.value
	}
	var different []column
	for _, c := range before {
		if value, ok := values[c.name]; !ok || value != c.value {
			different = append(different, c)
		}
	}
	return different
}
