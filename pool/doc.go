// Package pool lends buffers and takes them back: a [Pool] over
// github.com/valyala/bytebufferpool, with a cap on what is kept, sizes that do not get in
// each other's way, and a check of who breaks the rules.
//
// # The life of a buffer
//
//	Get, GetSize ──► b is yours ──► Put: b, b.B and every view of its bytes end here
//
// The rules:
//
//   - Between Get and Put a [Buffer] belongs to one owner, who may write to b.B, append to
//     it, or put another slice in its place. Its length is 0 at first, and what is behind
//     that is not zero.
//   - Put is the end of b and of all that borrows its bytes: sub-slices of b.B, messages,
//     events, strings made with unsafe. Whoever hands such views on says "good until Put",
//     and who wants one for longer copies it before.
//   - Put a buffer once, to the pool it is from. One that is never put back is not lost:
//     the collector takes it, and [Stats].InUse counts it for ever.
//   - Who wants to keep the memory takes it out: keep b.B, set b.B = nil, and Put b.
//
// # Builds that check
//
// With -tags cdcdebug, and under the race detector, [Debug] is true: Put fills all of the
// capacity with a byte that is neither text nor a short length, so that a view that lives on
// shows at once (or is a data race). There Put panics where a buffer is put twice or was never
// got from this pool, and Get where one was written to after its Put. What the check
// remembers of a buffer goes with the buffer. Other builds overwrite one byte, and check nothing.
//
// # What is kept
//
// A Pool has a bytebufferpool.Pool for each power of two from 512 bytes to
// MaxKept. A buffer goes by its capacity to the largest that is not larger, and GetSize
// takes from the smallest that is surely enough: short messages do not get the buffers
// of batches, nor does a batch get one that it must grow at once. Get, which knows no size,
// takes of the size that was last put back, as one pool would. Uses whose
// sizes differ much are better off with a Pool each; a Pool takes some 5 KB.
//
// bytebufferpool looks at every 42,000 buffers which lengths they had, and then drops those
// with a capacity that few would use. It is told the capacity as the length, so that it drops
// none but the odd sizes within a power of two that are rarer than one in twenty. That
// look costs one small allocation. Beyond 32 MiB it does not tell lengths apart, which
// is why that is the largest MaxKept. What lies in a Pool unused is freed by the second
// garbage collection, as package sync has it.
package pool
