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
// A batch is not of one partition or table: where that matters, take its messages one by
// one ([Message].Partition, Key, Table), and compress them one by one ([Options].PerMessage).
//
// A chunk goes back to the pool when the last Batch that has a span of it is
// released. With -tags cdcdebug the pool overwrites what comes back, so that whoever
// kept a slice sees it at once.
//
// # What can go wrong
//
//	what                             what becomes of it
//	a record cannot be converted     DeadLetter has it, and it counts as delivered;
//	                                 without a DeadLetter the Pipeline ends with a *RecordError
//	an entry of a packet is bad      its record is; or, with BadEntry, that entry is left out
//	Send fails                       the same batch is tried again, as Retry says; then the
//	                                 Pipeline ends with a *SendError
//	Send fails with Permanent        the Pipeline ends with a *SendError at once
//	the context of NewPipeline ends  the Pipeline ends with its cause
//	the context of Close ends        the Pipeline ends with its error
//
// Where a Pipeline ends, everything in front of a bad record has been delivered and
// acknowledged; in the other cases, what was acknowledged before. What is not acknowledged
// has to be submitted again, to a new Pipeline: messages that were sent in vain are sent
// twice then.
package batch
