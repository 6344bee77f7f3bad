// Command gen makes the Go code of the packages under internal/pb.
//
// In four steps: compile every .proto file (compile.go), ask each plugin for
// its files, put those into gofmt's form, and only then replace what was there. It is a module of its own, so that neither the
// compiler nor the plugins are requirements of the library, and its go.mod is
// where their versions are set.
//
// Run it by go generate ./internal/pb, or here by go run .
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/pluginpb"
)

// importRoot is the import path of the folder whose packages we generate.
const importRoot = "github.com/cdcodec/cdcodec/internal/pb/"

func main() {
	dir := flag.String("dir", "..", "the `folder` that holds the packages, internal/pb")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	set, err := compile(dir)
	if err != nil {
		return err
	}
	tools, err := buildPlugins()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tools)

	module := "module=" + strings.TrimSuffix(importRoot, "/")
	vt := []string{module, "features=marshal+unmarshal+unmarshal_unsafe+pool+size+equal"}
	for _, name := range set.messages {
		vt = append(vt, "pool="+name)
	}
	files := make(map[string][]byte)
	for _, p := range []struct{ name, parameter string }{
		{"protoc-gen-go", module},
		{"protoc-gen-go-vtproto", strings.Join(vt, ",")},
	} {
		out, err := set.ask(filepath.Join(tools, p.name), p.parameter)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := collect(files, out); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return replace(dir, files)
}

// collect adds what a plugin answered to files, keyed by the path below
// internal/pb, with the text as gofmt has it.
func collect(files map[string][]byte, out []*pluginpb.CodeGeneratorResponse_File) error {
	for _, f := range out {
		name := f.GetName()
		if !filepath.IsLocal(name) || files[name] != nil {
			return fmt.Errorf("odd or repeated file name %q", name)
		}
		text, err := format.Source([]byte(f.GetContent()))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[name] = text
	}
	return nil
}

// replace writes files below dir and removes generated code that is no longer
// made. Files that are right already are left untouched.
func replace(dir string, files map[string][]byte) error {
	old, err := filepath.Glob(filepath.Join(dir, "*", "*.pb.go"))
	if err != nil {
		return err
	}
	for _, path := range old {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if files[filepath.ToSlash(name)] == nil {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if had, err := os.ReadFile(path); err == nil && bytes.Equal(had, text) {
			continue
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
