package reference

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// Partitions returns where Canal sends the rows of a finished message of dialect canal,
// by a rule string (spec: canal.md 3): the partition of each element of data, or that of
// the message alone where it has none. It goes the way that Canal goes, over maps of
// strings. A rule that is no regular expression is an error.
func Partitions(message []byte, rules string, partitions int, databaseHash bool) ([]int32, error) {
	var m struct {
		Data            []map[string]*string
		Database, Table string
		IsDDL           bool
		PKNames         []string
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	if m.IsDDL || len(m.Data) == 0 {
		return []int32{0}, nil
	}
	rule, columns, err := matchRule(rules, m.Database+"."+m.Table)
	if err != nil {
		return nil, err
	}
	if rule == byKey {
		columns = m.PKNames
	}
	var all []int32
	for _, row := range m.Data {
		h := int32(0)
		switch {
		case rule == byNothing:
			all = append(all, 0)
			continue
		case rule == byTable:
			h = JavaHash(m.Table)
		case databaseHash:
			h = JavaHash(m.Database)
		}
		if rule != byTable {
			for _, name := range columns {
				if value := row[name]; value != nil {
					h ^= JavaHash(*value)
				}
			}
		}
		all = append(all, javaAbs(javaAbs(h)%int32(partitions)))
	}
	return all, nil
}

// What a rule hashes.
const (
	byNothing = iota // no rule matches
	byTable
	byKey
	byColumns
)

// matchRule returns what the first rule that matches the name hashes.
func matchRule(rules, name string) (kind int, columns []string, err error) {
	for _, rule := range strings.Split(strings.ReplaceAll(rules, ",", ";"), ";") {
		table, kind, columns := rule, byTable, []string(nil)
		if i := strings.LastIndex(rule, ":"); i > 0 {
			table, kind = rule[:i], byColumns
			for _, column := range strings.Split(rule[i+1:], "^") {
				if column != "" {
					columns = append(columns, column)
				}
			}
			if strings.ToLower(rule[i+1:]) == "$pk$" {
				kind = byKey
			}
		}
		if table == "" {
			continue
		}
		if !strings.ContainsAny(table, `*?+|(){}[]\$^`) {
			if strings.EqualFold(table, name) {
				return kind, columns, nil
			}
			continue
		}
		re, err := regexp.Compile("^(?is:" + table + ")$")
		if err != nil {
			return 0, nil, fmt.Errorf("rule %q: %w", rule, err)
		}
		if re.MatchString(name) {
			return kind, columns, nil
		}
	}
	return byNothing, nil, nil
}

// JavaHash is String.hashCode.
func JavaHash(s string) (h int32) {
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h
}

// javaAbs is Math.abs.
func javaAbs(v int32) int32 {
	if v < 0 {
		return -v
	}
	return v
}
