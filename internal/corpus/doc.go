// Package corpus makes realistic traffic for tests, fuzzing and benchmarks:
// Canal Entries, and records of TiDB and Baidu, the same bytes for the same name,
// count and seed, on every machine and for good.
//
// What a corpus holds is frozen: figures that were measured on it stay
// comparable, and a test pins its bytes. New traffic is a new name.
//
//	name    usual count  an Entry is                           in        JSON
//	oltp           5000  one row of 10 columns                 915 B     982 B
//	bulk             20  500 rows of 10 columns                392 KB    198 KB
//	wide            200  one row of 200 columns                15.8 KB   17.0 KB
//	blob            100  one row with 64 KiB full of escapes   66.0 KB   68.9 KB
//	prose           100  one row with 64 KiB, few escapes      66.0 KB   66.2 KB
//	stream        20000  a part of a transaction, or a DDL     1046 B    1128 B
//
//	name    usual count  a record is                           in        JSON
//	tidb           1000  a Binlog, of 10.3 rows                3522 B    918 B
//	baidu          1000  a ChangeDataSet, of 5.4 rows          3086 B    1022 B
//
// Sizes are means, with seed 1 and the usual count; those of JSON were measured
// on Canal's dialect with an id of one digit and a ts of 13, and are means of
// the messages there are. [Corpus].Source says what the records are; [Names] are
// those of Entries, [NamesOf] those of another source.
//
// Fields are set as Canal sets them (canal.go): those that are always written,
// isNull and updated among them, are there when false too; length is never
// written.
//
// # oltp and bulk
//
// Both have the eight tables of tables.go, each drawn as often as the others,
// with a bigint key and nine columns more: int, decimal, varchar, datetime,
// tinyint and text in all of them, others in some. Values are those of
// values.go: a name in three is Chinese, a text is some 120 bytes with
// quotes in it, and one column of each table is NULL in three rows of four.
//
// A third of the Entries each is an INSERT, an UPDATE and a DELETE. An UPDATE
// has the full row before and after, and 1 to 3 columns in which they differ,
// the same ones in all rows of an Entry, as one statement would do. In oltp,
// chance picks the table, and the order of the types within three Entries;
// bulk has few Entries, and takes tables and types in turn.
//
// # wide
//
// The four tables of wide.go, each drawn as often as the others, have a bigint
// key and 25 kinds of column for each of eight subjects, among them enum, set,
// bit, json, year, time, float and binary. No two are laid out alike. A cell in
// nine is NULL. For a NULL text, set or json Canal writes another sqlType than
// for a value, so that of 24 columns varies from row to row. The types of the
// Entries, and the changes of an UPDATE, are as in oltp.
//
// # blob and prose
//
// Each is INSERTs into a table of its own (texts.go), whose column body has
// 64 KiB exactly; the other six are short. All is ASCII. A text of blob is HTML,
// JSON or a program, as chance has it, and one byte in 24 of it must be escaped:
// quotes, backslashes, tabs, line ends, and in a text of four carriage returns
// before these; by text it is one in 17 to 28. A text of prose is paragraphs
// with one escape per KiB: their line ends, and two quotes in every other one.
// Neither has control characters other than these.
//
// # stream
//
// What a server sends: transactions, each a TRANSACTIONBEGIN, 1 to 20 Entries
// with rows and a TRANSACTIONEND, with one GTID; and before one of 16, by itself,
// an ALTER TABLE. The last transaction stops where the count is reached. Of
// Entries with rows one in seven has 2 to 6; their types are drawn, each as
// often. Of the usual count 16,745 have rows, 23,686 in all, 110 are DDLs, and the
// other 3,145 give no message; without these, an Entry is 1222 B.
//
// There are 2,000 tables (stream.go), the same ones for all seeds: shards of
// those of tables.go, of which two in three have had columns added or dropped,
// so that there are 986 layouts. Table n is drawn with a weight of 1/(n+50), and
// an Entry in four stays with the table of the one before it. So three Entries in
// ten are of the first 100 tables, two in three of the first 500, and fewer than
// one in a hundred of any; 1,885 tables occur. An ALTER TABLE adds a column to a
// table drawn like that, or drops one, anywhere in the row, and gives the table
// another tableId. Its rows look accordingly from then on; after 97 of the 110
// there are some.
//
// # tidb and baidu
//
// Both have the four tables of typed.go, each drawn as often as the others, with
// 10 to 12 columns: a bigint key, and of the kinds int, unsigned int and bigint,
// tinyint, smallint, double, float, decimal, char, varchar, text, date, datetime,
// timestamp, year, json, blob, varbinary, enum, set and bit some in each. An
// unsigned integer in eight is beyond the signed range of its type, a name in
// three is Chinese, the bytes of a blob are any, and one column of each table is
// NULL in three rows of four, others less often. A third of the rows each is
// inserted, updated and deleted, in an order that chance picks within three; an
// UPDATE changes 1 to 3 columns.
//
// A record of tidb is a transaction of 1 to 20 rows in 1 to 3 tables, with the
// fields set as drainer sets them: types without parameters, values in the
// field of their type, the primary key flagged and named.
//
// A record of baidu is 1 to 10 rows of one table or two, with the schemas of
// these. Types are in full; a large unsigned integer is a negative number, an
// enum, a set and a double are text, isNull is "0" or "1".
//
// # Others
//
// [Corpus.Packets] gives the Entries of any corpus of them as Packets.
//
// [Sample] is another thing: six Entries written by hand, to be shown.
package corpus
