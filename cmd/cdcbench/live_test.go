package main

import (
	"bufio"
	"io"
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// TestLive: a message is out before the next record comes in. If it were not,
// both ends would wait, and the test for ever.
func TestLive(t *testing.T) {
	in, feed := io.Pipe()
	read, out := io.Pipe()
	done := make(chan int)
	go func() {
		code := run([]string{"convert"}, in, out, io.Discard)
		out.Close()
		done <- code
	}()
	lines := bufio.NewScanner(read)
	for _, entry := range corpus.Sample()[1:4] {
		framed, err := frame.Append(nil, frame.U32BE, entry)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := feed.Write(framed); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || len(lines.Bytes()) == 0 {
			t.Fatal("no message")
		}
	}
	feed.Close()
	if lines.Scan() {
		t.Errorf("more than was asked for: %s", lines.Bytes())
	}
	if code := <-done; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
