//go:build (amd64 || arm64) && !purego

package codec

import (
	"reflect"

	"github.com/bytedance/sonic"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/mem"
)

var sonicReaders = []recipe{{"sonic", newSonicReader}, {"sonic-reused", newReusedReader}}

// newSonicReader returns the peer that reads with sonic as everybody does: into a
// new struct.
func newSonicReader(Options) *Codec {
	return &Codec{Read: func(record []byte) (uint64, error) {
		var m fastjson.Message
		if err := sonic.Unmarshal(record, &m); err != nil {
			return 0, err
		}
		var s sum
		s.message(&m)
		return uint64(s), nil
	}}
}

// newReusedReader returns the peer that reads with sonic at its best: compiled
// beforehand, from a string that is no copy, with strings that borrow it. The
// struct is used again, and so are its maps, emptied: on bulk and wide that
// saves a third and half of the time.
func newReusedReader(Options) *Codec {
	if err := sonic.Pretouch(reflect.TypeFor[fastjson.Message]()); err != nil {
		panic(err) // a struct as plain as that can be compiled
	}
	var m, kept fastjson.Message
	return &Codec{Read: func(record []byte) (uint64, error) {
		m = fastjson.Message{
			Data: emptied(kept.Data), Old: emptied(kept.Old), PKNames: kept.PKNames[:0],
			MySQLType: kept.MySQLType, SQLType: kept.SQLType,
		}
		clear(m.MySQLType)
		clear(m.SQLType)
		if err := sonic.UnmarshalString(mem.String(record), &m); err != nil {
			return 0, err
		}
		keep(&kept.Data, m.Data)
		keep(&kept.Old, m.Old)
		keep(&kept.PKNames, m.PKNames)
		if m.MySQLType != nil && m.SQLType != nil {
			kept.MySQLType, kept.SQLType = m.MySQLType, m.SQLType
		}
		var s sum
		s.message(&m)
		return uint64(s), nil
	}}
}

// keep keeps what a null has not replaced.
func keep[T any](to *[]T, from []T) {
	if from != nil {
		*to = from
	}
}

// emptied returns rows to be filled again. All that were ever in use are emptied,
// as sonic fills the maps that it finds.
func emptied(rows []map[string]*string) []map[string]*string {
	for _, row := range rows[:cap(rows)] {
		clear(row)
	}
	return rows[:0]
}
