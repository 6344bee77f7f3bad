package reference_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/reference"
)

func ExampleEntry() {
	change, _ := proto.Marshal(&canalpb.RowChange{
		EventType: canalpb.EventType_INSERT.Enum(),
		RowDatas: []*canalpb.RowData{{AfterColumns: []*canalpb.Column{{
			Name:      proto.String("id"),
			Value:     proto.String("42"),
			SqlType:   proto.Int32(4),
			MysqlType: proto.String("int"),
		}}}},
	})
	entry, _ := proto.Marshal(&canalpb.Entry{StoreValue: change})

	messages, err := reference.Entry(entry, fastjson.Options{}, fastjson.Meta{ID: 1, TS: 1700000000000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", messages[0])
	// Output:
	// {"data":[{"id":"42"}],"database":"","es":0,"gtid":"","id":1,"isDdl":false,"mysqlType":{"id":"int"},"old":null,"pkNames":null,"sql":"","sqlType":{"id":4},"table":"","ts":1700000000000,"type":"INSERT"}
}
