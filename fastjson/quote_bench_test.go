package fastjson

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
)

// A quoter is one way of quoting.
type quoter struct {
	name   string
	blocks bool // is to be given to setBlocks
	quote  func(dst, s []byte) []byte
}

// quoters returns the ways there are here: eight bytes at a time, blocks of 64,
// and sonic, which may refuse a string.
func quoters() []quoter {
	own := func(dst, s []byte) []byte {
		dst, _ = appendQuoted(dst, s)
		return dst
	}
	all := []quoter{{"swar", false, own}}
	if on := setBlocks(false); on {
		setBlocks(true)
		all = append(all, quoter{"blocks", true, own})
	}
	if sonicFrom < 1<<30 {
		var q longQuoter
		all = append(all, quoter{"sonic", false, func(dst, s []byte) []byte {
			dst, _ = q.append(dst, s)
			return dst
		}})
	}
	return all
}

// run quotes s again and again.
func (q quoter) run(b *testing.B, s []byte) {
	defer setBlocks(setBlocks(q.blocks))
	dst := make([]byte, 0, 6*len(s)+512)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		dst = q.quote(dst[:0], s)
	}
	if want, _ := slowQuote(s); string(dst) != want {
		b.Error("not quoted as it should be")
	}
}

// BenchmarkQuote quotes text of n bytes with an escape every so many. An
// operation is one text, always the same one, so it comes from the first cache
// up to some 32 KiB. sonic is asked as the Writer asks it: with the check that
// its escapes are ours.
func BenchmarkQuote(b *testing.B) {
	for _, n := range []int{8, 32, 128, 512, 1024, 4096, 64 << 10} {
		for _, every := range []int{0, 1024, 24} {
			if every >= n {
				continue
			}
			s := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog. "), n/45+1)[:n]
			name := "none"
			if every > 0 {
				name = strconv.Itoa(every)
				for i := every - 1; i < n; i += every {
					s[i] = '"'
				}
			}
			for _, q := range quoters() {
				b.Run(fmt.Sprintf("n=%d/every=%s/impl=%s", n, name, q.name), func(b *testing.B) { q.run(b, s) })
			}
		}
	}
}

// BenchmarkQuoteTiCDC is BenchmarkQuote for dialect ticdc: eight bytes at a time, and as
// canal where that comes to the same, by blocks of 64 or by sonic. html=24 has a
// character every 24 bytes that only ticdc escapes.
func BenchmarkQuoteTiCDC(b *testing.B) {
	type way struct {
		name   string
		blocks bool
		quote  func(dst, s []byte) ([]byte, bool)
	}
	ways := []way{{"swar", false, appendTiCDCQuoted}, {"writer", false, new(Writer).ticdcText}}
	if setBlocks(false) {
		setBlocks(true)
		ways = append(ways, way{"writer+blocks", true, new(Writer).ticdcText})
	}
	for _, n := range []int{8, 32, 128, 256, 512, 4096, 64 << 10} {
		for _, kind := range []string{"plain", "quotes", "html", "cjk"} {
			s := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog. "), n/45+1)[:n]
			switch kind {
			case "cjk":
				s = bytes.Repeat([]byte("礼品已经发出，请注意查收"), n/36+1)
			case "quotes", "html":
				for i := 23; i < n; i += 24 {
					s[i] = map[string]byte{"quotes": '"', "html": '&'}[kind]
				}
			}
			for _, q := range ways {
				b.Run(fmt.Sprintf("n=%d/text=%s/impl=%s", n, kind, q.name), func(b *testing.B) {
					defer setBlocks(setBlocks(q.blocks))
					dst := make([]byte, 0, 6*len(s)+512)
					b.SetBytes(int64(len(s)))
					b.ReportAllocs()
					for b.Loop() {
						dst, _ = q.quote(dst[:0], s)
					}
				})
			}
		}
	}
}

// BenchmarkQuoteText quotes 120 bytes of different kinds, as a text column has.
func BenchmarkQuoteText(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", "please call before delivery, the bell is out of order "},
		{"cjk", "礼品已经发出，请注意查收"},
		{"mixed", `note: "张伟" paid 12.50, see C:\tmp` + "\n"},
		{"invalid", "latin-1 caf\xe9 "},
	} {
		s := bytes.Repeat([]byte(c.text), 120/len(c.text)+1)
		for _, q := range quoters() {
			if q.name == "sonic" {
				continue // too short for it
			}
			b.Run("text="+c.name+"/impl="+q.name, func(b *testing.B) { q.run(b, s) })
		}
	}
}
