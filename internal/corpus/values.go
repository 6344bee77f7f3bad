package corpus

import (
	"fmt"
	"strconv"
	"time"
)

// A kind says what the values of a column look like, whatever its type.
type kind int

const (
	key       kind = iota // counts up
	reference             // 14 digits
	number                // up to 7 digits
	count                 // up to 4 digits
	money                 // "4711.08"
	ratio                 // "0.375"
	flag                  // 0 or 1
	state                 // 0 to 4
	title                 // the name of a thing, of three one in Chinese
	person                // the name of a person, of three one in Chinese
	word                  // one of a few
	code                  // 16 letters and digits
	address               // an IPv4 address
	note                  // some 120 bytes of text with quotes
	moment                // a date and time, of the last week
	instant               // the same with milliseconds
	day                   // a date

	single    // "48.5", as Java prints a float
	clock     // a time of the day
	year      // 2000 to 2023
	choice    // of an enum of five, by number
	options   // of a set of three, as bits
	octet     // 0 to 255
	document  // a JSON object
	digest    // 16 bytes, widened as Canal does, none of them below 0x20
	markup    // 64 KiB of text full of escapes
	paragraph // 64 KiB of text with few
)

// value makes one value; now is the time of the Entry, in seconds. Keys are
// not made here: they are the table's to count.
func (r *random) value(k kind, now int64) string {
	switch k {
	case reference:
		return "20230" + strconv.Itoa(r.between(100_000_000, 999_999_999))
	case number:
		return strconv.Itoa(r.between(1, 2_000_000))
	case count:
		return strconv.Itoa(r.between(1, 9999))
	case money:
		return fmt.Sprintf("%d.%02d", r.between(1, 9999), r.below(100))
	case ratio:
		return "0." + strconv.Itoa(r.between(1, 999))
	case flag:
		return strconv.Itoa(r.below(2))
	case state:
		return strconv.Itoa(r.below(5))
	case title:
		return r.title()
	case person:
		return r.person()
	case word:
		return r.pick(words)
	case code:
		return r.code()
	case address:
		return fmt.Sprintf("10.%d.%d.%d", r.below(256), r.below(256), r.between(1, 254))
	case note:
		return r.note()
	case moment:
		return time.Unix(now-int64(r.below(7*24*3600)), 0).UTC().Format(time.DateTime)
	case instant:
		return fmt.Sprintf("%s.%03d", r.value(moment, now), r.below(1000))
	case day:
		return time.Unix(now-int64(r.below(10000))*24*3600, 0).UTC().Format(time.DateOnly)
	case single:
		return fmt.Sprintf("%d.%d", r.below(200), r.below(10))
	case clock:
		return fmt.Sprintf("%02d:%02d:00", r.below(24), r.below(60))
	case year:
		return strconv.Itoa(r.between(2000, 2023))
	case choice:
		return strconv.Itoa(r.between(1, 5))
	case options:
		return strconv.Itoa(r.below(8))
	case octet:
		return strconv.Itoa(r.below(256))
	case document:
		return fmt.Sprintf(`{"source": "%s", "labels": ["%s", "%s"], "limit": %d, "active": true}`,
			r.pick(words), r.pick(adjectives), r.pick(nouns), r.below(1000))
	case digest:
		return r.digest()
	case markup:
		return r.markup(64 << 10)
	case paragraph:
		return r.prose(64 << 10)
	}
	panic("no value of kind " + strconv.Itoa(int(k)))
}

func (r *random) code() string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	var b [16]byte
	for i := range b {
		b[i] = letters[r.below(len(letters))]
	}
	return string(b[:])
}

func (r *random) digest() string {
	var b [16]rune
	for i := range b {
		b[i] = rune(r.between(0x20, 0xff))
	}
	return string(b[:])
}

func (r *random) title() string {
	if r.oneIn(3) {
		return r.pick(chineseAdjectives) + r.pick(chineseNouns)
	}
	return r.pick(adjectives) + " " + r.pick(adjectives) + " " + r.pick(nouns)
}

func (r *random) person() string {
	if r.oneIn(3) {
		return r.pick(chineseSurnames) + r.pick(chineseNames)
	}
	return r.pick(firstNames) + " " + r.pick(surnames)
}

// note puts words together until it has 100 to 150 bytes. A word in eight is
// quoted, and a note in eight has a second line.
func (r *random) note() string {
	size, broken := r.between(100, 150), r.oneIn(8)
	var b []byte
	for len(b) < size {
		if len(b) > 0 {
			if broken && len(b) > size/2 {
				b, broken = append(b, '\n'), false
			} else {
				b = append(b, ' ')
			}
		}
		if w := r.pick(noteWords); r.oneIn(8) {
			b = append(append(append(b, '"'), w...), '"')
		} else {
			b = append(b, w...)
		}
	}
	return string(b)
}

// The lists are frozen, order and all.
var (
	words = []string{"web", "app", "mini", "store", "phone", "agent", "partner", "import", "kiosk", "desk", "tablet", "internal"}

	adjectives = []string{"plain", "small", "large", "folding", "wireless", "cotton", "woollen", "steel", "wooden", "travel", "garden", "silent"}
	nouns      = []string{"kettle", "lamp", "headset", "blanket", "umbrella", "keyboard", "raincoat", "teapot", "backpack", "notebook", "bottle", "chair"}

	chineseAdjectives = []string{"无线", "便携", "纯棉", "不锈钢", "家用", "加厚", "静音", "可折叠"}
	chineseNouns      = []string{"耳机", "保温杯", "衬衫", "雨伞", "台灯", "双肩包", "电水壶", "键盘"}

	firstNames = []string{"Ann", "Boris", "Chloé", "David", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jürgen", "Kaja", "Liam"}
	surnames   = []string{"Anderson", "Bianchi", "Carter", "Dvořák", "Eriksen", "Fischer", "García", "Hansen", "Ito", "Jones", "Kowalski", "O'Neill"}

	chineseSurnames = []string{"王", "李", "张", "刘", "陈", "杨", "赵", "欧阳"}
	chineseNames    = []string{"伟", "芳", "小明", "丽娟", "建国", "雨桐", "子轩", "静"}

	noteWords = []string{
		"please", "leave", "it", "at", "the", "door", "and", "ring", "twice", "box", "was", "opened",
		"before", "arrival", "customer", "asked", "for", "another", "colour", "we", "called", "back", "on", "Monday",
		"no", "answer", "yet", "paid", "in", "full", "see", "invoice", "fragile", "handle", "with", "care",
		"second", "floor", "left", "side", "returned", "by", "courier", "wrong", "size", "checked", "again", "ok",
	}
)
