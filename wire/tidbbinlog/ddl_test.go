package tidbbinlog_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// statements is ticdc.md 13: by type, statements that have it.
var statements = []struct {
	typ  change.Type
	text []string
}{
	{change.Create, []string{
		"CREATE TABLE t (a INT)", "create table t(a int)", "CREATE TEMPORARY TABLE t (a INT)", "CREATE TABLE IF NOT EXISTS t LIKE u",
		"CREATE TABLE `t` SELECT 1", "Create\tTable\nt (a INT, b INT)", "CREATE/**/TABLE t (a INT)", "CREATE TABLE`t`(a INT)",
		"CREATE TABLE t (a INT); DROP TABLE t",
		"/* x */ CREATE TABLE t (a INT)", "-- x\nCREATE TABLE t (a INT)", "# x\nCREATE TABLE t (a INT)", "--\nCREATE TABLE t (a INT)",
		"/*!40101 CREATE TABLE t (a INT) */", "/*! CREATE */ TABLE t (a INT)", "/*!80000CREATE TABLE t (a INT)*/", "CREATE /*!32302 TEMPORARY */ TABLE t (a INT)",
		"\r\n\v\f CREATE TABLE t (a INT)", "/* a *//* b */CREATE TABLE t (a INT)", "/* DROP TABLE t; */CREATE TABLE t (a INT)",
		"CREATE TABLE /* never ends", "CREATE TABLE 'never ends", "CREATE -- x\n/* y */ # z\nTABLE t (a INT)", "/***/CREATE TABLE t (a INT)", "/*/ DROP */ CREATE TABLE t (a INT)",
		"/*! CREATE /* x */ TABLE t (a INT) */",
	}},
	{change.Rename, []string{
		"RENAME TABLE a TO b", "rename table a to b, c to d", "RENAME TABLES a TO b", "ALTER TABLE t RENAME TO u", "ALTER TABLE t RENAME AS u", "ALTER TABLE t RENAME u",
		"ALTER TABLE t RENAME `index`", "ALTER TABLE db.t RENAME TO db.u", "ALTER TABLE `db` . `t` RENAME TO u", "ALTER IGNORE TABLE t RENAME u",
		"ALTER TABLE t RENAME TO u;", "ALTER TABLE t ALGORITHM=INPLACE, RENAME TO u", "ALTER TABLE t /*! RENAME TO u */", "ALTER TABLE `a``b` RENAME TO u", "ALTER TABLE `a;b` RENAME TO u",
		"ALTER TABLE \"t\" RENAME TO u", "ALTER TABLE 1t.2t RENAME TO u", "ALTER TABLE täble RENAME TO u", "ALTER TABLE t$ RENAME TO u",
	}},
	{change.Erase, []string{"DROP TABLE t", "drop table if exists t, u", "DROP TABLES t", "/*!40000 DROP TABLE IF EXISTS t */", "DROP TABLE t CASCADE"}},
	{change.Truncate, []string{"TRUNCATE TABLE t", "TRUNCATE t", "truncate `t`", "TRUNCATE TABLE db.t"}},
	{change.CIndex, []string{
		"CREATE INDEX i ON t (a)", "CREATE UNIQUE INDEX i ON t (a)", "CREATE FULLTEXT INDEX i ON t (a)", "CREATE SPATIAL INDEX i ON t (a)", "CREATE VECTOR INDEX i ON t ((VEC_COSINE_DISTANCE(v)))",
		"CREATE INDEX IF NOT EXISTS i ON t (a, b) ALGORITHM=INPLACE LOCK=NONE",
		"ALTER TABLE t ADD INDEX i (a)", "ALTER TABLE t ADD INDEX i (a, b)", "ALTER TABLE t ADD KEY (a)", "alter table t add key i (a)", "ALTER TABLE t ADD UNIQUE (a)", "ALTER TABLE t ADD UNIQUE KEY u (a)",
		"ALTER TABLE t ADD UNIQUE INDEX u (a)", "ALTER TABLE t ADD PRIMARY KEY (a, b)", "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u (b)", "ALTER TABLE t ADD FULLTEXT INDEX i (a)",
		"ALTER TABLE t ADD FULLTEXT (a)", "ALTER TABLE t ADD SPATIAL INDEX (g)", "ALTER TABLE t ADD VECTOR INDEX ((VEC_L2_DISTANCE(v)))",
		"ALTER TABLE t ADD CONSTRAINT c UNIQUE (a)", "ALTER TABLE t ADD CONSTRAINT `c` PRIMARY KEY (a)", "ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES u (b) ON DELETE CASCADE",
		"ALTER TABLE t ADD CONSTRAINT UNIQUE (a)", "ALTER TABLE t ADD CONSTRAINT PRIMARY KEY (a)", "ALTER TABLE t ADD CONSTRAINT FOREIGN KEY (a) REFERENCES u (b)",
		"ALTER TABLE t ADD INDEX i (a) COMMENT 'a, b'", "ALTER TABLE t ADD INDEX i (a) COMMENT 'it''s, \\', ok'", "ALTER TABLE t ADD INDEX i (a) COMMENT \"a\"\", b\"", "ALTER TABLE t ADD INDEX `a,b` (a)",
		"ALTER TABLE t ADD INDEX i (a) /* , ADD COLUMN b INT */", "ALTER TABLE t ADD INDEX i (a) -- , x", "ALTER TABLE t ADD INDEX i (a); ALTER TABLE t ADD COLUMN b INT, ADD COLUMN c INT",
		"ALTER TABLE t LOCK=NONE, ADD INDEX i (a), ALGORITHM=INPLACE", "ALTER TABLE t ADD INDEX i ((a + b), (IF(a, b, c)))", "ALTER TABLE t ADD INDEX IF NOT EXISTS i (a)",
	}},
	{change.DIndex, []string{
		"DROP INDEX i ON t", "drop index if exists i on t", "ALTER TABLE t DROP INDEX i", "ALTER TABLE t DROP KEY i", "ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t DROP FOREIGN KEY f",
		"ALTER TABLE t DROP INDEX `i`, ALGORITHM=INPLACE", "ALTER TABLE t DROP INDEX IF EXISTS i",
	}},
	{change.Alter, []string{
		"ALTER TABLE t ADD COLUMN a INT", "ALTER TABLE t ADD a INT", "ALTER TABLE t ADD (a INT, b INT)", "ALTER TABLE t ADD COLUMN a INT UNIQUE", "ALTER TABLE t ADD `index` INT", "ALTER TABLE t ADD vector INT",
		"ALTER TABLE t DROP COLUMN a", "ALTER TABLE t DROP a", "ALTER TABLE t DROP `key`", "ALTER TABLE t MODIFY a BIGINT", "ALTER TABLE t MODIFY COLUMN a BIGINT", "ALTER TABLE t CHANGE a b INT",
		"ALTER TABLE t ALTER a SET DEFAULT 1", "ALTER TABLE t ALTER COLUMN a DROP DEFAULT", "ALTER TABLE t COMMENT 'x'", "ALTER TABLE t COMMENT = 'x, y'", "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4",
		"ALTER TABLE t CHARSET utf8mb4", "ALTER TABLE t DEFAULT CHARACTER SET = utf8mb4 COLLATE utf8mb4_bin", "ALTER TABLE t RENAME INDEX a TO b", "ALTER TABLE t RENAME KEY a TO b", "ALTER TABLE t RENAME COLUMN a TO b",
		"ALTER TABLE t ALTER INDEX i INVISIBLE", "ALTER TABLE t AUTO_INCREMENT = 100", "ALTER TABLE t FORCE",
		"ALTER TABLE t ADD PARTITION (PARTITION p VALUES LESS THAN (10))", "ALTER TABLE t DROP PARTITION p0, p1", "ALTER TABLE t TRUNCATE PARTITION p0", "ALTER TABLE t PARTITION BY HASH(a) PARTITIONS 4",
		"ALTER TABLE t REMOVE PARTITIONING", "ALTER TABLE t REORGANIZE PARTITION p0, p1 INTO (PARTITION p VALUES LESS THAN (10))", "ALTER TABLE t COALESCE PARTITION 2", "ALTER TABLE t PARTITION p ATTRIBUTES 'merge_option=deny'",
		"ALTER TABLE t ADD INDEX i (a), ADD INDEX j (b)", "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)", "ALTER TABLE t RENAME TO u, ADD COLUMN a INT", "ALTER TABLE t CACHE, NOCACHE",
		"ALTER TABLE t ADD COLUMN a INT, ADD INDEX i (a)", "ALTER TABLE t TTL = a + INTERVAL 1 DAY, COMMENT 'x'", "ALTER TABLE t ADD CHECK (a > 0), DROP CONSTRAINT c",
		"ALTER TABLE t", "ALTER TABLE t;", "ALTER TABLE t ALGORITHM=INPLACE", "ALTER TABLE t ORDER BY a, b", "ALTER TABLE t ADD STATS_EXTENDED s CARDINALITY(a, b)", "ALTER TABLE t /*T![ttl] TTL = `a` + INTERVAL 1 DAY */",
		"ALTER TABLE t SET TIFLASH MODE FAST", "ALTER TABLE t ADD PRIMARY_REGION INT", "ALTER TABLE d. ADD", "ALTER TABLE add ADD a INT", "ALTER TABLE t `ADD` INDEX i (a)",
	}},
	{change.Query, []string{
		"CREATE DATABASE d", "CREATE SCHEMA d", "DROP DATABASE d", "DROP SCHEMA d", "ALTER DATABASE d CHARACTER SET utf8mb4", "ALTER SCHEMA d CHARSET utf8mb4", "CREATE VIEW v AS SELECT 1", "CREATE OR REPLACE VIEW v AS SELECT 1",
		"DROP VIEW v", "ALTER VIEW v AS SELECT 1", "CREATE SEQUENCE s", "ALTER SEQUENCE s RESTART", "DROP SEQUENCE s", "RECOVER TABLE t", "FLASHBACK TABLE t TO u", "FLASHBACK DATABASE d", "LOCK TABLES t READ", "UNLOCK TABLES",
		"ALTER TABLE t SET TIFLASH REPLICA 1", "alter table t set tiflash replica 2 location labels 'a', 'b'", "ALTER TABLE t AUTO_ID_CACHE = 1", "ALTER TABLE t AUTO_ID_CACHE 1", "ALTER TABLE t AUTO_RANDOM_BASE = 1", "ALTER TABLE t FORCE AUTO_RANDOM_BASE = 1",
		"ALTER TABLE t SHARD_ROW_ID_BITS = 4", "ALTER TABLE t TTL = a + INTERVAL 1 DAY", "ALTER TABLE t TTL = a + INTERVAL 1 DAY TTL_ENABLE = 'OFF'", "ALTER TABLE t TTL_ENABLE = 'ON'", "ALTER TABLE t TTL_JOB_INTERVAL = '1h'", "ALTER TABLE t REMOVE TTL",
		"ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u WITHOUT VALIDATION", "ALTER TABLE t ADD CHECK (a > 0)", "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)", "ALTER TABLE t ADD CONSTRAINT CHECK (a > 0)", "ALTER TABLE t ADD CONSTRAINT `check` CHECK (a > 0)",
		"ALTER TABLE t DROP CHECK c", "ALTER TABLE t ALTER CHECK c NOT ENFORCED", "ALTER TABLE t ALTER CONSTRAINT c ENFORCED", "ALTER TABLE t DROP CONSTRAINT c", "ALTER TABLE t PLACEMENT POLICY = p", "ALTER TABLE t PLACEMENT POLICY DEFAULT",
		"ALTER TABLE t PARTITION p PLACEMENT POLICY = x", "ALTER TABLE t PARTITION `p` PLACEMENT POLICY DEFAULT", "ALTER TABLE t ALTER PARTITION p ADD PLACEMENT POLICY CONSTRAINTS='x'", "CREATE PLACEMENT POLICY p FOLLOWERS=4",
		"ALTER TABLE t CACHE", "ALTER TABLE t NOCACHE", "CREATE USER u", "ALTER USER u", "DROP USER u", "GRANT ALL ON *.* TO u", "RENAME USER a TO b", "SET PASSWORD = 'x'",
		"INSERT INTO t VALUES (1)", "USE d; CREATE TABLE t (a INT)", "CREATE", "DROP", "RENAME", "ALTER", "ALTER TABLE", "ALTER TABLE .t ADD INDEX i (a)", "ALTER TABLE d.", "ALTER TABLE d..t ADD INDEX i (a)", "ALTER TABLE (t) ADD INDEX i (a)", "CREATE TABLESPACE s", "CREATE TABLET",
		"", " ", ";", "; DROP TABLE t", "--", "-- DROP TABLE t", "--DROP TABLE t", "#", "/*", "/* DROP TABLE t", "/*/", "/*!", "/*!40101", "/*!40101 */", "*/ DROP TABLE t", "`DROP` TABLE t", "'DROP' TABLE t", "DROP `TABLE` t", "(DROP TABLE t)", "\xef\xbb\xbfDROP TABLE t", "\x00DROP TABLE t",
		"ALTER TABLE t ADD INDEX i (a) COMMENT 'never ends", "ALTER TABLE t ADD INDEX `never ends", "ALTER TABLE t ADD INDEX i (a) /* never ends", "ALTER TABLE t /*! ADD INDEX i (a)", "ALTER TABLE t ADD INDEX i (a) COMMENT \"never ends\\\"", "ALTER TABLE t ADD 'x\\", "ALTER TABLE `t ADD INDEX i (a)",
		"ALTER INSTANCE RELOAD TLS", "TRUNCATED t", "DROPTABLE t", "DROP INDEXES i", "CREATE UNIQUE TABLE t", "CREATE TEMPORARY VIEW v AS SELECT 1", "é", "🎁", "/*T! DROP TABLE t */",
	}},
}

