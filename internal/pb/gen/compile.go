package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// protoRoot stands before the path of each .proto file in its descriptor. Go
// registers files under that path, so it has to be ours as the package is.
const protoRoot = "cdcodec/internal/pb/"

// A protoSet is all our .proto files, compiled.
type protoSet struct {
	names    []string // of the files, sorted
	files    []*descriptorpb.FileDescriptorProto
	messages []string // Go names with import path, as the pool option wants
}

// compile reads every <name>pb/*.proto below dir.
func compile(dir string) (*protoSet, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*pb", "*.proto"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no .proto files below %s", dir)
	}
	sources := make(map[string]string, len(paths))
	set := new(protoSet)
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		name := protoRoot + path.Join(filepath.Base(filepath.Dir(p)), filepath.Base(p))
		// A checkout on Windows may have CRLF; comments go into the output.
		sources[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
		set.names = append(set.names, name)
	}
	slices.Sort(set.names)

	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(context.Background(), set.names...)
	if err != nil {
		return nil, err
	}
	for _, f := range compiled {
		set.files = append(set.files, protoutil.ProtoFromFileDescriptor(f))
		pkg := importRoot + path.Base(path.Dir(f.Path()))
		set.addMessages(pkg+".", f.Messages())
	}
	return set, nil
}

// addMessages notes the Go names of messages and of those nested in them.
func (s *protoSet) addMessages(prefix string, messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		m := messages.Get(i)
		s.messages = append(s.messages, prefix+string(m.Name()))
		s.addMessages(prefix+string(m.Name())+"_", m.Messages())
	}
}

// ask runs a plugin over the whole set. The request names no compiler
// version, so the output does not depend on one.
func (s *protoSet) ask(plugin, parameter string) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	in, err := proto.MarshalOptions{Deterministic: true}.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: s.names,
		Parameter:      proto.String(parameter),
		ProtoFile:      s.files, // no file imports another: any order will do
	})
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(plugin)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
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
	return answer.File, nil
}

// buildPlugins builds the tools that go.mod names into a new folder. Version
// control stamps, workspaces and vendoring are kept out of it.
func buildPlugins() (string, error) {
	dir, err := os.MkdirTemp("", "cdcodec-gen-")
	if err != nil {
		return "", err
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-o", dir + string(filepath.Separator), "tool"}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("building the plugins: %w", err)
	}
	return dir, nil
}
