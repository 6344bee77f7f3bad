// Package batch turns records into what a sink sends: batches of messages, in
// order, within limits, framed, and compressed if wanted.
//
//	records ─► Transcoder ─► chunks ─► Batch ─► Sink
//	           (N workers)   pooled    spans    retried, acknowledged in order
//
// A [Batcher] does it for one goroutine, step by step: give it records, take
// batches. A [Pipeline] does it for a stream, on several cores: it has workers that
// convert, keeps the order of the input, waits for the sink, retries it, and tells
// which records have been delivered, so that their place can be committed.
//
// # Where the bytes are
//
// Messages are converted straight into chunks, buffers of a [pool.Pool], each with its
// frame around it. A [Batch] is a list of spans of chunks: nothing is copied when one
// is made or written.
//
//	chunk 7  │ message ⏎ │ message ⏎ │ message ⏎ │
//	                     ╰─── batch 3, span 0 ───╯
//	chunk 8  │ message ⏎ │ message ⏎ │
//	         ╰─ span 1 ──╯╰ batch 4 …
//
// A chunk goes back to the pool when the last Batch that has a span of it is
// released. With -tags cdcdebug the pool overwrites what comes back, so that whoever
// kept a slice sees it at once.
package batch
