//go:build !cdcdebug && !race

package compress

import "testing"

// forced is how often a library allocates: zstd.Encoder two times, 20 bytes together, for a
// stream, and s2.Writer once, 24 bytes, for a block.
var forced = map[Codec]float64{Zstd: 2, S2: 1}

// TestSteady: nothing else is allocated where dst has room, on either side.
func TestSteady(t *testing.T) {
	src := text(100_000, false)
	spans := cut(src, 1)
	each(t, func(t *testing.T, c *Compressor) {
		runs := 10
		dst := make([]byte, 0, c.opts.MaxEncodedLen(len(src)))
		if n := testing.AllocsPerRun(runs, func() {
			if _, err := c.Append(dst, src); err != nil {
				t.Fatal(err)
			}
		}); n > forced[c.opts.Codec] {
			t.Errorf("Append: %v allocations", n)
		}
		if n := testing.AllocsPerRun(runs, func() {
			if _, err := c.AppendAll(dst, spans); err != nil {
				t.Fatal(err)
			}
		}); n > forced[c.opts.Codec] {
			t.Errorf("AppendAll: %v allocations", n)
		}
		packed, err := c.Append(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		back := make([]byte, 0, len(src))
		if n := testing.AllocsPerRun(runs, func() {
			if _, err := c.AppendDecompressed(back, packed, len(src)); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("AppendDecompressed: %v allocations", n)
		}
	})
}
