package corpus

import (
	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// sampleTable is the table of Sample.
var sampleTable = table{"shop", "orders", 108, 1, []column{
	{name: "id", mysqlType: "bigint(20)", sqlType: typeBigint},
	{name: "customer", mysqlType: "varchar(64)", sqlType: typeVarchar},
	{name: "amount", mysqlType: "decimal(10,2)", sqlType: typeDecimal},
	{name: "status", mysqlType: "tinyint(4)", sqlType: typeTinyint},
	{name: "note", mysqlType: "text", sqlType: typeText},
}}

// Sample returns six Entries made to be read by people: a transaction that
// inserts a row with Chinese text and a NULL, updates two rows and deletes
// one, between its BEGIN and END, and then an ALTER TABLE.
func Sample() [][]byte {
	var (
		t      = &sampleTable
		null   = cell{null: true}
		insert = row{{text: "1003"}, {text: "王小明"}, {text: "59.90"}, {text: "0"}, null}
		ann    = row{{text: "1001"}, {text: "Ann Lee"}, {text: "12.00"}, {text: "1"}, null}
		annNow = row{{text: "1001"}, {text: "Ann Lee"}, {text: "12.00"}, {text: "2"}, {text: `leave it with "Bob" 🎁`}}
		bob    = row{{text: "1002"}, {text: "Bob"}, {text: "8.50"}, {text: "1"}, {text: "call first"}}
		bobNow = row{{text: "1002"}, {text: "Bob"}, {text: "8.50"}, {text: "2"}, {text: "call first"}}
		gone   = row{{text: "1000"}, {text: "Zoë"}, {text: "3.75"}, {text: "4"}, {text: "cancelled\nby phone"}}
	)
	at := place{offset: 4096, transaction: 42, time: 1_700_000_000}
	next := func(length int64) place {
		at.offset, at.length = at.offset+at.length, length
		return at
	}
	rows := func(event canalpb.EventType, length int64, data ...*canalpb.RowData) []byte {
		return rowsEntry(next(length), t, event, data)
	}
	entries := [][]byte{
		encode(header(next(72), "", "", nil, 0), canalpb.EntryType_TRANSACTIONBEGIN,
			&canalpb.TransactionBegin{ThreadId: proto.Int64(17)}),
		rows(canalpb.EventType_INSERT, 70, t.rowData(nil, insert)),
		rows(canalpb.EventType_UPDATE, 138, t.rowData(ann, annNow), t.rowData(bob, bobNow)),
		rows(canalpb.EventType_DELETE, 68, t.rowData(gone, nil)),
		encode(header(next(31), "", "", nil, 0), canalpb.EntryType_TRANSACTIONEND,
			&canalpb.TransactionEnd{TransactionId: proto.String("1178")}),
	}
	at.transaction++ // MySQL commits before a DDL, which has a GTID of its own
	return append(entries, encode(header(next(140), t.schema, t.name, canalpb.EventType_ALTER.Enum(), 0), canalpb.EntryType_ROWDATA,
		&canalpb.RowChange{
			EventType:     canalpb.EventType_ALTER.Enum(),
			IsDdl:         proto.Bool(true),
			Sql:           proto.String("ALTER TABLE orders ADD COLUMN gift tinyint(1) NOT NULL DEFAULT '0' COMMENT '礼品'"),
			DdlSchemaName: proto.String(t.schema),
		}))
}