// TestStatementType is rule 13, and the same with other white space and case.
func TestStatementType(t *testing.T) {
	n := 0
	for _, s := range statements {
		for _, sql := range s.text {
			n++
			if got := tidbbinlog.StatementType([]byte(sql)); got != s.typ {
				t.Errorf("%q is %v, want %v", sql, got, s.typ)
			}
			for name, other := range map[string]string{
				"in other case":          strings.Map(swapCase, sql),
				"behind a comment":       "/* x */" + sql,
				"behind white space":     " \t\r\n" + sql,
				"behind a line":          "-- DROP DATABASE d\n# x\n" + sql,
				"before another one":     sql + "\n; CREATE DATABASE d",
				"with spaces at the end": sql + "\n ",
			} {
				if name == "before another one" && strings.Count(sql, "/*!") > strings.Count(sql, "*/") {
					continue // it goes on
				}
				if got := tidbbinlog.StatementType([]byte(other)); got != s.typ {
					t.Errorf("%s %q is %v, want %v", name, other, got, s.typ)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("%d statements", n)
	}
}

func swapCase(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return r - 'a' + 'A'
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	}
	return r
}

// TestStatementTypeCut has every statement end anywhere: nothing is read behind the
// end.
func TestStatementTypeCut(t *testing.T) {
	for _, s := range statements {
		for _, sql := range s.text {
			for i := range len(sql) {
				cut := []byte(sql)[:i:i]
				got := tidbbinlog.StatementType(cut)
				if again := tidbbinlog.StatementType([]byte(sql)[:i]); got != again {
					t.Errorf("%q is %v, and %v with bytes behind it", cut, got, again)
				}
				if !got.Valid() || got.HasRows() {
					t.Errorf("%q is %v", cut, got)
				}
			}
		}
	}
}

// TestStatementTypeLinear reads megabytes of what may be read again and again.
func TestStatementTypeLinear(t *testing.T) {
	start := time.Now()
	for _, unit := range []string{
		"/*", "/**/", "/*!", "/*! */", "--", "-- \n", "#", "#\n", "'", "''", "`", "\"", "\\", "'\\", "(", ")", ",", ", ADD INDEX i (a)", ", 'a'", ";", "*/", "a", " ", ".", "a.", "ADD ", "CONSTRAINT ", "IGNORE ", "\x00", "\xff", "-", "/", "*", "!",
	} {
		long := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		for _, prefix := range []string{"", "ALTER TABLE t ADD INDEX i (a)", "ALTER TABLE t ADD ", "ALTER TABLE ", "CREATE ", "/*!", "/*", "'"} {
			if got := tidbbinlog.StatementType(append([]byte(prefix), long...)); !got.Valid() {
				t.Errorf("%q and a lot of %q is %v", prefix, unit, got)
			}
		}
	}
	if d := time.Since(start); d > 30*time.Second { // a second, as a rule
		t.Errorf("280 MB of statements took %v", d)
	}
}

func TestStatementTypeNoAllocation(t *testing.T) {
	var all [][]byte
	for _, s := range statements {
		for _, sql := range s.text {
			all = append(all, []byte(sql))
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		for _, sql := range all {
			tidbbinlog.StatementType(sql)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
