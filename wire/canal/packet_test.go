package canal_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// TestPackets gives Packets whose Messages are read.
func TestPackets(t *testing.T) {
	body := func(parts ...[]byte) []byte { return sub(5, parts...) }
	for _, c := range []struct {
		name    string
		in      []byte
		batch   int64
		entries []string
	}{
		{"as Canal writes it", join(num(1, 17), num(2, 1), num(3, 7), body(str(2, "\x10\x02"), str(2, "\x10\x01"))), 0, []string{"\x10\x02", "\x10\x01"}},
		{"compression NONE, batch id", join(num(3, 7), num(4, 1), body(num(1, -9), str(2, ""))), -9, []string{""}},
		{"another magic and version", join(num(1, -1), num(2, 99), num(3, 7), body(str(2, ""))), 0, []string{""}},
		{"no entries", join(num(3, 7), body(num(1, 5))), 5, nil},
		{"empty body", join(num(3, 7), body()), 0, nil},
		{"no body", num(3, 7), 0, nil},
		{"type twice", join(num(3, 3), body(str(2, "")), num(3, 7)), 0, []string{""}},
		{"compression twice", join(num(4, 2), num(3, 7), num(4, 0)), 0, nil},
		{"body twice", join(num(3, 7), body(num(1, 1), str(2, "one")), body(str(2, "\x10\x03"))), 0, []string{"\x10\x03"}},
		{"batch id between and twice", join(num(3, 7), body(str(2, ""), num(1, 1), str(2, "\x10\x04"), num(1, 2))), 2, []string{"", "\x10\x04"}},
		{"unknown fields", join(num(6, 1), str(3, "x"), num(3, 7), num(5, 1), body(num(2, 7), str(2, ""), num(3, 1)), str(4, "x")), 0, []string{""}},
	} {
		m := messagesOf(t, c.in)
		var got []string
		for m.Next() {
			if m.Index() != len(got) {
				t.Errorf("%s: entry %d has index %d", c.name, len(got), m.Index())
			}
			got = append(got, string(m.Bytes()))
			if _, err := m.Entry(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if m.Next() || m.BatchID != c.batch || !reflect.DeepEqual(got, c.entries) {
			t.Errorf("%s: batch %d, %q; want %d, %q", c.name, m.BatchID, got, c.batch, c.entries)
		}
	}
}

// TestPacketErrors gives Packets that have no Messages to read.
func TestPacketErrors(t *testing.T) {
	ack := func(code int32, message string) error { return &canal.AckError{Code: code, Message: message} }
	for _, c := range []struct {
		name   string
		in     []byte
		err    error
		offset int
		path   string
	}{
		{"no type", sub(5, str(2, "")), canal.ErrPacketType, 0, "type"},
		{"type 0", join(num(1, 1), num(3, 0)), canal.ErrPacketType, 2, "type"},
		{"GET", join(num(1, 1), num(3, 6), num(4, 2)), canal.ErrPacketType, 2, "type"},
		{"a type that is none", num(3, 700), canal.ErrPacketType, 0, "type"},
		{"type twice", join(num(1, 1), num(3, 7), num(2, 1), num(3, 6), num(2, 1)), canal.ErrPacketType, 6, "type"},
		{"ACK", join(num(1, 1), sub(5, num(1, 400), str(2, "no such destination")), num(3, 3)), ack(400, "no such destination"), 2 + 26, "type"},
		{"ACK that says nothing", num(3, 3), ack(0, ""), 0, "type"},
		{"ACK twice", join(num(3, 3), sub(5, num(1, -1)), num(3, 3)), ack(-1, ""), 15, "type"},
		{"malformed ACK", join(num(3, 3), sub(5, num(1, 400), cut(2))), wire.ErrTruncated, 7, "body.error_message"},
		{"unknown field in an ACK", join(num(3, 3), sub(5, num(1, 1), cut(3))), wire.ErrTruncated, 6, "body"},
		{"ZLIB", join(num(3, 7), num(4, 2)), canal.ErrCompression, 2, "compression"},
		{"compression -1", join(num(4, 1), num(3, 7), num(4, -1)), canal.ErrCompression, 4, "compression"},
		{"a compression that is none", join(num(3, 7), num(4, 5)), canal.ErrCompression, 2, "compression"},
		{"entry cut", join(num(3, 7), sub(5, num(1, 1), str(2, ""), num(2, 1), cut(2))), wire.ErrTruncated, 10, "body.messages[1]"},
		{"unknown field of Messages", join(num(3, 7), sub(5, cut(3))), wire.ErrTruncated, 4, "body"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := canal.ParsePacket(c.in)
			fatal(t, err)
			m, err := p.Messages()
			var e *wire.ParseError
			if !errors.As(err, &e) || !reflect.DeepEqual(e.Err, c.err) || e.Offset != c.offset || e.Path != c.path {
				t.Errorf("error %v, want %s at byte %d: %v", err, c.path, c.offset, c.err)
			}
			if m.Next() || m.BatchID != 0 {
				t.Errorf("with an error: %+v", m)
			}
		})
	}
	_, err := canal.ParsePacket(join(num(3, 7), cut(5)))
	wantParseError(t, err, wire.ErrTruncated, 2, "body")
}

// TestAckError shows how a user gets at what Canal's server said.
func TestAckError(t *testing.T) {
	p, err := canal.ParsePacket(join(num(3, 3), sub(5, num(1, 402), str(2, "filter \"x\" \xff"))))
	fatal(t, err)
	_, err = p.Messages()
	var ack *canal.AckError
	if !errors.As(err, &ack) || ack.Code != 402 || ack.Message != "filter \"x\" \xff" {
		t.Fatal(err)
	}
	const want = `type at byte 0: packet is an ACK with code 402: "filter \"x\" \xff"`
	if err.Error() != want {
		t.Errorf("prints %s, want %s", err, want)
	}
}

// TestBadEntries has a batch with bad entries give the good ones, and the bad
// ones with their place; both as part of a Packet and on its own.
func TestBadEntries(t *testing.T) {
	bad := sub(1, cut(8))
	worse := join(goodEntry, sub(3, sub(12, sub(2, cut(8))))) // read by a Decoder only
	batch := join(sub(2, goodEntry), sub(2, bad), sub(2, goodEntry), sub(2, worse), sub(2, cut(60)), sub(2))
	packet := join(num(3, 7), sub(5, batch))
	alone, err := canal.ParseMessages(batch)
	fatal(t, err)
	for _, c := range []struct {
		m      canal.Messages
		record []byte
		prefix string
	}{{messagesOf(t, packet), packet, "body."}, {alone, batch, ""}} {
		var d canal.Decoder
		var ev change.Event
		for c.m.Next() {
			e, err := c.m.Entry()
			if err == nil {
				if err = d.Decode(&ev, &e); err != nil {
					err = c.m.Within(err)
				}
			}
			at := len(c.record) - len(batch)
			if !bytes.HasPrefix(c.record[c.m.Offset():], sub(2, c.m.Bytes())) {
				t.Errorf("entry %d is not at %d", c.m.Index(), c.m.Offset())
			}
			switch c.m.Index() {
			case 1:
				wantParseError(t, err, wire.ErrTruncated, at+len(sub(2, goodEntry))+4, c.prefix+"messages[1].header.schemaName")
				if !reflect.DeepEqual(e, canal.Entry{}) {
					t.Errorf("with an error: %+v", e)
				}
			case 3:
				before := len(sub(2, goodEntry))*2 + len(sub(2, bad)) + len(sub(2, worse)) - len(cut(8))
				wantParseError(t, err, wire.ErrTruncated, at+before, c.prefix+"messages[3].storeValue.rowDatas[0].afterColumns[0].value")
			case 4:
				if p, ok := err.(*wire.ParseError); !ok || p.Path != c.prefix+"messages[4]" {
					t.Errorf("entry 4: %v", err)
				}
			default:
				if err != nil {
					t.Errorf("entry %d: %v", c.m.Index(), err)
				}
			}
		}
		if c.m.Index() != 5 {
			t.Errorf("ends at entry %d", c.m.Index())
		}
	}
	if err := alone.Within(io.EOF); err != io.EOF {
		t.Errorf("an error that has no path becomes %v", err)
	}
}
