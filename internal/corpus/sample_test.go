package corpus_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// TestSample writes the sample down as text, so that whoever changes it sees
// what changes for those who quote it.
func TestSample(t *testing.T) {
	want := []string{
		"TRANSACTIONBEGIN",
		`ROWDATA shop.orders INSERT` +
			` [id=1003! customer=王小明! amount=59.90! status=0! note=NULL!]`,
		`ROWDATA shop.orders UPDATE` +
			` [id=1001 customer=Ann Lee amount=12.00 status=1 note=NULL]` +
			` [id=1001 customer=Ann Lee amount=12.00 status=2! note=leave it with "Bob" 🎁!]` +
			` [id=1002 customer=Bob amount=8.50 status=1 note=call first]` +
			` [id=1002 customer=Bob amount=8.50 status=2! note=call first]`,
		`ROWDATA shop.orders DELETE` +
			" [id=1000 customer=Zoë amount=3.75 status=4 note=cancelled\nby phone]",
		"TRANSACTIONEND",
		`ROWDATA shop.orders ALTER` +
			` ALTER TABLE orders ADD COLUMN gift tinyint(1) NOT NULL DEFAULT '0' COMMENT '礼品'`,
	}
	got := corpus.Sample()
	if len(got) != len(want) {
		t.Fatalf("%d entries, want %d", len(got), len(want))
	}
	for i, wire := range got {
		if text := describe(t, wire); text != want[i] {
			t.Errorf("entry %d is\n%s\nwant\n%s", i, text, want[i])
		}
	}
}

// describe writes an Entry in a line; an exclamation mark means updated.
func describe(t *testing.T, wire []byte) string {
	var e canalpb.Entry
	if err := proto.Unmarshal(wire, &e); err != nil {
		t.Fatal(err)
	}
	if e.GetEntryType() != canalpb.EntryType_ROWDATA {
		return e.GetEntryType().String()
	}
	var rc canalpb.RowChange
	if err := proto.Unmarshal(e.StoreValue, &rc); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%v %s.%s %v", e.GetEntryType(), e.Header.GetSchemaName(), e.Header.GetTableName(), rc.GetEventType())
	if rc.GetIsDdl() {
		return text + " " + rc.GetSql()
	}
	for _, row := range rc.RowDatas {
		for _, image := range [][]*canalpb.Column{row.BeforeColumns, row.AfterColumns} {
			for i, c := range image {
				sep := " "
				if i == 0 {
					sep = " ["
				}
				value, mark := c.GetValue(), ""
				if c.GetIsNull() {
					value = "NULL"
				}
				if c.GetUpdated() {
					mark = "!"
				}
				text += sep + c.GetName() + "=" + value + mark
				if i == len(image)-1 {
					text += "]"
				}
			}
		}
	}
	return text
}

func ExampleMake() {
	c, err := corpus.Make("oltp", 1000, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Name, len(c.Entries), "entries,", c.Rows, "rows,", c.Size()/len(c.Entries), "bytes an entry")
	// Output:
	// oltp 1000 entries, 1000 rows, 914 bytes an entry
}
