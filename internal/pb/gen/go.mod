module github.com/cdcodec/cdcodec/internal/pb/gen

go 1.26

tool (
	github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto
	google.golang.org/protobuf/cmd/protoc-gen-go
)

require (
	github.com/bufbuild/protocompile v0.14.1
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/planetscale/vtprotobuf v0.6.0 // indirect
	golang.org/x/sync v0.8.0 // indirect
)
