package cdcodec_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// Statements, and the changes of an ALTER TABLE, that random DDL is made of.
var (
	statements = []string{
		"create table t (a int)", "create temporary table t like u", "create global temporary table t (a int)", "create unique index i on t (a)", "create index i on t (a)",
		"create fulltext index i on t (a)", "create view v as select 1", "create database d", "create user u", "create sequence s", "drop table t, u", "drop tables if exists t",
		"drop temporary table t", "drop index i on t", "drop view v", "drop database d", "rename table t to u", "rename tables t to u, v to w", "rename user a to b",
		"truncate table t", "truncate t", "alter database d charset utf8mb4", "alter user u", "recover table t", "flashback table t", "lock tables t read", "insert into t values (1)", "",
	}
	changes = []string{
		"add column c int", "add c int", "add (c int, d int)", "drop column c", "drop c", "modify c int", "change c d int", "alter c set default 1", "alter column c drop default",
		"comment = 'a, b'", "rename index a to b", "rename key a to b", "rename column a to b", "rename to u", "rename as u", "rename u", "rename d.u", "convert to character set utf8",
		"add index i (a, b)", "add key (a)", "add unique (a)", "add unique index i (a)", "add primary key (a)", "add foreign key (a) references u (a)", "add fulltext i (a)",
		"add constraint c unique (a)", "add constraint `c d` foreign key (a) references u (a)", "add constraint primary key (a)", "add constraint c check (a > 1)", "add check (a > 1)",
		"drop index i", "drop key i", "drop primary key", "drop foreign key f", "drop check c", "drop constraint c", "alter check c not enforced", "alter index i invisible",
		"add partition (partition p values less than (1))", "drop partition p", "truncate partition p", "exchange partition p with table u", "reorganize partition p into (partition q)",
		"partition p placement policy = x", "partition by hash (a)", "remove partitioning", "placement policy = x", "cache", "nocache", "ttl = a + interval 1 day", "remove ttl",
		"ttl_enable = 'on'", "set tiflash replica 1", "auto_id_cache 100", "auto_random_base = 5", "force auto_random_base = 5", "shard_row_id_bits = 4", "engine = innodb", "auto_increment = 5",
		"algorithm = inplace", "lock = none", "order by a",
	}
	spaces = []string{" ", " ", "  ", "\n", "\t", " /* a, b; */ ", " -- c, d;\n", " # e\n", " /*!50001*/ ", " /*! */ "}
)

// TestDDL has random statements get the type that the reference gives them.
func TestDDL(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	o := cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: fastjson.Options{Dialect: fastjson.TiCDC}}
	tr := newTranscoder(t, o)
	types := map[string]int{}
	for i := range 20_000 {
		sql := pick(statements)
		if i%4 > 0 {
			sql = "alter table " + pick([]string{"t", "d.t", "`a b`", "`d`.`t`", "d . t"}) + " " + pick(changes)
			for range rnd.IntN(5) / 3 {
				sql += ", " + pick(changes)
			}
		}
		if rnd.IntN(2) == 0 {
			sql = strings.ToUpper(sql)
		}
		words := strings.Split(sql, " ")
		sql = pick([]string{"", "", "/* x */", "\n"}) + words[0]
		for _, w := range words[1:] {
			sql += pick(spaces) + w
		}
		sql += pick([]string{"", "", ";", " ; drop table t"})
		ddl := wire.AppendString(wire.AppendTag(nil, 3, wire.Bytes), sql)
		record := wire.AppendVarint(wire.AppendTag(nil, 1, wire.Varint), 1)
		record = wire.AppendBytes(wire.AppendTag(record, 4, wire.Bytes), ddl)
		holdToReference(t, tr, o, record, sql)
		out, _, _ := tr.Append(nil, nil, record, goldenMeta)
		_, rest, _ := strings.Cut(string(out), `"type":"`)
		typ, _, _ := strings.Cut(rest, `"`)
		types[typ]++
	}
	if len(types) != 8 {
		t.Errorf("only %v: this tested little", types)
	}
}
