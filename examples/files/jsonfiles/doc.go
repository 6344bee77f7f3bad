// Package jsonfiles is a sink of files: JSON lines in a directory, compressed if wanted,
// that survive a crash at any moment.
//
//	cdc-000000000041.jsonl       whole; never written to again, yours to take away
//	cdc-000000000042.jsonl.part  being written
//	state.json                   how far both the input and the .part count
//
// # What is promised
//
// A file has its final name when all of it is on the disk, and not before. A batch is
// delivered when it is on the disk (fsync), and a new file's name as well. When all of a
// batch is acknowledged, state.json is replaced, in one step: it has the place in the input
// up to which all is delivered, and how long the .part is with it.
//
// After a crash, of the process or the machine, [Open] cuts the .part back to the length
// in state.json. What a batch has left half written is gone, and so are batches that were
// whole but not noted; the input is read again from before them. So delivery is at
// least once, and hardly ever more: a record is in the files twice only if a file was
// finished between two batches with messages of it, and the crash came before all of the
// second was acknowledged.
//
// An error of the file system is met like a crash: the file is closed and opened again,
// cut back, and the batch written anew, if batch.Retry says so. That also holds for a failed
// fsync, after which a system may have thrown away what it could not write: all of the
// batch is written again.
//
// # What it costs
//
// Three fsyncs a batch: of the file, of the new state.json, of the directory. Larger
// batches (batch.Options.MaxBytes and Linger) make that small. A batch that ends within a
// record, as they do where records have many messages, leaves state.json as it is; a
// restart may then read as much again as a file holds.
//
// # Bounds
//
// One process may use a directory at a time; nothing checks that. One directory is for one
// input. The file system must rename in one step, and keep what fsync said it keeps.
// On Windows a directory cannot be synced, and a new name may be lost in a power cut:
// then the file is still a .part, and state.json knows it.
//
// Compressed files are members of gzip or frames of zstd one behind the other, one for each
// batch, as gzip -dc, zstd -dc and their libraries read them.
//
// # Why not a library
//
// Those that rotate files are made for logs. natefinch/lumberjack, the best known, never
// calls fsync, gives the file that is being written its final name, refuses a Write that
// is longer than a file may be, and compresses in the background, where errors are lost.
package jsonfiles
