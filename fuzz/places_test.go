package fuzz

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

var (
	pathForm = regexp.MustCompile(`^([a-zA-Z]\w*(\[\d+\])?(\.[a-zA-Z]\w*(\[\d+\])?)*)?$`)
	pathNum  = regexp.MustCompile(`\[\d+\]`)
)

// checkError is what holds of every error of a record.
func checkError(t *testing.T, q *question, err error) *wire.ParseError {
	t.Helper()
	e, ok := err.(*wire.ParseError)
	switch {
	case !ok:
		t.Fatalf("error of type %T: %v", err, err)
	case e.Offset < 0 || e.Offset > len(q.record):
		t.Fatalf("error at byte %d of %d: %v", e.Offset, len(q.record), e)
	case e.Err == nil || !pathForm.MatchString(e.Path) && q.options.From != cdcodec.FromCanalJSON: // there a path has names of columns
		t.Fatalf("error %#v", e)
	}
	return e
}

func (l *laws) badEntry(t *testing.T, q *question, index int, err error) {
	t.Helper()
	e := checkError(t, q, err)
	if at := fmt.Sprintf("body.messages[%d]", index); e.Path != at && !strings.HasPrefix(e.Path, at+".") {
		t.Fatalf("bad Entry %d is told as %v", index, e)
	}
	checkText(t, q, e)
}

// checkPlace holds the place of the error that q's record fails with to the one
// that protowire finds.
func (l *laws) checkPlace(t *testing.T, q *question, err error) {
	t.Helper()
	e := err.(*wire.ParseError)
	if q.options.From == cdcodec.FromCanalJSON {
		return
	}
	switch e.Err {
	case wire.ErrTruncated, wire.ErrVarint, wire.ErrNumber, wire.ErrType, wire.ErrGroup, wire.ErrDepth:
	default:
		checkText(t, q, e)
		return
	}
	drops := q.options.JSON.DropHeartbeats || q.options.JSON.Dialect == fastjson.TiCDC && q.options.To == cdcodec.ToJSON
	var f *fault
	switch {
	case q.list != nil:
		for i, entry := range q.cut(q.record) {
			if f = faultOfEntry(part{bytes: entry}, drops).within("entries[" + strconv.Itoa(i) + "]"); f != nil {
				break
			}
		}
	case q.options.From == cdcodec.FromTiDBBinlog:
		f = part{bytes: q.record}.check(binlogDesc, 0)
	case q.options.From == cdcodec.FromChangeDataSet:
		f = part{bytes: q.record}.check(changeSetDesc, 0)
	case q.options.From == cdcodec.FromEntry:
		f = faultOfEntry(part{bytes: q.record}, drops)
	default:
		f = part{bytes: q.record}.check(packetDesc, 0)
		if f == nil && !isMessages(q.record) {
			return // the body is an Ack
		}
		if f == nil {
			f = faultOfPacket(part{bytes: q.record}, drops)
		}
	}
	if f != nil && q.options.From == cdcodec.FromTiDBBinlog {
		// Elements have the numbers of the merged message, which check does not know.
		f.path, e = pathNum.ReplaceAllString(f.path, ""), &wire.ParseError{Offset: e.Offset, Path: pathNum.ReplaceAllString(e.Path, ""), Err: e.Err}
	}
	if f == nil || f.offset != e.Offset || f.path != e.Path {
		t.Fatalf("record %x\nfails with %v\nbut the fault is %+v", q.record, e, f)
	}
}

// isMessages reports whether the type of a Packet that is well formed is MESSAGES.
func isMessages(record []byte) bool {
	last := int32(0)
	part{bytes: record}.each(func(num protowire.Number, typ protowire.Type, _ part, v uint64) {
		if num == 3 && typ == protowire.VarintType {
			last = int32(v)
		}
	})
	return last == 7
}

// checkText looks up the string that an ErrInvalidUTF8 speaks of.
func checkText(t *testing.T, q *question, e *wire.ParseError) {
	t.Helper()
	if e.Err != fastjson.ErrInvalidUTF8 {
		return
	}
	record := q.record
	if q.list != nil {
		i, _ := strconv.Atoi(strings.TrimPrefix(strings.SplitN(e.Path, "]", 2)[0], "entries["))
		record = q.cut(record)[i]
	}
	num, typ, n := protowire.ConsumeTag(record[e.Offset:])
	if n < 0 || typ != protowire.BytesType || wire.Number(num) != e.Number {
		t.Fatalf("no string at byte %d: %v", e.Offset, e)
	}
	if s, n := protowire.ConsumeBytes(record[e.Offset+n:]); n < 0 || utf8.Valid(s) {
		t.Fatalf("%q is valid: %v", s, e)
	}
}

// repair does what rule 11 of spec/canal.md says, in its words: a character
// stays; of what is none, as much as begins one and is cut becomes one U+FFFD,
// and so does a surrogate.
func repair(s []byte) string {
	var out strings.Builder
	for len(s) > 0 {
		n, good := 0, false
		for k := 1; k <= min(4, len(s)); k++ {
			switch {
			case isChar(s[:k]):
				n, good = k, true
			case k == 1 || beginsChar(s[:k]) || isSurrogate(s[:k]):
				n = max(n, k)
			}
			if good {
				break
			}
		}
		if good {
			out.Write(s[:n])
		} else {
			out.WriteString("\uFFFD")
		}
		s = s[n:]
	}
	return out.String()
}

func isChar(s []byte) bool { return utf8.Valid(s) && utf8.RuneCount(s) == 1 }

// beginsChar reports whether some bytes behind s make a character of it.
func beginsChar(s []byte) bool {
	if len(s) >= 4 {
		return false
	}
	for _, c := range []byte{0x80, 0x90, 0xa0, 0xbf} {
		longer := append(bytes.Clone(s), c)
		if isChar(longer) || beginsChar(longer) {
			return true
		}
	}
	return false
}

func isSurrogate(s []byte) bool {
	tail := func(c byte) bool { return c >= 0x80 && c <= 0xbf }
	return len(s) >= 2 && len(s) <= 3 && s[0] == 0xed && s[1] >= 0xa0 && tail(s[1]) && (len(s) == 2 || tail(s[2]))
}
