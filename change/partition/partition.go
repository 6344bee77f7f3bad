package partition

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/cdcodec/cdcodec/change"
)

// By says what decides about the partition of a row.
type By uint8

// What can decide. Of ByRules the law is Canal's (spec: canal.md 3); ByTable and ByKey
// are its rules ".*\..*" and ".*\..*:$pk$", without the expression. The other two are no rules of
// Canal's; as all of them do, they send what has no rows to show to partition 0.
const (
	ByRules    By = iota // the first rule of Options.Rules that matches the table
	ByTable              // the table's name: rows of a table stay together, and in order
	ByKey                // the values of the key columns
	ByCommitTS           // the commit timestamp, modulo Partitions: a transaction stays together; 0 where it is unknown
	RoundRobin           // one partition after the other, an Event each
	lastBy     = RoundRobin
)

// Options say where rows go. The zero value has all of them in partition 0.
type Options struct {
	// Partitions is how many there are; zero means one. With Rules it must be set.
	Partitions int

	// By says what decides; zero is ByRules.
	By By

	// Rules is Canal's rule string, see the package. It is for ByRules alone, which needs
	// some where there are several Partitions.
	Rules string

	// DatabaseHash has the schema's name count where the columns of a row do.
	DatabaseHash bool
}

// Partitioner tells to which partitions rows go. The zero Partitioner has the zero
// Options. It keeps nothing of an Event but names of tables, in copies and with a bound;
// one goroutine may use it at a time.
type Partitioner struct {
	opts   Options
	n      int32 // partitions
	rules  Rules
	tables tables
	keys   keys
	turn   int32 // the partition that is next, RoundRobin
}

// New returns a Partitioner with those options, or an error that names the one that
// makes no sense; a *[RuleError] for a rule.
func New(o Options) (*Partitioner, error) {
	switch {
	case o.Partitions < 0:
		return nil, errors.New("partition: Partitions is negative")
	case o.Partitions > math.MaxInt32:
		return nil, errors.New("partition: more Partitions than an int of Java holds")
	case o.By > lastBy:
		return nil, errors.New("partition: unknown By " + strconv.Itoa(int(o.By)))
	case o.By != ByRules && o.Rules != "":
		return nil, errors.New("partition: Rules are for ByRules")
	}
	rules, err := ParseRules(o.Rules)
	switch {
	case err != nil:
		return nil, err
	case o.By == ByRules && len(rules) == 0 && o.Partitions > 1:
		return nil, errors.New("partition: Partitions without Rules, so that all goes to partition 0")
	case o.Rules != "" && o.Partitions == 0:
		return nil, errors.New("partition: Rules without Partitions, so that all goes to partition 0")
	}
	return &Partitioner{opts: o, n: int32(max(o.Partitions, 1)), rules: rules}, nil
}

// AppendRows appends the partition of each row of ev to dst and returns the longer
// slice: what is appended at i is that of the i-th row of the cursor. A row without
// columns to show, which no message shows either, goes with the one before it, or, if
// there is none, behind it. Where no row has any, they all go to partition 0. An Event
// without rows has nothing to append, and goes there too.
//
// It walks ev.Rows from the first row, more than once, and leaves them anywhere.
func (p *Partitioner) AppendRows(dst []int32, ev *change.Event) []int32 {
	if !ev.HasRows() || ev.Rows == nil {
		return dst
	}
	rows, image := ev.Rows, change.ImageOf(ev.Type)
	n, shown := count(rows, image)
	dst = slices.Grow(dst, n)
	if !shown {
		return appendTimes(dst, 0, n)
	}
	partition, rule := p.plan(ev.Database, ev.Table, ev.CommitTS)
	if rule == nil {
		return appendTimes(dst, partition, n)
	}
	if p.keys.ofRule(rule); rule.By == ByKey {
		rows.Rewind()
		rows.Next()
		p.keys.ofRow(rows, image)
	}
	dst = p.appendByKeys(dst, rows, image, p.base(ev.Database))
	p.keys.release()
	return dst
}

// plan returns the partition that all rows of an Event go to, or the rule that hashes
// columns of them.
func (p *Partitioner) plan(database, table []byte, commitTS uint64) (partition int32, byColumns *Rule) {
	if p.n <= 1 {
		return 0, nil
	}
	switch p.opts.By {
	case ByTable:
		return index(Hash(table), p.n), nil
	case ByKey:
		return 0, &byKey
	case ByCommitTS:
		return int32(commitTS % uint64(p.n)), nil
	case RoundRobin:
		return p.next(), nil
	}
	if len(p.rules) == 0 {
		return 0, nil
	}
	switch i := p.tables.rule(p.rules, database, table); {
	case i < 0:
		return 0, nil
	case p.rules[i].By == ByTable:
		return index(Hash(table), p.n), nil
	default:
		return 0, &p.rules[i]
	}
}

// byKey is the rule of all tables, ByKey.
var byKey = Rule{By: ByKey, plain: true}

// base returns the hash that those of a row's columns are added to.
func (p *Partitioner) base(database []byte) int32 {
	if p.opts.DatabaseHash {
		return Hash(database)
	}
	return 0
}

// next returns the partition whose turn it is.
func (p *Partitioner) next() int32 {
	turn := p.turn
	if p.turn++; p.turn == p.n {
		p.turn = 0
	}
	return turn
}

// appendByKeys appends the partitions of rows by the columns in p.keys.
func (p *Partitioner) appendByKeys(dst []int32, rows change.Rows, image change.Image, base int32) []int32 {
	start, ahead := len(dst), 0 // rows that wait for one that shows something
	for rows.Rewind(); rows.Next(); {
		rows.Select(image)
		c := rows.Column()
		if c == nil {
			if len(dst) == start {
				ahead++
			} else {
				dst = append(dst, dst[len(dst)-1])
			}
			continue
		}
		for ; c != nil; c = rows.Column() {
			p.keys.note(c)
		}
		part := index(base^p.keys.sum(), p.n)
		dst = appendTimes(dst, part, ahead+1)
		ahead = 0
	}
	return dst
}

// count returns how many rows there are, and whether any has columns to show.
func count(rows change.Rows, image change.Image) (n int, shown bool) {
	for rows.Rewind(); rows.Next(); n++ {
		if !shown {
			rows.Select(image)
			shown = rows.Column() != nil
		}
	}
	return n, shown
}

func appendTimes(dst []int32, part int32, n int) []int32 {
	for range n {
		dst = append(dst, part)
	}
	return dst
}
