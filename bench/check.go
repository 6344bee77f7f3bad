package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Check has all peers of a stage do their work on the records. They must agree with
// the first, cdcodec, which tests hold to a reference.
func Check(s Stage, records []Record) error {
	peers := slices.DeleteFunc(Peers(s), func(p Peer) bool { return p.Floor })
	runs := make([]Run, len(peers))
	for i, p := range peers {
		runs[i] = p.New(records)
	}
	outs := make([][]byte, len(peers)) // used again, as in the measuring
	for i := range records {
		var wantSum uint64
		for k, run := range runs {
			out, sum, err := run(append(outs[k][:0], 'x'), &records[i])
			if err != nil {
				return fmt.Errorf("%s, record %d: %w", peers[k].Name, i, err)
			}
			outs[k] = out
			if k == 0 {
				wantSum = sum
			}
			if sum != wantSum {
				return fmt.Errorf("%s, record %d: sum %#x, want %#x", peers[k].Name, i, sum, wantSum)
			}
			if !bytes.Equal(out, outs[0]) && !(peers[k].Loose && alike(out[1:], outs[0][1:])) {
				return fmt.Errorf("%s, record %d: got\n%.600s\nwant\n%.600s", peers[k].Name, i, out, outs[0])
			}
		}
	}
	return nil
}

// alike reports whether two texts are JSON that means the same.
func alike(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
