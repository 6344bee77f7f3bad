package bench

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// This file is for all who read the flat schema.

// A flatReader reads an Entry into memory that may be its own: it is good until the
// next.
type flatReader func(b []byte) (*canalflatpb.Entry, error)

// flatRun is the Run of stage decode of a reader.
func flatRun(read flatReader) Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		if isMark(r.Entry) {
			return dst, 0, nil
		}
		e, err := read(r.Entry)
		if err != nil {
			return dst, 0, err
		}
		var s sum
		s.flat(e)
		return dst, uint64(s), nil
	}
}

// convertRun is the Run of stage convert of a reader and a writer.
func convertRun(read flatReader, write Run) Run {
	var r Record
	return func(dst []byte, in *Record) (_ []byte, _ uint64, err error) {
		if isMark(in.Entry) {
			return dst, 0, nil
		}
		if r.Flat, err = read(in.Entry); err != nil {
			return dst, 0, err
		}
		return write(dst, &r)
	}
}

// isMark looks for the type of an Entry, and says whether it is a transaction's
// mark, whose storeValue the flat schema cannot read and nobody needs.
func isMark(b []byte) bool {
	const entryType = 2
	for len(b) > 0 {
		number, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if number == entryType && typ == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(b)
			return isMarkType(canalflatpb.EntryType(v))
		}
		if n = protowire.ConsumeFieldValue(number, typ, b); n < 0 {
			return false
		}
		b = b[n:]
	}
	return false
}

func isMarkType(t canalflatpb.EntryType) bool {
	return t == canalflatpb.EntryType_TRANSACTIONBEGIN || t == canalflatpb.EntryType_TRANSACTIONEND
}

// another returns s with one more element at its end, the one that was there before
// if there was one: it may be full.
func another[T any](s []*T) ([]*T, *T) {
	n := len(s)
	if n < cap(s) {
		s = s[:n+1]
	} else {
		s = append(s, nil)
	}
	if s[n] == nil {
		s[n] = new(T)
	}
	return s, s[n]
}
