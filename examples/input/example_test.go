package input_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/cdcodec/cdcodec/examples/input"
	"github.com/cdcodec/cdcodec/wire/frame"
)

func Example() {
	stream := "first\nsecond\nthird\n"
	r, err := input.NewReader(strings.NewReader(stream), frame.Lines, input.Position{})
	if err != nil {
		panic(err)
	}
	first, _ := r.Next()
	at := first.Tag.(input.Position) // keep it when the record is acknowledged

	r, err = input.NewReader(strings.NewReader(stream), frame.Lines, at)
	if err != nil {
		panic(err)
	}
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		fmt.Printf("%s %+v\n", record.Value, record.Tag)
	}
	// Output:
	// second {Records:2 Offset:12}
	// third {Records:3 Offset:18}
}
