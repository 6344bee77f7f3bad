package tidbbinlog

import "github.com/cdcodec/cdcodec/change"

// BinlogType tells which of its two data fields a Binlog uses.
type BinlogType uint8

// The types of a Binlog, as its schema numbers them.
const (
	DML BinlogType = 0 // dml_data
	DDL BinlogType = 1 // ddl_data
)

// String returns the schema's name of the type, "" for a number it lacks.
func (t BinlogType) String() string {
	if int(t) < len(binlogTypeNames) {
		return binlogTypeNames[t]
	}
	return ""
}

var binlogTypeNames = [...]string{DML: "DML", DDL: "DDL"}

// set is the rule of a closed enum: a number it lacks leaves the value that was
// there before.
func (t *BinlogType) set(v int32) {
	if v == int32(DML) || v == int32(DDL) {
		*t = BinlogType(v)
	}
}

// MutationType is what happened to a row. It keeps numbers that have no name: a
// [Decoder] takes them for an error.
type MutationType int32

// The types of a mutation, as the schema numbers them.
const (
	InsertMutation MutationType = 0
	UpdateMutation MutationType = 1
	DeleteMutation MutationType = 2
)

// Change returns t in Canal's numbering, 0 for a number that has no name.
func (t MutationType) Change() change.Type {
	if uint32(t) < uint32(len(mutationChanges)) {
		return mutationChanges[t]
	}
	return 0
}

var mutationChanges = [...]change.Type{
	InsertMutation: change.Insert, UpdateMutation: change.Update, DeleteMutation: change.Delete,
}

// String returns the schema's name of the type, "" for a number it lacks.
func (t MutationType) String() string {
	if uint32(t) < uint32(len(mutationTypeNames)) {
		return mutationTypeNames[t]
	}
	return ""
}

var mutationTypeNames = [...]string{InsertMutation: "Insert", UpdateMutation: "Update", DeleteMutation: "Delete"}
