// Package reference converts all sources to Canal-JSON slowly and plainly.
//
// It exists to be compared with. The library's own paths are written for
// speed; this one is written so that a reader can see that it is right, line
// by line against the rules of the pages in spec, and tests and fuzz targets hold
// the fast paths to it, byte for byte. For that it shares no code with them:
// it has its own reading, its own types of MySQL, its own repair of bad UTF-8 and
// its own printing, and takes from package fastjson nothing but the names of the
// options.
//
// A record goes through it in four steps:
//
//	walk.go              is every byte well formed? The verdict, in plain recursion
//	entry.go, packet.go  Canal: proto.Unmarshal for the values; which entries are skipped
//	tidb.go              TiDB's Binlog in the same way
//	baidu.go             Baidu's ChangeDataSet in the same way
//	model.go             what they all become: events with rows, in plain strings
//	convert.go           an event to messages of dialect canal
//	ticdc.go             an event to messages of dialect ticdc
//	json.go              the messages as JSON, by encoding/json
//
// types.go and values.go have what MySQL's types mean and how values look, ddl.go
// the type of a statement.
//
// The walk is needed because proto.Unmarshal is not strict in the way that
// Canal is: it lets messages and groups nest to 10,000, not 100, and keeps
// enum numbers that the enum does not have, where Canal keeps the value that
// was set before.
//
// Nothing here is bounded or fast. MaxOutput is not looked at, and a ts of
// zero is printed as zero.
package reference
