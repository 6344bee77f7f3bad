// Package changedataset reads Baidu's ChangeDataSet in place: what a
// Fountain producer makes of a MySQL binlog, a batch of changed rows with the
// schemas to read them by. The law is spec/baidu-changedataset.md.
//
//	ChangeDataSet
//	├── syncPoint      where in the log this is: gtId, or file and position
//	├── tableSchema[]  a table's name, and of each column name, type, key, …
//	└── tableChange[]  a table's name, and one row: beforeData, afterData
//
// A row says nothing of its columns: its data meets the columns of the schema
// of the same tableName by position, and the schema's types say how the data is
// read. The last schema of a name is the one that counts, wherever in the set it
// stands. So one change cannot be read without all of the set, and a set is
// good or bad as a whole: a [Decoder] checks all of it before it gives away the
// first [change.Event], one for each row. Where several columns of a table have one
// name, an Event has one column: in the place of the first, with type and value
// of the last.
//
// The views (ParseChangeDataSet, …) read one message each and leave what is
// nested in it as bytes, to be read when asked for. They leave it to you which
// column a datum is of.
//
// All of them borrow the bytes they are given: views, and the slices in them,
// are good until those bytes are written to. Errors are of type
// *[wire.ParseError]. Its Offset counts from the start of what was parsed; its
// Path begins at the view whose method failed, and names the elements of a
// repeated field from 0: "tableChange[2].afterData[3].bytesValue".
//
// # What a conversion cannot know
//
// The schema is public as a list of fields and no more; where it is silent the
// page above decides. What is not in the bytes, nobody can put back:
//
//   - There is no DDL and no transaction in a set, and no time finer than a
//     second: ES is the second of the binlog event's header, in milliseconds.
//   - Which columns a statement set is not said: Updated means that the value
//     differs, as it prints, and null differs from any value.
//   - A key is what keyFlag, or a bit of databusColumnBitmap, says is one. Columns that are unique together carry
//     MUL, like those of any index, so only a unique key of one column (UNI) can
//     stand in for a primary key.
//   - A float or double arrives as 32 bits. What a double had beyond them was
//     lost before.
//   - A string is text as it stands, also where the type is binary; whether the
//     producer widened it is not said. Bytes of a binary type are widened here,
//     byte to code point, as Canal has them.
//   - Text is taken for UTF-8, whatever a column's charset says.
//   - ColumnData.sqlType is MySQL's own number for a type in Fountain, one of
//     java.sql.Types elsewhere. It is left alone unless Options.PassSQLType says
//     that it is the latter.
package changedataset
