package reference

import (
	"strings"
	"testing"
)

// TestTiCDC13DDLType is ticdc.md 13.
func TestTiCDC13DDLType(t *testing.T) {
	for want, statements := range map[string][]string{
		"CREATE": {
			"CREATE TABLE t (a int)", "create table if not exists `t` like u", "CREATE TEMPORARY TABLE t (a int)",
			"CREATE TABLE t (a int, INDEX i (a))", "create\n\ttable t(a int)", "CREATE TABLE",
		},
		"RENAME": {
			"RENAME TABLE a TO b", "rename table a to b, c to d", "ALTER TABLE a RENAME TO b", "ALTER TABLE a RENAME AS b",
			"ALTER TABLE a RENAME b", "ALTER TABLE `d`.`a` RENAME `index`", "ALTER TABLE a RENAME = b",
		},
		"ERASE":    {"DROP TABLE t", "drop table if exists a, b"},
		"TRUNCATE": {"TRUNCATE TABLE t", "truncate t", "TRUNCATE `t`"},
		"CINDEX": {
			"CREATE INDEX i ON t (a)", "CREATE UNIQUE INDEX i ON t (a)", "create fulltext index i on t (a)", "CREATE SPATIAL INDEX i ON t (a)",
			"CREATE VECTOR INDEX i ON t (a)", "ALTER TABLE t ADD INDEX i (a, b)", "ALTER TABLE t ADD KEY (a)", "ALTER TABLE t ADD UNIQUE (a)",
			"ALTER TABLE t ADD UNIQUE INDEX i (a)", "ALTER TABLE t ADD UNIQUE KEY (a)", "ALTER TABLE t ADD PRIMARY KEY (a)",
			"ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u (b)", "ALTER TABLE t ADD CONSTRAINT FOREIGN KEY (a) REFERENCES u (b)",
			"ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES u (b)", "ALTER TABLE t ADD CONSTRAINT `check` UNIQUE (a)",
			"ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (a)", "ALTER TABLE t ADD CONSTRAINT PRIMARY KEY (a)", "ALTER TABLE t ADD FULLTEXT INDEX (a)",
			"ALTER TABLE d.t ADD INDEX i (a)", "ALTER TABLE `a``, b` ADD INDEX i (a)", "ALTER TABLE t ADD INDEX i (a) COMMENT 'x,y'",
			"ALTER TABLE t ADD INDEX i (a), ALGORITHM=INPLACE, LOCK=NONE", "ALTER TABLE t ADD VECTOR INDEX i (a)",
		},
		"DINDEX": {
			"DROP INDEX i ON t", "drop index if exists i on t", "ALTER TABLE t DROP INDEX i", "ALTER TABLE t DROP KEY i",
			"ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t DROP FOREIGN KEY f",
		},
		"ALTER": {
			"ALTER TABLE t ADD COLUMN a int", "ALTER TABLE t ADD a int", "ALTER TABLE t ADD (a int, b int)", "ALTER TABLE t ADD COLUMN a int UNIQUE",
			"ALTER TABLE t ADD `index` int", "ALTER TABLE t ADD index_of int", "ALTER TABLE t ADD vector VECTOR(3)",
			"ALTER TABLE t DROP COLUMN a", "ALTER TABLE t DROP a", "ALTER TABLE t DROP `index`", "ALTER TABLE t MODIFY a int", "ALTER TABLE t CHANGE a b int",
			"ALTER TABLE t ALTER a SET DEFAULT 1", "ALTER TABLE t ALTER COLUMN a DROP DEFAULT", "ALTER TABLE t COMMENT = 'x'",
			"ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4", "ALTER TABLE t CHARACTER SET utf8", "ALTER TABLE t DEFAULT CHARSET = utf8",
			"ALTER TABLE t RENAME INDEX a TO b", "ALTER TABLE t RENAME KEY a TO b", "ALTER TABLE t RENAME COLUMN a TO b",
			"ALTER TABLE t ALTER INDEX i INVISIBLE", "ALTER TABLE t ADD PARTITION (PARTITION p VALUES LESS THAN (5))",
			"ALTER TABLE t DROP PARTITION p", "ALTER TABLE t TRUNCATE PARTITION p, q", "ALTER TABLE t PARTITION BY HASH (a)",
			"ALTER TABLE t PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (5) PLACEMENT POLICY = x)",
			"ALTER TABLE t REMOVE PARTITIONING", "ALTER TABLE t REORGANIZE PARTITION p INTO (PARTITION q VALUES LESS THAN (9))",
			"ALTER TABLE t AUTO_INCREMENT = 5", "ALTER TABLE t ENGINE = InnoDB",
			"ALTER TABLE t ADD INDEX i (a), ADD INDEX j (b)", "ALTER TABLE t RENAME TO u, ADD a int", "ALTER TABLE t ADD a int, DROP b",
			"ALTER TABLE t DROP INDEX i, LOCK=NONE, DROP INDEX j", "ALTER TABLE t CACHE, NOCACHE",
		},
		"QUERY": {
			"CREATE DATABASE d", "DROP DATABASE IF EXISTS d", "ALTER DATABASE d CHARACTER SET utf8", "CREATE SCHEMA d", "ALTER SCHEMA d COLLATE x",
			"CREATE VIEW v AS SELECT 1", "CREATE OR REPLACE VIEW v AS SELECT 1", "DROP VIEW v", "CREATE SEQUENCE s", "ALTER SEQUENCE s", "DROP SEQUENCE s",
			"RECOVER TABLE t", "FLASHBACK TABLE t", "LOCK TABLES t WRITE", "UNLOCK TABLES", "ALTER TABLE t SET TIFLASH REPLICA 1", "ALTER TABLE t AUTO_ID_CACHE 100",
			"ALTER TABLE t AUTO_RANDOM_BASE = 5", "ALTER TABLE t FORCE AUTO_RANDOM_BASE = 5", "ALTER TABLE t SHARD_ROW_ID_BITS = 4",
			"ALTER TABLE t TTL = a + INTERVAL 1 DAY", "ALTER TABLE t TTL_ENABLE = 'OFF'", "ALTER TABLE t REMOVE TTL", "ALTER TABLE t TTL_JOB_INTERVAL='1h'",
			"ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u", "ALTER TABLE t ADD CHECK (a > 1)", "ALTER TABLE t ADD CONSTRAINT CHECK (a > 1)",
			"ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)", "ALTER TABLE t DROP CHECK c", "ALTER TABLE t ALTER CHECK c NOT ENFORCED",
			"ALTER TABLE t ALTER CONSTRAINT c ENFORCED", "ALTER TABLE t DROP CONSTRAINT c", "ALTER TABLE t PLACEMENT POLICY = p",
			"ALTER TABLE t PARTITION p PLACEMENT POLICY = x", "ALTER TABLE t CACHE", "ALTER TABLE t NOCACHE", "CREATE PLACEMENT POLICY p",
			"CREATE USER u", "ALTER USER u", "DROP USER u", "RENAME USER a TO b", "GRANT ALL ON t TO u", "INSERT INTO t VALUES (1)",
			"", " \n", ";", "-- nothing", "/* CREATE TABLE t */", "`CREATE` TABLE t", "CREATE `TABLE` t", "CREATETABLE t", "ALTER TABLE",
			"ALTER TABLE `t ADD INDEX i (a)", "'CREATE TABLE t'", "\x00CREATE TABLE t", "ALTER TABLE t , LOCK=NONE", "CREATE", "ALTER",
		},
	} {
		for _, sql := range statements {
			if got := ddlType(sql); got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
			if strings.Contains(sql, "`") || want == "QUERY" {
				continue
			}
			// What is before, around and behind the first statement does not matter.
			for _, other := range []string{
				" \t\r\n\f\v" + sql, "/* a; b */ " + sql, "-- DROP TABLE x;\n" + sql, "--\n" + sql, "# x\n" + sql, "/**/" + sql + ";", sql + "; DROP DATABASE d, e",
				"/*! " + sql + " */", "/*!50100 " + sql + "*/;", "/*!99999" + sql + "*/", sql + " -- ,", sql + "/* , */", strings.ReplaceAll(sql, " ", "/* , */"),
				strings.ReplaceAll(sql, " ", " -- ',`\n"), strings.ToLower(sql), "/* a */ /*!50100 " + sql + " /* b */ */",
			} {
				if got := ddlType(other); got != want {
					t.Errorf("%s: %s, want %s", other, got, want)
				}
			}
		}
	}
}

