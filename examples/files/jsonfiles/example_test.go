package jsonfiles_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/examples/files/jsonfiles"
	"github.com/cdcodec/cdcodec/examples/input"
	"github.com/cdcodec/cdcodec/wire/frame"
)

func Example() {
	path, err := os.MkdirTemp("", "jsonfiles")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(path)
	in, err := os.Open("../../../testdata/binlogs.bin")
	if err != nil {
		panic(err)
	}
	defer in.Close()

	dir, err := jsonfiles.Open(jsonfiles.OS(path), jsonfiles.Options{Input: "binlogs"})
	if err != nil {
		panic(err)
	}
	r, err := input.NewReader(in, frame.U32BE, dir.Position()) // where it was left
	if err != nil {
		panic(err)
	}
	err = jsonfiles.Run(context.Background(), r, dir, batch.PipelineOptions{
		Convert: cdcodec.Options{From: cdcodec.FromTiDBBinlog},
		Retry:   batch.Retry{Tries: -1},
	})
	fmt.Println(err, dir.Position().Records)
	names, _ := filepath.Glob(filepath.Join(path, "*"))
	for _, name := range names {
		fmt.Println(filepath.Base(name))
	}
	// Output:
	// <nil> 4
	// cdc-000000000001.jsonl
	// state.json
}
