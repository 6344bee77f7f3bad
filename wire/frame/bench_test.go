package frame_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cdcodec/cdcodec/wire/frame"
)

func BenchmarkNext(b *testing.B) {
	for _, kind := range []frame.Kind{frame.U32BE, frame.Uvarint, frame.Lines} {
		for _, size := range []int{300, 64 << 10, 1 << 20} {
			one, err := frame.Append(nil, kind, bytes.Repeat([]byte("x"), size))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("frame=%v/record=%d", kind, size), func(b *testing.B) {
				f := frame.NewReader(&loop{b: bytes.Repeat(one, max(1, 1<<20/len(one)))}, kind, 0)
				b.SetBytes(int64(len(one)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := f.Next(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
