// Package fastjson writes Canal-JSON, as Canal itself does or as TiDB's TiCDC does:
// a [Writer] appends the messages of a [change.Event] to a buffer, without reflection
// and without allocating.
// [Message] is the convenient form of the same as a struct, for those who do
// not count nanoseconds.
//
// What sonic (github.com/bytedance/sonic) does here: it quotes strings of 1 KiB
// and more (512 bytes in dialect ticdc) where its escapes are the wanted ones, and it is what Message
// marshals and unmarshals with. All else is this package's own. With the build
// tag purego, and on machines sonic is not made for, it is not used at all; the
// bytes are the same.
//
// The package has nothing in common with valyala/fastjson or Alibaba's.
package fastjson
