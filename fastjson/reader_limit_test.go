package fastjson

import (
	"errors"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// TestReaderTooLong has messages of the longest length pass and a longer one not;
// what comes behind a message does not count.
func TestReaderTooLong(t *testing.T) {
	const msg = ` {"type":"INSERT"}`
	for limit := 1; limit < len(msg)+3; limit++ {
		r := Reader{limit: limit}
		var ev change.Event
		rest, err := r.Next(&ev, nil, []byte(msg+"   "))
		if limit >= len(msg) {
			if err != nil || string(rest) != "   " || ev.Type != change.Insert {
				t.Errorf("limit %d: rest %q, %v", limit, rest, err)
			}
			if err := r.Read(&ev, nil, []byte(msg+"   ")); err != nil {
				t.Errorf("limit %d: %v", limit, err)
			}
			continue
		}
		var p *wire.ParseError
		if !errors.As(err, &p) || p.Err != ErrTooLong || p.Offset != 1 || rest != nil {
			t.Errorf("limit %d: rest %q, %v", limit, rest, err)
		}
	}
	if maxMessage<<refFlags>>refFlags != maxMessage || uint64(maxMessage)<<refFlags > 1<<32-1 {
		t.Error("a position does not fit into a Ref")
	}
}
