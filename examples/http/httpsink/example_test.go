package httpsink_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/examples/http/httpsink"
	"github.com/cdcodec/cdcodec/examples/input"
	"github.com/cdcodec/cdcodec/wire/frame"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Method, r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), strings.Count(string(body), "\n"), "messages")
	}))
	defer server.Close()
	in, err := os.Open("../../../testdata/binlogs.bin")
	if err != nil {
		panic(err)
	}
	defer in.Close()

	o := batch.PipelineOptions{
		Convert: cdcodec.Options{From: cdcodec.FromTiDBBinlog},
		Retry:   batch.Retry{Tries: -1},
		Acknowledge: func(first int64, delivered []batch.Record) {
			fmt.Printf("go on at %+v\n", delivered[len(delivered)-1].Tag)
		},
	}
	sink, err := httpsink.New(httpsink.Options{URL: server.URL, Stream: "orders", Batch: o.Batch})
	if err != nil {
		panic(err)
	}
	defer sink.Close()
	o.Sink = sink
	p, err := batch.NewPipeline(context.Background(), o)
	if err != nil {
		panic(err)
	}
	r, err := input.NewReader(in, frame.U32BE, input.Position{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Run(context.Background(), p, time.Second))
	// Output:
	// POST application/x-ndjson "orders/0-3/0.0.0/4" 4 messages
	// go on at {Records:4 Offset:742}
	// <nil>
}
