package bench

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// some is how many Entries of each corpus the tests take.
var some = map[string]int{"oltp": 100, "bulk": 2, "wide": 3, "blob": 2, "prose": 2, "stream": 300}

// TestAgree has all peers do all the work, twice and mixed, as they use memory again:
// the same sums, and the same bytes.
func TestAgree(t *testing.T) {
	for _, stage := range Stages() {
		for _, name := range Corpora(stage) {
			records, err := Load(stage, name, some[name])
			if err != nil {
				t.Fatal(err)
			}
			if len(records) == 0 {
				t.Fatalf("%s, %s: no records", stage, name)
			}
			again := slices.Clone(records)
			slices.Reverse(again)
			records = append(records, again...)
			if err := Check(stage, records); err != nil {
				t.Errorf("%s, %s: %v", stage, name, err)
			}
		}
	}
}

// TestTruth holds ours, which Check takes for the truth, to the reference.
func TestTruth(t *testing.T) {
	truth := codec.Truth(codec.Options{Meta: meta})
	for _, name := range Corpora(Convert) {
		records, err := Load(Convert, name, some[name])
		if err != nil {
			t.Fatal(err)
		}
		convert, decode := Peers(Convert)[0].New(records), Peers(Decode)[0].New(records)
		for i := range records {
			want, err := truth.Convert(nil, records[i].Entry)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := convert(nil, &records[i])
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s, record %d: %v\n%s\nwant\n%s", name, i, err, got, want)
			}
			wantSum, err := truth.Decode(records[i].Entry)
			if err != nil {
				t.Fatal(err)
			}
			if _, sum, err := decode(nil, &records[i]); err != nil || sum != wantSum {
				t.Fatalf("%s, record %d: sum %#x, %v, want %#x", name, i, sum, err, wantSum)
			}
		}
	}
}

// TestPeers: each stage has ours first, and names are there once.
func TestPeers(t *testing.T) {
	for _, stage := range Stages() {
		seen := map[string]bool{}
		for i, p := range Peers(stage) {
			if seen[p.Name] || p.New == nil || (p.Name == Ours) != (i == 0) {
				t.Errorf("%s: peer %d is %q", stage, i, p.Name)
			}
			seen[p.Name] = true
		}
		if len(seen) < 6 {
			t.Errorf("%s: %d peers", stage, len(seen))
		}
	}
}

// TestDamage: what is cut short is an error to all who decode, and none of them takes
// harm.
func TestDamage(t *testing.T) {
	records, err := Load(Decode, "oltp", 40)
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []Stage{Decode, Convert} {
		for _, p := range Peers(stage) {
			if p.Floor {
				continue
			}
			run := p.New(records)
			for i := range records {
				e := records[i].Entry
				if _, _, err := run(nil, &Record{Entry: e[: len(e)-1 : len(e)-1]}); err == nil {
					t.Errorf("%s: %s takes record %d without its last byte", stage, p.Name, i)
				}
			}
			if p.Loose {
				continue
			}
			if got, want := proofs(t, run, records), proofs(t, p.New(records), records); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s is another after errors", stage, p.Name)
			}
		}
	}
}

func proofs(t *testing.T, run Run, records []Record) (list []any) {
	t.Helper()
	for i := range records {
		out, sum, err := run(nil, &records[i])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(out), sum)
	}
	return list
}

// TestValid: what is written is JSON.
func TestValid(t *testing.T) {
	records, err := Load(Write, "oltp", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Peers(Write) {
		run := p.New(records)
		for i := range records {
			if out, _, err := run(nil, &records[i]); err != nil || !json.Valid(out) {
				t.Errorf("%s: %v\n%s", p.Name, err, out)
			}
		}
	}
}
