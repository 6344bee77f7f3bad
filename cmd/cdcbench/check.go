package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// check has every lane do all records, and returns the ones that can be
// measured. What a codec makes must be what package reference makes, byte for
// byte, and what it reads what encoding/json reads; floors are not looked at. It also finds how many passes make a turn of
// at least that long.
//
// On traffic of the user's own a peer may fail: it is left out, with a remark.
// If the library fails, that is an error. Its reading of messages of the user's own is
// what others are held to: it knows more of them than a struct can.
func check(t *traffic, lanes []*lane, atLeast time.Duration) (good []*lane, remarks []string, err error) {
	if len(lanes) == 0 {
		return nil, nil, nil
	}
	truth := &lane{codec: codec.Truth(t.options()), stage: lanes[0].stage}
	if t.own && truth.stage == stageRead {
		if truth.codec, err = codec.New(codec.Ours, t.options()); err != nil {
			return nil, nil, err
		}
	}
	good = lanes
	for i, b := range t.records {
		want, err := truth.record(b)
		if err != nil {
			return nil, nil, fmt.Errorf("%s, record %d: %w", t.name, i, err)
		}
		for j := 0; j < len(good); j++ {
			l := good[j]
			start := time.Now()
			got, err := l.record(b)
			l.cost += time.Since(start)
			l.proof += got
			if l.stage == stageConvert {
				l.length += len(l.out)
			}
			text := ""
			switch {
			case err != nil:
				text = oneLine(err.Error()) + "\n"
			case l.codec.Floor:
			case got != want && l.stage != stageConvert:
				text = fmt.Sprintf("sum %#x, want %#x\n", got, want)
			case l.stage == stageConvert && !bytes.Equal(l.out, truth.out):
				text = "differs " + around(l.out, truth.out)
			}
			if text == "" {
				continue
			}
			if !t.own || strings.HasPrefix(l.codec.Name, codec.Ours) {
				return nil, nil, wrongError(fmt.Sprintf("%s: %s, record %d: %s", l.codec.Name, t.name, i, strings.TrimSuffix(text, "\n")))
			}
			remarks = append(remarks, fmt.Sprintf("%s is left out of %s, %s: record %d: %s", l.codec.Name, t.name, l.stage, i, text))
			good = append(good[:j:j], good[j+1:]...)
			j--
		}
	}
	for _, l := range good {
		l.setPasses(atLeast)
		if err := l.warm(t); err != nil {
			return nil, nil, err
		}
	}
	return good, remarks, nil
}

// trust does for a lane what check does, but for the checking.
func (l *lane) trust(t *traffic, atLeast time.Duration) error {
	for i, b := range t.records {
		start := time.Now()
		got, err := l.record(b)
		l.cost += time.Since(start)
		if err != nil {
			return fmt.Errorf("%s: %s, record %d: %w", l.codec.Name, t.name, i, err)
		}
		l.proof += got
	}
	l.setPasses(atLeast)
	return l.warm(t)
}

// warm brings the library to its steady state: what it remembers of tables grows
// with the bytes it has read, and little traffic is soon gone through.
func (l *lane) warm(t *traffic) error {
	const enough = 1 << 20
	if l.codec.Stats == nil || l.stage != stageConvert {
		return nil
	}
	for read, before := 0, -1; read < enough && read > before; {
		before = read
		for _, b := range t.records {
			if _, err := l.record(b); err != nil {
				return err
			}
			read += len(b)
		}
	}
	return nil
}

// setPasses makes turns at least that long; cost is that of a pass.
func (l *lane) setPasses(atLeast time.Duration) {
	if l.cost < atLeast {
		l.passes = int(min(1+atLeast/max(l.cost, 1), 1_000_000))
	}
}
