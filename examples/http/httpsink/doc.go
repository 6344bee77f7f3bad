// Package httpsink is a sink that POSTs batches to a URL.
//
//	POST /cdc HTTP/1.1
//	Content-Type: application/x-ndjson          or application/json, with batch.Array
//	Content-Encoding: zstd                      or gzip, or none
//	Content-Length: 73211
//	Idempotency-Key: "orders/5-7/0.0.0/12"
//
//	{"data":[…],"database":"shop",…}
//
// # What counts as delivered
//
// A status of 2xx, with the whole answer behind it (of which 64 KiB at most are read).
// Everything else is an error:
//
//	408, 425, 429, 5xx                     is tried again, after Retry-After if there is one
//	no connection, a broken one, timeout,
//	half an answer                         is tried again
//	all others, a 301, 302 or 303 too      is batch.Permanent
//
// How often and after which pauses, [batch.Retry] says. 307 and 308 are followed, with
// the body; 301 to 303 are not: they would become a GET without one.
//
// # The same batch twice
//
// When an answer is lost, a batch that the receiver has is sent again. It is the same
// bytes with the same Idempotency-Key, by which the receiver can tell. The key is
//
//	stream/FIRST-LAST/ENTRY.ROW.PART/COUNT
//
// FIRST and LAST are numbers of records, the next three tell which message of record
// FIRST is the first, as in cdcodec.Message, and COUNT is how many messages there are.
// FIRST and LAST would not do: all messages of a large record have the same ones. Across a restart
// batches may be cut elsewhere, and then have other keys: who must have nothing twice
// looks at the numbers of records. With an Idempotency-Key net/http itself tries once
// more on a new connection, where one that was kept open turns out to be closed.
//
// # The body
//
// It is read from the batch's chunks, without a copy. net/http may go on reading a body
// after it has given the answer, or an error: this one ends when Send returns, as the
// chunks are the Pipeline's again then.
package httpsink
