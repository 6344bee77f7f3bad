package compress_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cdcodec/cdcodec/batch/compress"
)

func Example() {
	options, err := compress.Parse("zstd:fastest")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := compress.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	// A batch is spans of one buffer, or of many.
	spans := [][]byte{[]byte(strings.Repeat(`{"id":1}`, 100)), []byte("\n"), []byte(`{"id":2}`)}
	packed, err := c.AppendAll(nil, spans)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := c.AppendDecompressed(nil, packed, 1<<20)
	fmt.Println(len(packed) < 100, len(text), err)

	_, err = c.AppendDecompressed(nil, packed, 800)
	fmt.Println(err, errors.Is(err, compress.ErrLimit))
	// Output:
	// true 809 <nil>
	// compress: zstd: more bytes than the limit true
}
