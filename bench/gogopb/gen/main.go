// Command gen makes the Go code of package gogopb: it compiles the flat schema of
// internal/pb/canalflatpb and has protoc-gen-gogofaster, at the version that
// go.mod pins, write what it makes of it.
//
// Run it by go generate ./gogopb. No protoc is needed.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	schema  = "../../internal/pb/canalflatpb/canalflat.proto" // seen from gogopb
	name    = "cdcodec/bench/gogopb/canalflat.proto"
	pkg     = "github.com/cdcodec/cdcodec/bench/gogopb"
	plugin  = "github.com/gogo/protobuf/protoc-gen-gogofaster"
	written = "canalflat.pb.go"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	file, err := compile()
	if err != nil {
		return err
	}
	file.Options.GoPackage = proto.String(pkg)
	text, err := ask(file)
	if err != nil {
		return err
	}
	if text, err = format.Source(text); err != nil {
		return err
	}
	return os.WriteFile(written, text, 0o644)
}

func compile() (*descriptorpb.FileDescriptorProto, error) {
	text, err := os.ReadFile(schema)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // comments go into the output
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(map[string]string{name: string(text)}),
		},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, err
	}
	return protoutil.ProtoFromFileDescriptor(files[0]), nil
}

// ask runs the plugin, and returns the one file it makes.
func ask(file *descriptorpb.FileDescriptorProto) ([]byte, error) {
	in, err := proto.MarshalOptions{Deterministic: true}.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "run", plugin)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	answer := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(out, answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, errors.New(answer.GetError())
	}
	if len(answer.File) != 1 {
		return nil, fmt.Errorf("the plugin made %d files", len(answer.File))
	}
	return []byte(answer.File[0].GetContent()), nil
}
