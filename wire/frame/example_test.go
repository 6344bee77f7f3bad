package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cdcodec/cdcodec/wire/frame"
)

func Example() {
	// Two records with their lengths before them, and a third that was cut off.
	var stream []byte
	for _, record := range []string{"first", "second", "the third"} {
		stream, _ = frame.Append(stream, frame.U32BE, []byte(record))
	}
	stream = stream[:len(stream)-4]

	r := frame.NewReader(bytes.NewReader(stream), frame.U32BE, 0)
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			fmt.Println("truncated:", errors.Is(err, frame.ErrTruncated))
			break
		}
		fmt.Printf("record %d at byte %d: %s\n", r.Record(), r.Offset(), record)
	}
	// Output:
	// record 0 at byte 4: first
	// record 1 at byte 13: second
	// frame of record 2 at byte 19: stream ends inside the frame
	// truncated: true
}
