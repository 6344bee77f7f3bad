package partition

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// FuzzRules reads any rule string, and asks it for any table. Where both are ASCII the
// reference must find the same rule: a row of one column tells which that is.
func FuzzRules(f *testing.F) {
	for _, rules := range []string{
		"shop.orders:id", ".*\\..*:$pk$", "shop.(a|b)", "a{1,2}.b", "x:y:z;;,,a.b:", "(?i)A.b:^^", "\xff.a", "a)(b", "[[:^alpha:]]*:$PK$", "SHOP.ORDERS:ID,.*",
	} {
		f.Add(rules, "shop", "orders")
	}
	f.Fuzz(func(t *testing.T, rules, database, table string) {
		p, err := New(Options{Partitions: 1 << 20, Rules: rules})
		message := fmt.Sprintf(`{"data":[{"id":"1","a":"2"}],"database":%q,"table":%q,"pkNames":["a"]}`, database, table)
		want, refErr := reference.Partitions([]byte(message), rules, 1<<20, false)
		if err != nil {
			return // what the reference thinks of a rule behind the one that matches is nothing
		}
		ask := func() int { return p.tables.rule(p.rules, []byte(database), []byte(table)) }
		rule := ask()
		if again := ask(); again != rule || rule >= len(p.rules) {
			t.Fatalf("rule %d, then %d", rule, again)
		}
		ev := oneRow(database, table)
		got := p.AppendRows(nil, ev)
		if !isASCII(rules+database+table) || refErr != nil {
			return
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q of %q.%q: %v, the reference has %v", rules, database, table, got, want)
		}
	})
}

// oneRow is an INSERT of that message's row.
func oneRow(database, table string) *change.Event {
	return &change.Event{Type: change.Insert, Database: []byte(database), Table: []byte(table), Rows: change.NewList(change.Row{After: []change.Column{
		{Name: []byte("id"), Value: []byte("1")}, {Name: []byte("a"), Value: []byte("2"), Key: true},
	}})}
}

// isASCII leaves out control characters too, which %q does not write as JSON does.
func isASCII(s string) bool {
	for _, c := range []byte(s) {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}
