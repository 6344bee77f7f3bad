package cdcodec_test

import (
	_ "embed"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// seedLines are messages that a Canal before 1.1.7 sent, as somebody wrote them
// down from Kafka; the last one was published on several lines, and is joined.
//
//go:embed testdata/seed004.jsonl
var seedLines string

// TestSeedLines builds the Entries that these messages come from.
func TestSeedLines(t *testing.T) {
	header := func(schema, table string, es int64) *canalpb.Header {
		return &canalpb.Header{SchemaName: &schema, TableName: &table, ExecuteTime: &es}
	}
	job := func(longValue, createTime string, changed Mark) Columns {
		return Columns{
			Col("id", "27", Key, Typed(-5, "bigint(20)")),
			Col("key_value", "", Null, NoValue, Typed(-4, "mediumtext")),
			Col("double_value", "", Null, NoValue, Typed(8, "double")),
			Col("long_value", longValue, changed, Typed(-5, "bigint(20)")),
			Col("store_type", "NUMBER", Typed(12, "varchar(255)")),
			Col("store_url", "", Null, NoValue, Typed(12, "varchar(255)")),
			Col("time", "1588748169", Typed(-5, "bigint(20)")),
			Col("item_id", "600", Typed(-5, "bigint(20)")),
			Col("create_time", createTime, changed, Typed(93, "timestamp")),
			Col("modify_time", "", Null, NoValue, Typed(93, "timestamp")),
		}
	}
	same := func(c *canalpb.Column) { c.Updated = proto.Bool(false) }

	lines := strings.Split(strings.TrimSuffix(seedLines, "\n"), "\n")
	cases := []struct {
		entry  []byte
		id, ts int64
	}{
		{EntryOf(header("bigdata", "job_result", 1588748884000), Change(Insert, Row(nil, job("100", "2020-05-06 00:00:00", Changed)))),
			24, 1588748884545},
		{EntryOf(header("bigdata", "job_result", 1588748996000), Change(Update,
			Row(job("100", "2020-05-06 00:00:00", same), job("1001", "2020-05-06 15:09:56", Changed)))),
			30, 1588748996121},
		{EntryOf(header("bigdata", "job_result", 1588764940000), Change(Delete, Row(job("1001", "2020-05-06 15:09:56", same), nil))),
			780, 1588764940116},
		{EntryOf(header("", "", 1588830163000), Statement(Query, false,
			"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `canal_manager` /*!40100 DEFAULT CHARACTER SET utf8 COLLATE utf8_bin */")),
			2, 1588830732675},
		{EntryOf(header("basicstat", "test_canal_truncate", 1608280674000),
			Statement(canalpb.EventType_TRUNCATE, true, "truncate test_canal_truncate")),
			30, 1608280674856},
	}
	if len(lines) != len(cases) {
		t.Fatalf("%d lines for %d cases", len(lines), len(cases))
	}
	for i, c := range cases {
		want := lines[i]
		becomeWith(t, want, c.entry, fastjson.Options{OmitGTID: true}, fastjson.Meta{ID: c.id, TS: c.ts}, want)
	}
}
