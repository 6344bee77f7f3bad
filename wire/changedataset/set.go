package changedataset

import (
	"strconv"

	"github.com/cdcodec/cdcodec/wire"
)

// ChangeDataSet is a view of a whole set: its scalars, with schemas and changes
// still unread. It borrows the bytes it was parsed from; they are raw, not always
// UTF-8.
type ChangeDataSet struct {
	DBInstanceName []byte // "producer00", …
	SyncPoint      SyncPoint
	SrcDBHost      []byte // host and port
	DataSize       int32
	BirthTime      int64 // of the binlog event, seconds since 1970
	SendTime       int64 // of the producer, seconds since 1970

	msg wire.Message
}

// ParseChangeDataSet reads a ChangeDataSet: everything but what is inside its
// schemas and changes.
func ParseChangeDataSet(b []byte) (ChangeDataSet, error) {
	s := ChangeDataSet{msg: wire.NewMessage(b)}
	s.SyncPoint = SyncPoint{SyncType: GroupID, msg: s.msg, inSet: true}
	r := s.msg.Reader()
	for r.Next() {
		switch r.Tag {
		case setDBInstanceName:
			s.DBInstanceName = r.Bytes
		case setSyncPoint:
			if err := s.SyncPoint.merge(r.Message()); err != nil {
				return ChangeDataSet{}, setNames.inside(err, &r)
			}
		case setSrcDBHost:
			s.SrcDBHost = r.Bytes
		case setDataSize:
			s.DataSize = r.Int32()
		case setBirthTime:
			s.BirthTime = r.Int64()
		case setSendTime:
			s.SendTime = r.Int64()
		}
	}
	if err := setNames.failed(&r); err != nil {
		return ChangeDataSet{}, err
	}
	return s, nil
}

// Schemas returns an iterator over the schemas of s, superseded ones too.
func (s *ChangeDataSet) Schemas() Elements[TableSchema] {
	return elements(s.msg, setNames, setTableSchema, parseTableSchema)
}

// Changes returns an iterator over the changes of s.
func (s *ChangeDataSet) Changes() Elements[TableChange] {
	return elements(s.msg, setNames, setTableChange, parseTableChange)
}

// SyncType says which fields of a SyncPoint count.
type SyncType int32

// The types, as the schema numbers them.
const (
	GroupID SyncType = 1 // GroupID and GTIDs, of Baidu's own MySQL
	GTID    SyncType = 2 // GTIDs, of MySQL 5.6 and later
	Binlog  SyncType = 3 // BinlogFileName and Position
)

// String returns the schema's name of the type, its number where it has none.
func (t SyncType) String() string {
	switch t {
	case GroupID:
		return "GROUPID"
	case GTID:
		return "GTID"
	case Binlog:
		return "BINLOG"
	}
	return strconv.Itoa(int(t))
}

// SyncPoint is a view of where in its source's log a set stands, merged where a
// set has it in several parts. It borrows the bytes it was parsed from.
type SyncPoint struct {
	SyncType       SyncType // GroupID where absent
	GroupID        int64
	BinlogFileName []byte
	Position       int32 // offset in that file

	msg   wire.Message
	inSet bool // msg is the ChangeDataSet, not the SyncPoint
}

// ParseSyncPoint reads a SyncPoint.
func ParseSyncPoint(b []byte) (SyncPoint, error) {
	p := SyncPoint{SyncType: GroupID, msg: wire.NewMessage(b)}
	if err := p.merge(p.msg); err != nil {
		return SyncPoint{}, err
	}
	return p, nil
}

// merge reads one part of a sync point over what p holds. A type that the schema
// lacks keeps the one before it.
func (p *SyncPoint) merge(m wire.Message) *wire.ParseError {
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case syncSyncType:
			if t := SyncType(r.Int32()); t >= GroupID && t <= Binlog {
				p.SyncType = t
			}
		case syncGroupID:
			p.GroupID = r.Int64()
		case syncBinlogFileName:
			p.BinlogFileName = r.Bytes
		case syncPosition:
			p.Position = r.Int32()
		}
	}
	return syncNames.failed(&r)
}

// GTIDs returns an iterator over the gtIds of p, those of all its parts.
func (p *SyncPoint) GTIDs() GTIDs {
	if p.inSet {
		return GTIDs{parts: p.msg.Reader()}
	}
	return GTIDs{part: p.msg.Reader()}
}

// GTIDs iterates over gtIds:
//
//	for ids := set.SyncPoint.GTIDs(); ids.Next(); {
//		id := ids.GTID()
//		…
//	}
//
// Who parsed the SyncPoint has read all of it: there is no error to ask for.
type GTIDs struct{ parts, part wire.Reader }

// Next steps to the next gtId.
func (g *GTIDs) Next() bool {
	for {
		for g.part.Next() {
			if g.part.Tag == syncGTID {
				return true
			}
		}
		if !g.nextPart() {
			return false
		}
	}
}

// nextPart steps to the next part of a sync point that has several.
func (g *GTIDs) nextPart() bool {
	for g.parts.Next() {
		if g.parts.Tag == setSyncPoint {
			g.part = g.parts.Message().Reader()
			return true
		}
	}
	return false
}

// GTID returns the current gtId.
func (g *GTIDs) GTID() []byte { return g.part.Bytes }