// TestTokens is what the cases above do not show.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want string // the tokens, with bars between them; an empty one at the end is broken
	}{
		{"", ""}, {"a.b", "a|.|b"}, {"a$1_é=2", "a$1_é|=|2"}, {"a--b", "a|-|-|b"}, {"a --", "a"}, {"a -- b", "a"}, {"a#b\nc", "a|c"},
		{"'it''s' x", "'it''s'|x"}, {`'a\'b' x`, `'a\'b'|x`}, {`"a'b" x`, `"a'b"|x`}, {"`a\\` x", "`a\\`|x"}, {"`a``b` x", "`a``b`|x"},
		{"'open; x", "'open; x|"}, {`'open\`, `'open\|`}, {"a;b", "a"}, {"a /* open ; b", "a|"}, {"a /*/ b */ c", "a|c"},
		{"a /*!50100 b */ c", "a|b|c"}, {"a /*!b", "a|b"}, {"a */ b", "a|*|/|b"}, {"/*!1 a */ b */ c", "a|b|*|/|c"},
		{"/*T! a */ b", "b"}, {"a/**/b", "a|b"}, {"';' a", "';'|a"},
	} {
		var got []string
		for _, tok := range tokensOf(c.sql) {
			got = append(got, tok.text)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: %s, want %s", c.sql, s, c.want)
		}
	}
}
