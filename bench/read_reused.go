package bench

import "github.com/cdcodec/cdcodec/fastjson"

// A keptMessage is a struct to read into that is used again, with its maps, emptied.
type keptMessage struct{ m, kept fastjson.Message }

// next returns the struct, empty.
func (k *keptMessage) next() *fastjson.Message {
	k.m = fastjson.Message{
		Data: emptied(k.kept.Data), Old: emptied(k.kept.Old), PKNames: k.kept.PKNames[:0],
		MySQLType: k.kept.MySQLType, SQLType: k.kept.SQLType,
	}
	clear(k.m.MySQLType)
	clear(k.m.SQLType)
	return &k.m
}

// keep keeps what a null has not replaced.
func (k *keptMessage) keep() {
	if k.m.Data != nil {
		k.kept.Data = k.m.Data
	}
	if k.m.Old != nil {
		k.kept.Old = k.m.Old
	}
	if k.m.PKNames != nil {
		k.kept.PKNames = k.m.PKNames
	}
	if k.m.MySQLType != nil && k.m.SQLType != nil {
		k.kept.MySQLType, k.kept.SQLType = k.m.MySQLType, k.m.SQLType
	}
}

// emptied returns rows to be filled again: all that were ever in use are emptied, as
// who reads fills the maps that it finds.
func emptied(rows []map[string]*string) []map[string]*string {
	for _, row := range rows[:cap(rows)] {
		clear(row)
	}
	return rows[:0]
}
