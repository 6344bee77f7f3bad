package cdcodec_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
)

// keyedRows returns an INSERT of n rows whose keys differ.
func keyedRows(n int) []byte {
	rows := make([][]byte, n)
	for i := range rows {
		c := intField(lenField(nil, 3, []byte("i")), 4, 1)
		rows[i] = lenField(nil, 2, lenField(c, 8, []byte(strconv.Itoa(i*7919+1_000_000)))) // hashes that are far apart
	}
	return hostileEntry(change.Insert, rows...)
}

// TestHostilePartition has the most partitions there can be: memory is that of the rows and
// of the messages, not of the partitions. Keys add themselves, twice, as they are copied.
func TestHostilePartition(t *testing.T) {
	sizes := []int{2, 3, 1000}
	if giant() {
		sizes = append(sizes, 30_000)
	}
	for _, n := range sizes {
		record := keyedRows(n)
		for _, partitions := range []int{16, 4096, 5000, fastjson.MaxPartition + 1} {
			for _, keyed := range []bool{false, true} {
				for _, noFused := range []bool{false, true} {
					o := cdcodec.Options{
						Partition: &partition.Options{Partitions: partitions, By: partition.ByKey}, Keys: keyed,
						JSON: fastjson.Options{OneRow: keyed, NoFused: noFused},
					}
					out, msgs := appended(t, newTranscoder(t, o), record)
					if want := min(n, partitions); !keyed && len(msgs) > want || keyed && len(msgs) != n {
						t.Errorf("%d rows, %d partitions: %d messages", n, partitions, len(msgs))
					}
					keys := 0
					for _, m := range msgs {
						keys += len(m.Key)
					}
					if keyed && keys == 0 {
						t.Fatal("no keys")
					}
					room, messages := 2*len(out)+1<<16, len(msgs)
					out, msgs = nil, nil
					tr := newTranscoder(t, o)
					for _, when := range []string{"at first", "again"} {
						used, err := scratch(tr, record, room, messages)
						if err != nil {
							t.Fatal(err)
						}
						within(t, fmt.Sprintf("%d rows, %d partitions, Keys %v, NoFused %v, %s", n, partitions, keyed, noFused, when), used-256*messages-2*keys, len(record))
					}
				}
			}
		}
	}
}

// TestHostilePartitionThinRows has rows of two bytes between those that are divided.
func TestHostilePartitionThinRows(t *testing.T) {
	n := 5000
	if giant() {
		n = 200_000
	}
	var rows [][]byte
	for i := range n {
		if i%1000 > 0 {
			rows = append(rows, nil)
			continue
		}
		c := intField(lenField(nil, 3, []byte("i")), 4, 1)
		rows = append(rows, lenField(nil, 2, lenField(c, 8, []byte(strconv.Itoa(i+1_000_000)))))
	}
	for _, typ := range []change.Type{change.Insert, change.Update} {
		record := hostileEntry(typ, rows...)
		o := cdcodec.Options{Partition: &partition.Options{Partitions: fastjson.MaxPartition + 1, By: partition.ByKey}}
		out, msgs := appended(t, newTranscoder(t, o), record)
		if len(msgs) < 4 {
			t.Fatalf("%d messages", len(msgs))
		}
		tr := newTranscoder(t, o)
		used, err := scratch(tr, record, 2*len(out)+1<<16, len(msgs))
		if err != nil {
			t.Fatal(err)
		}
		within(t, typ.String(), used-256*len(msgs), len(record))
	}
}

// TestHostilePartitionPlaces divides rows whose partitions are close together and far apart:
// the parts are those that the rows' own partitions say, at either side of what has a
// place by its number.
func TestHostilePartitionPlaces(t *testing.T) {
	record := keyedRows(3000)
	for _, partitions := range []int{4095, 4096, 4097, 5999, 6000, 6001, 60_000, fastjson.MaxPartition + 1} {
		o := partition.Options{Partitions: partitions, Rules: `.*\..*:$pk$`}
		all, _ := appended(t, newTranscoder(t, cdcodec.Options{}), record)
		tr := newTranscoder(t, cdcodec.Options{Partition: &o})
		for range 2 {
			out, msgs := appended(t, tr, record)
			checkParts(t, o, all, out, msgs)
		}
	}
}
