package tidbbinlog

import "github.com/cdcodec/cdcodec/change"

// StatementType returns what TiCDC calls an SQL statement, [change.Query] where it
// has no other name for it or the text cannot be read (spec: ticdc.md 13). The first
// statement of a text decides.
func StatementType(sql []byte) change.Type {
	r := sqlReader{sql: sql}
	r.next()
	switch {
	case r.skips("CREATE"):
		return createType(&r)
	case r.skips("DROP"):
		switch {
		case r.is("TABLE", "TABLES"):
			return change.Erase
		case r.is("INDEX"):
			return change.DIndex
		}
	case r.skips("RENAME"):
		if r.is("TABLE", "TABLES") {
			return change.Rename
		}
	case r.is("TRUNCATE"):
		return change.Truncate
	case r.skips("ALTER"):
		r.skips("IGNORE")
		if r.skips("TABLE") && r.skipsTableName() {
			return alterType(&r)
		}
	}
	return change.Query
}

// createType is the type of a CREATE.
func createType(r *sqlReader) change.Type {
	switch {
	case r.is("TEMPORARY"):
		r.next()
		if r.is("TABLE") {
			return change.Create
		}
	case r.is("TABLE"):
		return change.Create
	case r.is("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR"):
		r.next()
		if r.is("INDEX") {
			return change.CIndex
		}
	case r.is("INDEX"):
		return change.CIndex
	}
	return change.Query
}

// skipsTableName steps over "name" or "schema.name".
func (r *sqlReader) skipsTableName() bool {
	if !r.isName() {
		return false
	}
	if r.next(); !r.isOther('.') {
		return true
	}
	if r.next(); !r.isName() {
		return false
	}
	r.next()
	return true
}

// alterType is the type of an ALTER TABLE, behind the table's name: that of its
// one change, or ALTER where there are more. How a change is to be made is none.
func alterType(r *sqlReader) change.Type {
	typ, changes := change.Alter, 0
	for {
		// Behind a comma, a name in quotes is one more of a list and no change: all
		// those begin with a keyword.
		if r.token != endToken && r.token != quotedToken && !r.is("ALGORITHM", "LOCK") {
			typ = changeType(r)
			changes++
		}
		// To the next change, or the end.
		for depth := 0; ; r.next() {
			switch {
			case r.token == badToken:
				return change.Query
			case r.isOther('('):
				depth++
			case r.isOther(')'):
				depth--
			}
			if r.token == endToken || depth == 0 && r.isOther(',') {
				break
			}
		}
		if r.token == endToken {
			break
		}
		r.next()
	}
	if changes > 1 {
		return change.Alter
	}
	return typ
}

// changeType is the type of an ALTER TABLE with the change that begins here. It
// reads no more of the change than it must.
func changeType(r *sqlReader) change.Type {
	switch {
	case r.skips("ADD"):
		return keyType(r, change.CIndex)
	case r.skips("DROP"):
		if r.is("CONSTRAINT") {
			return change.Query
		}
		return keyType(r, change.DIndex)
	case r.skips("RENAME"):
		if r.is("COLUMN", "INDEX", "KEY") {
			return change.Alter
		}
		return change.Rename
	case r.skips("ALTER"):
		if r.is("CHECK", "CONSTRAINT") {
			return change.Query
		}
		return placementType(r)
	case r.skips("SET"):
		if r.skips("TIFLASH") && r.is("REPLICA") {
			return change.Query
		}
	case r.skips("REMOVE"):
		if r.is("TTL") {
			return change.Query
		}
	case r.skips("EXCHANGE"):
		if r.is("PARTITION") {
			return change.Query
		}
	case r.skips("FORCE"):
		if r.is("AUTO_RANDOM_BASE") {
			return change.Query
		}
	case r.is("PARTITION"):
		return placementType(r)
	case r.is("PLACEMENT", "CACHE", "NOCACHE", "TTL", "TTL_ENABLE", "TTL_JOB_INTERVAL", "AUTO_ID_CACHE", "AUTO_RANDOM_BASE", "SHARD_ROW_ID_BITS"):
		return change.Query
	}
	return change.Alter
}

// keyType is the type of adding or dropping something: of a key that one, of
// anything else, which is a column or a partition, ALTER.
func keyType(r *sqlReader, ofKey change.Type) change.Type {
	if r.skips("CONSTRAINT") && !isConstraint(r) && r.isName() {
		r.next() // its name
	}
	switch {
	case r.is("CHECK"):
		return change.Query
	case isConstraint(r), r.is("INDEX", "KEY", "FULLTEXT", "SPATIAL"):
		return ofKey
	case r.skips("VECTOR") && r.is("INDEX", "KEY"):
		return ofKey
	}
	return change.Alter
}

// isConstraint reports whether a constraint without a name begins here.
func isConstraint(r *sqlReader) bool { return r.is("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") }

// placementType is the type of a change of one partition: "PARTITION name" and what
// becomes of it.
func placementType(r *sqlReader) change.Type {
	if !r.skips("PARTITION") || !r.isName() {
		return change.Alter
	}
	if r.next(); r.skips("ADD") || r.skips("ALTER") || r.skips("DROP") {
		// as early releases of TiDB have it
	}
	if r.is("PLACEMENT") {
		return change.Query
	}
	return change.Alter
}
