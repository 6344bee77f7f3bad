package bench

import "github.com/cdcodec/cdcodec/fastjson"

// oursWrite is a fastjson.Writer on Events whose columns are in memory.
func oursWrite() Run {
	var w fastjson.Writer
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		dst, err := w.AppendEvent(dst, r.Event, meta)
		return dst, 0, err
	}
}
