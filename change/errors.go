package change

// Text names one of the strings that an Event shows.
type Text uint8

// The strings of an Event itself, and those of its columns.
const (
	TextDatabase Text = iota
	TextTable
	TextGTID
	TextSQL
	TextName
	TextValue
	TextMySQLType
	TextNone // none of them: the fault is the Event's as a whole
)

var textNames = [...]string{"database", "table", "gtid", "sql", "name", "value", "mysqlType", "change"}

// String returns the name of the text as "column name", "database", ….
func (t Text) String() string {
	switch {
	case int(t) >= len(textNames):
		return "unknown"
	case t >= TextName && t < TextNone:
		return "column " + textNames[t]
	}
	return textNames[t]
}

// ValueError is a fault in one string of an Event, found by a writer. Who read
// the Event knows where in the record that string is.
type ValueError struct {
	Text Text
	Ref  uint32 // of the column, where Text is one of a column's
	Err  error
}

// Error tells which string it is and the fault.
func (e *ValueError) Error() string { return e.Text.String() + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *ValueError) Unwrap() error { return e.Err }
