// Package partition tells to which partition of a topic the rows of a change go: by
// Canal's rules, exactly, or in one of a few simpler ways.
//
// # The rules
//
// A rule string is what Canal's users have in canal.mq.partitionHash (spec: canal.md 3),
// rules with ";" or "," between them:
//
//	shop.orders:id                 by column id of table orders in schema shop
//	shop.orders:id^region          by two columns together
//	.*\..*:$pk$                    by the key columns of any table
//	shop.(orders|items)            by the table's name, so that its rows stay together
//
// The first rule whose table matches "schema.table" counts. A table with none of the
// characters *?+|(){}[]\$^ is a name, else it is a regular expression, which must match
// all of it; both ignore case, columns do not. Where no rule matches it is partition 0.
//
// It is read as Canal reads it, which has corners: the string is split first, so that
// an expression cannot have a comma or a semicolon in it, not even in {1,2}; what is
// behind the last colon of a rule is columns, so that (?:…) needs some behind it;
// spaces count; empty rules and empty column names are passed over, and "shop.orders:"
// is a rule by no columns at all.
//
// # The number
//
// Canal computes in Java's int. The hash of a row is that of each of its columns'
// values, String.hashCode over UTF-16 (see [Hash]), all of them XORed, with
// Options.DatabaseHash that of the schema too; of a table it is that of its name alone.
// The partition is abs(abs(hash) % n). NULL, and a column that the row lacks, count as
// "". Text that is not UTF-8 counts as what Canal reads instead (canal.md 2, rule 11).
//
// # The rows
//
// What counts is what Canal-JSON shows as "data": the after image of an INSERT or UPDATE,
// the before image of a DELETE. "$pk$" are the names in "pkNames": the key columns of
// the first row, for all rows. Where a name is in a row twice, the last value counts,
// as in JSON. An Event without rows to show (a DDL, a query, a mark in the stream) goes
// to partition 0.
package partition
