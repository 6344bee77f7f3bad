package pool_test

import (
	"fmt"

	"github.com/cdcodec/cdcodec/pool"
)

func Example() {
	var p pool.Pool // MaxKept: 1 MiB

	b := p.Get()
	b.B = append(b.B, `{"id":1}`...)
	message := b.B[1:5] // a view: good until Put

	kept := string(message) // a copy lasts
	p.Put(b)

	batch := p.GetSize(64 << 10)
	fmt.Println(kept, len(batch.B), cap(batch.B) >= 64<<10)
	p.Put(batch)

	s := p.Stats()
	fmt.Println(s.Gets, s.Puts, s.InUse)
	// Output:
	// "id" 0 true
	// 2 2 0
}
