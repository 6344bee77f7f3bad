package bench

import (
	"fmt"
	"testing"
)

// BenchmarkPeers is all peers at all corpora, an Entry or message at a time:
//
//	go test -run '^$' -bench Peers/stage=read/corpus=oltp -count 10 . > new.txt
//	benchstat -col /peer new.txt
//
// The table in README.md comes from go run ./table, which has the peers take turns.
func BenchmarkPeers(b *testing.B) {
	for _, stage := range Stages() {
		b.Run(fmt.Sprintf("stage=%s", stage), func(b *testing.B) {
			for _, corpus := range Corpora(stage) {
				b.Run("corpus="+corpus, func(b *testing.B) {
					records, err := Load(stage, corpus, 0)
					if err != nil {
						b.Fatal(err)
					}
					for _, p := range Peers(stage) {
						b.Run("peer="+p.Name, func(b *testing.B) { benchmark(b, p, records) })
					}
				})
			}
		})
	}
}

func benchmark(b *testing.B, p Peer, records []Record) {
	run := p.New(records)
	var out []byte
	var err error
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if out, _, err = run(out[:0], &records[i]); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(records) {
			i = 0
		}
	}
}
