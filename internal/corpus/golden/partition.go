package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Partition is one row of an Entry and the partition that Canal sends it to. The
// slices are shared by all who ask for them.
type Partition struct {
	Name         string // of the Entry
	Entry        []byte
	Rules        string // as Canal's users write them (canal.mq.partitionHash)
	Partitions   int
	DatabaseHash bool
	Row          int // from 0; -1 for the whole message, which has no rows to show
	Want         int32
}

// Hash is a text and its String.hashCode in Java.
type Hash struct {
	Text string
	Want int32
}

// Partitions returns, for Entries and rules of all kinds, where each row goes.
func Partitions() []Partition { return loadPartitions().rows }

// Hashes returns texts with their hashes.
func Hashes() []Hash { return loadPartitions().hashes }

type partitionSets struct {
	rows   []Partition
	hashes []Hash
}

var loadPartitions = sync.OnceValue(func() (s partitionSets) {
	all, err := unzip(packed)
	if err == nil {
		err = s.read(all)
	}
	if err != nil {
		panic("golden.zip: " + err.Error())
	}
	return s
})

// read reads partition/partition.tsv, whose columns are entry, config, partitions,
// databaseHash, database, table, row, row_json and partition, and hash.tsv.
func (s *partitionSets) read(all files) error {
	for i, line := range answers(all["partition/partition.tsv"])[1:] {
		cells := strings.Split(string(line), "\t")
		if len(cells) != 9 {
			return fmt.Errorf("partition.tsv: line %d has %d columns", i+2, len(cells))
		}
		p := Partition{Name: cells[0], Entry: all["partition/"+cells[0]+".bin"], DatabaseHash: cells[3] == "true", Row: -1}
		err := json.Unmarshal([]byte(cells[1]), &p.Rules)
		number := func(cell string) int {
			n, e := strconv.Atoi(cell)
			err = errors.Join(err, e)
			return n
		}
		p.Partitions, p.Want = number(cells[2]), int32(number(cells[8]))
		if cells[6] != "-" {
			p.Row = number(cells[6])
		}
		if err != nil || len(p.Entry) == 0 {
			return fmt.Errorf("partition.tsv: line %d: %v, Entry of %d bytes", i+2, err, len(p.Entry))
		}
		s.rows = append(s.rows, p)
	}
	for i, line := range answers(all["partition/hash.tsv"])[1:] {
		text, hash, _ := strings.Cut(string(line), "\t")
		n, err := strconv.ParseInt(hash, 10, 32)
		h := Hash{Want: int32(n)}
		if err := errors.Join(err, json.Unmarshal([]byte(text), &h.Text)); err != nil {
			return fmt.Errorf("hash.tsv: line %d: %w", i+2, err)
		}
		s.hashes = append(s.hashes, h)
	}
	return nil
}
