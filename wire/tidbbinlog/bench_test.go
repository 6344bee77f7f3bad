package tidbbinlog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// orders is a transaction of a table of 16 columns as shops have it, with that many
// rows: half of them inserts, half updates of one column.
func orders(rows int) []byte {
	fields := [][]byte{
		info("id", "bigint", pk), info("customer_id", "bigint", num(3, 0)), info("status", "tinyint", num(3, 0)), info("number", "varchar", num(3, 0)),
		info("amount", "decimal", num(3, 0)), info("discount", "double", num(3, 0)), info("currency", "char", num(3, 0)), info("created_at", "datetime", num(3, 0)),
		info("updated_at", "timestamp", num(3, 0)), info("paid", "tinyint", num(3, 0)), info("note", "text", num(3, 0)), info("kind", "enum", num(3, 0)),
		info("flags", "set", num(3, 0)), info("detail", "json", num(3, 0)), info("digest", "binary", num(3, 0)), info("version", "int", num(3, 0)),
	}
	row := func(i int, status int64) []byte {
		return join(
			i64(int64(700_000_000+i)), i64(int64(4_000_000+i*7)), i64(status), text(fmt.Sprintf("SO-2024-%07d", i)),
			text(fmt.Sprintf("%d.%02d", 10+i%900, i%100)), f64(float64(i%50)/4), text("EUR"), text("2024-05-17 12:34:56"),
			text("2024-05-17 12:34:56.789012"), i64(status&1), text("leave it at the door, please; ring twice"), u64(uint64(1+i%3)),
			u64(uint64(i%8)), raw(fmt.Sprintf(`{"items":[{"sku":"A%d","n":%d}],"gift":false}`, i, i%9)), raw("\x12\xf3\x9a\x01\x7fabcdefghijk"), i64(int64(i%20)),
		)
	}
	for i := range rows {
		if i%2 == 0 {
			fields = append(fields, insert(row(i, 1)))
		} else {
			fields = append(fields, update(row(i, 2), row(i, 1)))
		}
	}
	return binlog(table(fields...))
}

// BenchmarkDecode reads a transaction an operation: opens it, which checks all of it,
// and asks for its Events; with columns=walk it reads the columns of both images of
// each.
func BenchmarkDecode(b *testing.B) {
	for _, rows := range []int{1, 10, 1000} {
		record := orders(rows)
		for _, columns := range []string{"check", "events", "walk"} {
			b.Run(fmt.Sprintf("rows=%d/columns=%s", rows, columns), func(b *testing.B) {
				b.SetBytes(int64(len(record)))
				b.ReportAllocs()
				var d tidbbinlog.Decoder
				var ev change.Event
				n := 0
				for b.Loop() {
					if err := d.Open(record); err != nil {
						b.Fatal(err)
					}
					if columns == "check" {
						continue
					}
					for d.Next(&ev) {
						n++
						if columns == "walk" {
							n += walk(&ev)
						}
					}
				}
				if n == 0 && columns != "check" {
					b.Error("nothing was read")
				}
			})
		}
	}
}

// walk looks at every column of both images.
func walk(ev *change.Event) (n int) {
	if ev.Rows == nil {
		return 0
	}
	for ev.Rows.Rewind(); ev.Rows.Next(); {
		for _, im := range []change.Image{change.Before, change.After} {
			ev.Rows.Select(im)
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				n += len(c.Name) + len(c.Value) + len(c.MySQLType) + int(c.SQLType)
				if c.Key || c.Updated || c.Null {
					n++
				}
			}
		}
	}
	return n
}

func BenchmarkStatementType(b *testing.B) {
	for _, c := range []struct{ name, sql string }{
		{"create", "CREATE TABLE t (a INT, b VARCHAR(20) COMMENT 'x')"},
		{"alter", "/* x */ ALTER TABLE `shop`.`orders` ADD INDEX `i` (`a`, `b`) COMMENT 'for the report'"},
		{"long", "ALTER TABLE t ADD INDEX i (a)" + strings.Repeat(", ADD COLUMN c INT COMMENT 'one more'", 1000)},
	} {
		b.Run("sql="+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.sql)))
			sql := []byte(c.sql)
			for b.Loop() {
				tidbbinlog.StatementType(sql)
			}
		})
	}
}
