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
// delivered when it is on the disk (fsync), and a new file's or new name's directory as
// well. Then state.json is replaced, in one step: it has the place in the input up to
// which all is delivered, and how long the .part is with it.
//
// After a crash, of the process or the machine, [Open] cuts the .part back to the length
// in state.json: what a batch has left half written is gone, and so is a batch that was
// whole but not noted, because the input is read again from before it. So delivery is at
// least once, and a record is in the files twice only if its messages went into several
// batches, and it was not acknowledged when the crash came.
//
// An error of the file system is met like a crash: the file is closed and opened again,
// cut back, and the batch written anew, if batch.Retry says so. That also holds for a failed
// fsync, after which a system may have thrown away what it could not write: all of the
// batch is written again.
//
// # What it costs
//
// Three fsyncs a batch: of the file, of the new state.json, of the directory. Larger
// batches (batch.Options.MaxBytes and Linger) make that small.
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
