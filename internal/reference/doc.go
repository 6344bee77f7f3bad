// Package reference converts Canal entries to Canal-JSON slowly and plainly.
//
// It exists to be compared with. The library's own paths are written for
// speed; this one is written so that a reader can see that it is right, line
// by line against the rules of Canal's format, and tests and fuzz targets hold
// the fast paths to it, byte for byte. For that it shares no code with them:
// it has its own reading, its own repair of bad UTF-8 and its own printing,
// and takes from package fastjson nothing but the names of the options.
//
// An entry goes through it in four steps, each in a file of its own:
//
//	walk.go     is every byte well formed? The verdict, in plain recursion
//	entry.go    proto.Unmarshal for the values; which entries are skipped
//	convert.go  one RowChange to one message
//	json.go     the message as JSON, by encoding/json
//
// The walk is needed because proto.Unmarshal is not strict in the way that
// Canal is: it lets messages and groups nest to 10,000, not 100, and keeps
// enum numbers that the enum does not have, where Canal keeps the value that
// was set before.
//
// Nothing here is bounded or fast. MaxOutput is not looked at, and a ts of
// zero is printed as zero.
package reference
