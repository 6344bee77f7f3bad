package corpus

import (
	"fmt"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// newBlob makes INSERTs of texts full of escapes.
func newBlob(seed uint64) maker {
	return inserts(newGenerator(seed, []table{textTable("pages", 611, markup)}))
}

// newProse makes INSERTs of texts with few.
func newProse(seed uint64) maker {
	return inserts(newGenerator(seed, []table{textTable("articles", 612, paragraph)}))
}

// inserts makes INSERTs of one row.
func inserts(g *generator) maker {
	return func(int) ([]byte, int) { return g.entry(0, canalpb.EventType_INSERT, 1), 1 }
}

// textTable makes a table of long texts; whatever else is in a row is ASCII too.
func textTable(name string, id int64, body kind) table {
	return table{"cms", name, id, 52000001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"site_id", "int(11)", typeInt, number, 0},
		{"slug", "varchar(64)", typeVarchar, code, 0},
		{"state", "tinyint(4)", typeTinyint, state, 0},
		{"body", "mediumtext", typeText, body, 0},
		{"editor", "varchar(16)", typeVarchar, word, 50},
		{"updated_at", "datetime", typeDatetime, moment, 0},
	}}
}

// markup makes a text of a sort and of so many bytes, of which one in 24 or so
// must be escaped in JSON.
func (r *random) markup(size int) string {
	line := []func(*random, []byte) []byte{(*random).appendHTML, (*random).appendJSON, (*random).appendCode}[r.below(3)]
	end := "\n"
	if r.oneIn(4) {
		end = "\r\n"
	}
	b := make([]byte, 0, size+1024)
	for len(b) < size {
		b = append(line(r, r.indent(b)), end...)
	}
	return string(b[:size])
}

// indent appends 1 to 3 tabs.
func (r *random) indent(b []byte) []byte { return append(b, "\t\t\t"[:r.between(1, 3)]...) }

func (r *random) appendHTML(b []byte) []byte {
	b = fmt.Appendf(b, `<p class="%s">`, r.pick(adjectives))
	b = r.appendWords(b, r.between(11, 23))
	return append(b, "</p>"...)
}

// appendJSON appends a member of an object; in one of three is a word in quotes,
// which have backslashes before them.
func (r *random) appendJSON(b []byte) []byte {
	b = fmt.Appendf(b, `"%s": "`, r.pick(nouns))
	b = r.appendWords(b, r.between(12, 22))
	if r.oneIn(3) {
		b = fmt.Appendf(b, ` \"%s\"`, r.pick(proseWords))
	}
	b = append(b, ' ')
	b = r.appendWords(b, r.between(12, 22))
	return append(b, `",`...)
}

// appendCode appends a statement with a string in it, or oftener a comment.
func (r *random) appendCode(b []byte) []byte {
	if r.oneIn(4) {
		return fmt.Appendf(b, `log("%s of %%s is %%d\n", %s, %d);`, r.pick(adjectives), r.pick(nouns), r.below(1000))
	}
	return r.appendWords(append(b, "// "...), r.between(13, 21))
}

// prose makes paragraphs of so many bytes together. They end in a line end, and
// in every other one something is said, in quotes.
func (r *random) prose(size int) string {
	b := make([]byte, 0, size+4096)
	for len(b) < size {
		end, says := len(b)+r.between(1200, 2800), r.oneIn(2)
		for len(b) < end {
			b = r.appendSentence(b)
			if says {
				b = r.appendSentence(append(b, `She said: "`...))
				b = append(b[:len(b)-1], `" `...)
				says = false
			}
		}
		b[len(b)-1] = '\n' // it was a space
	}
	return string(b[:size])
}

// appendSentence appends words from a capital to a full stop, and a space.
func (r *random) appendSentence(b []byte) []byte {
	first := len(b)
	b = r.appendWords(b, r.between(4, 12))
	b[first] -= 'a' - 'A'
	if r.oneIn(2) {
		b = r.appendWords(append(b, ", "...), r.between(3, 8))
	}
	return append(b, ". "...)
}

// appendWords appends so many words with spaces between them.
func (r *random) appendWords(b []byte, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, r.pick(proseWords)...)
	}
	return b
}

// proseWords is frozen, order and all. All are lower-case letters of ASCII.
var proseWords = []string{
	"a", "about", "above", "across", "after", "again", "air", "all", "along", "always", "and", "another",
	"around", "as", "at", "autumn", "away", "back", "be", "because", "before", "began", "behind", "below",
	"between", "bread", "bridge", "bright", "brought", "but", "by", "called", "carried", "children", "clear", "close",
	"cold", "come", "corner", "could", "country", "daughter", "day", "distance", "door", "down", "early", "enough",
	"evening", "every", "eyes", "family", "far", "field", "first", "followed", "for", "forest", "found", "from",
	"garden", "gate", "gone", "grass", "great", "had", "half", "hand", "harbour", "have", "he", "heard",
	"her", "here", "hill", "his", "house", "how", "in", "into", "it", "journey", "kept", "kitchen",
	"knew", "known", "large", "last", "later", "leaves", "letter", "light", "like", "listened", "little", "long",
	"looked", "made", "many", "market", "meadow", "might", "mill", "morning", "mountain", "moved", "near", "never",
	"night", "no", "nothing", "of", "old", "on", "once", "only", "open", "or", "other", "over",
	"paper", "passed", "people", "perhaps", "place", "quiet", "rain", "remembered", "river", "road", "room", "sea",
	"seemed", "she", "shore", "silence", "slowly", "small", "snow", "so", "some", "something", "song", "soon",
	"spring", "station", "still", "stone", "stood", "story", "street", "summer", "table", "than", "that", "the",
	"their", "then", "there", "they", "this", "thought", "through", "time", "to", "together", "toward", "town",
	"travellers", "tree", "turned", "under", "until", "village", "voice", "waited", "walked", "wall", "was", "water",
	"weather", "went", "were", "what", "when", "where", "which", "while", "wind", "window", "winter", "with",
	"without", "wood", "words", "would", "year", "yellow", "yesterday", "yet",
}
