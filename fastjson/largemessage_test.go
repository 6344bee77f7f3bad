package fastjson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// memory is a ClaimStore, and what was put into it.
type memory struct {
	messages []string
	location string
	err      error
}

func (m *memory) Put(message []byte) (string, error) {
	m.messages = append(m.messages, string(message))
	return m.location, m.err
}

// fixed is a Sizer that gives each message the same size.
type fixed int

func (f fixed) SizeOf([]byte) int { return int(f) }

const text100 = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

// large returns an UPDATE of a row with one key, one handle, and a long text.
func large(marks ...mark) *change.Event {
	id := col("id", "7", append([]mark{typed(-5, "bigint(20)")}, marks...)...)
	ev := shop(rowsOf(change.Update, change.Row{
		Before: columns{id, col("u", "1", asHandle, typed(4, "int")), col("note", text100, note)},
		After:  columns{id, col("u", "2", asHandle, typed(4, "int")), col("note", text100+"!", note)},
	}))
	ev.CommitTS = 9
	return ev
}

const (
	largeSQL   = `{"id":-5,"u":4,"note":2005}`
	largeMySQL = `{"id":"bigint","u":"int","note":"text"}`
	largeOld   = `[{"id":"7","u":"1","note":"` + text100 + `"}]`
	largeNew   = `[{"id":"7","u":"2","note":"` + text100 + `!"}]`
)

var largeFull = tiMessage("UPDATE", oneKeys, largeSQL, largeMySQL, largeOld, largeNew, `,"_tidb":{"commitTs":9}`)

// TestTiCDC_12_Limit counts the key, the message and 36 bytes.
func TestTiCDC_12_Limit(t *testing.T) {
	size := len(largeFull) + 5 + 36
	for _, c := range []struct {
		limit int
		sizer fastjson.Sizer
		fails int // the size in the error, 0 for none
	}{
		{0, nil, 0}, {size, nil, 0}, {size + 1, nil, 0}, {size - 1, nil, size}, {1, nil, size},
		{100, fixed(59), 0}, {100, fixed(60), 101}, {0, fixed(1 << 30), 0},
	} {
		w := newWriter(t, ticdc(tiOptions{Extension: true, MaxMessage: c.limit, Sizer: c.sizer}))
		out, err := w.AppendEvent([]byte("x"), large(key), fastjson.Meta{TS: meta.TS, KeySize: 5})
		if c.fails == 0 {
			if err != nil || string(out) != "x"+largeFull || len(w.Ends()) != 1 || w.Ends()[0] != len(out) {
				t.Errorf("limit %d: %s, %v, ends %v", c.limit, out, err, w.Ends())
			}
			continue
		}
		var large *fastjson.TooLargeError
		if !errors.As(err, &large) || *large != (fastjson.TooLargeError{Table: "shop.orders", Size: c.fails, Limit: c.limit}) || string(out) != "x" || len(w.Ends()) != 0 {
			t.Errorf("limit %d: %s, %v, ends %v", c.limit, out, err, w.Ends())
		}
	}
	err := &fastjson.TooLargeError{Table: "shop.orders", Size: 1048612, Limit: 1000000}
	if err.Error() != "message of shop.orders takes 1048612 bytes, 1000000 are allowed" {
		t.Error(err)
	}
	err.Table = ""
	if err.Error() != "message takes 1048612 bytes, 1000000 are allowed" {
		t.Error(err)
	}
}

// TestTiCDC_12_HandleKey has the columns of the primary key, else those of the handle
// the source names, else none.
func TestTiCDC_12_HandleKey(t *testing.T) {
	const limit = 400 // for the stub, but not for the message
	handleKey := func(pk, sql, mysql, old, data string) string {
		return tiMessage("UPDATE", pk, sql, mysql, old, data, `,"_tidb":{"commitTs":9,"onlyHandleKey":true}`)
	}
	o := tiOptions{Extension: true, MaxMessage: limit, Large: fastjson.HandleKeyOnly}
	becomeTiCDC(t, "primary key", ticdc(o), large(key), meta,
		handleKey(oneKeys, `{"id":-5}`, `{"id":"bigint"}`, `[{"id":"7"}]`, `[{"id":"7"}]`))
	becomeTiCDC(t, "handle", ticdc(o), large(), meta,
		handleKey(`[]`, `{"u":4}`, `{"u":"int"}`, `[{"u":"1"}]`, `[{"u":"2"}]`))
	o.OnlyUpdated = true
	becomeTiCDC(t, "only updated, handle", ticdc(o), large(), meta,
		handleKey(`[]`, `{"u":4}`, `{"u":"int"}`, `[{"u":"1"}]`, `[{"u":"2"}]`))
	o.MaxMessage = 300
	becomeTiCDC(t, "only updated, key", ticdc(o), large(key), meta,
		handleKey(oneKeys, `{"id":-5}`, `{"id":"bigint"}`, `[{}]`, `[{"id":"7"}]`))
	partial := large(key)
	partial.Partial = true
	o.OnlyUpdated, o.MaxMessage = false, limit
	becomeTiCDC(t, "partial", ticdc(o), partial, meta,
		handleKey(oneKeys, `{"id":-5}`, `{"id":"bigint"}`, `[{"id":"7"}]`, `[{"id":"7"}]`))

	// No handle key at all.
	none := shop(rowsOf(change.Insert, change.Row{After: columns{col("a", text100), col("b", text100)}}))
	w := newWriter(t, ticdc(o))
	if out, err := w.AppendEvent([]byte("x"), none, meta); err != fastjson.ErrNoHandleKey || string(out) != "x" || len(w.Ends()) != 0 {
		t.Errorf("%s, %v", out, err)
	}
	// What is small enough needs none.
	o.MaxMessage = 1000
	if got := messagesOf(t, ticdc(o), none, meta); len(got) != 1 || strings.Contains(got[0], "onlyHandleKey") {
		t.Errorf("%s", got)
	}
	// A name that is a key once and once not is one, and shown as it is last.
	twice := rowsOf(change.Insert, change.Row{After: columns{col("k", "1", key), col("x", text100), col("k", "2")}})
	o.MaxMessage = 300
	if got := messagesOf(t, ticdc(o), twice, meta); len(got) != 1 || tiSection(t, strings.Replace(got[0], `,"_tidb":{"commitTs":0,"onlyHandleKey":true}`, "", 1), "data") != `[{"k":"2"}]` {
		t.Errorf("%s", got)
	}
	// The first message of several is a stub, the others are whole.
	rows := rowsOf(change.Insert,
		change.Row{After: columns{col("k", "1", key), col("x", text100)}},
		change.Row{After: columns{col("k", "2", key), col("x", "y")}},
		change.Row{After: columns{col("k", "3", key), col("x", text100)}},
		change.Row{After: columns{col("k", "4", key), col("x", "y")}})
	got := messagesOf(t, ticdc(o), rows, meta)
	for i, want := range []string{`"data":[{"k":"1"}],"_tidb":{"commitTs":0,"onlyHandleKey":true}}`, `"data":[{"k":"2","x":"y"}],"_tidb":{"commitTs":0}}`,
		`"data":[{"k":"3"}],"_tidb":{"commitTs":0,"onlyHandleKey":true}}`, `"data":[{"k":"4","x":"y"}],"_tidb":{"commitTs":0}}`} {
		if len(got) != 4 || !strings.HasSuffix(got[i], want) || strings.Contains(got[i], `"x":0`) != strings.Contains(want, `"x"`) {
			t.Errorf("message %d: %s", i, got)
		}
	}
	// The stub itself is too large.
	o.MaxMessage = 200
	var tooLarge *fastjson.TooLargeError
	size := len(handleKey(oneKeys, `{"id":-5}`, `{"id":"bigint"}`, `[{"id":"7"}]`, `[{"id":"7"}]`)) + 36
	if _, err := newWriter(t, ticdc(o)).AppendEvent(nil, large(key), meta); !errors.As(err, &tooLarge) || tooLarge.Size != size || tooLarge.Limit != 200 {
		t.Errorf("%v, want a size of %d", err, size)
	}
}

// TestTiCDC_12_ClaimCheck has the store get the whole message, and the stub say where.
func TestTiCDC_12_ClaimCheck(t *testing.T) {
	claims := &memory{location: `/claims/<1>.json`}
	o := tiOptions{Extension: true, MaxMessage: 400, Large: fastjson.ClaimCheck, Claims: claims}
	want := tiMessage("UPDATE", oneKeys, `{"id":-5}`, `{"id":"bigint"}`, `[{"id":"7"}]`, `[{"id":"7"}]`, `,"_tidb":{"commitTs":9,"claimCheckLocation":"/claims/\u003c1\u003e.json"}`)
	becomeTiCDC(t, "stub", ticdc(o), large(key), meta, want)
	if len(claims.messages) != 1 || claims.messages[0] != largeFull {
		t.Errorf("kept: %s", claims.messages)
	}

	// Nothing is kept of what is small enough, or cannot become a stub.
	claims.messages = nil
	messagesOf(t, ticdc(o), shop(rowsOf(change.Update, oneShop)), meta)
	if _, err := newWriter(t, ticdc(o)).AppendEvent(nil, rowsOf(change.Insert, change.Row{After: columns{col("a", text100+text100+text100)}}), meta); err != fastjson.ErrNoHandleKey {
		t.Error(err)
	}
	if len(claims.messages) != 0 {
		t.Errorf("kept: %s", claims.messages)
	}

	// A store that fails.
	claims.err = errors.New("disk full")
	w := newWriter(t, ticdc(o))
	out, err := w.AppendEvent([]byte("x"), large(key), meta)
	if !errors.Is(err, claims.err) || err.Error() != "claim check: disk full" || string(out) != "x" || len(w.Ends()) != 0 {
		t.Errorf("%s, %v", out, err)
	}
	claims.err = nil
	if out, err := w.AppendEvent([]byte("x"), large(key), meta); err != nil || string(out) != "x"+want {
		t.Errorf("and then: %s, %v", out, err)
	}

	// The location makes the stub too large.
	claims.location = text100
	var tooLarge *fastjson.TooLargeError
	size := len(want) - len(`/claims/\u003c1\u003e.json`) + 100 + 36
	if _, err := w.AppendEvent(nil, large(key), meta); !errors.As(err, &tooLarge) || tooLarge.Size != size || tooLarge.Limit != 400 {
		t.Errorf("%v, want a size of %d", err, size)
	}

	// A location that is not UTF-8 is repaired, not refused: it is no text of the Event's.
	claims.location = "\xff"
	reject := ticdc(o)
	reject.RejectInvalidUTF8 = true
	if got := messagesOf(t, reject, large(key), meta); len(got) != 1 || !strings.Contains(got[0], `"claimCheckLocation":"\ufffd"}`) {
		t.Errorf("%s", got)
	}
}

// TestTiCDC_12_DeleteOnlyHandleKey shows of a DELETE the handle key, without a flag,
// and changes nothing else.
func TestTiCDC_12_DeleteOnlyHandleKey(t *testing.T) {
	o := ticdc(tiOptions{Extension: true, DeleteOnlyHandleKey: true})
	deleted := func(marks ...mark) *change.Event {
		ev := large(marks...)
		ev.Type = change.Delete
		return ev
	}
	becomeTiCDC(t, "key", o, deleted(key), meta, tiMessage("DELETE", oneKeys, `{"id":-5}`, `{"id":"bigint"}`, "null", `[{"id":"7"}]`, `,"_tidb":{"commitTs":9}`))
	becomeTiCDC(t, "handle", o, deleted(), meta, tiMessage("DELETE", `[]`, `{"u":4}`, `{"u":"int"}`, "null", `[{"u":"1"}]`, `,"_tidb":{"commitTs":9}`))
	becomeTiCDC(t, "an UPDATE", o, large(key), meta, largeFull)
	w := newWriter(t, o)
	none := rowsOf(change.Delete, change.Row{Before: columns{col("a", "1")}})
	if out, err := w.AppendEvent([]byte("x"), none, meta); err != fastjson.ErrNoHandleKey || string(out) != "x" {
		t.Errorf("%s, %v", out, err)
	}
	// Too large all the same: now there is a flag, and it may help no more.
	o.TiCDC.Large, o.TiCDC.MaxMessage, o.TiCDC.Sizer = fastjson.HandleKeyOnly, 1000, oddSizer{}
	ev := deleted(key)
	for range 2 { // one of the two lengths is odd
		got := messagesOf(t, o, ev, meta)
		if len(got) != 1 || strings.Contains(got[0], "onlyHandleKey") != (len(strings.Replace(got[0], `,"onlyHandleKey":true`, "", 1))%2 == 1) {
			t.Errorf("%s", got)
		}
		ev.Table = append(ev.Table, 'x')
	}
}

// TestTiCDC_12_Others are too large without a row to leave something out of.
func TestTiCDC_12_Others(t *testing.T) {
	for _, l := range []fastjson.Large{fastjson.RejectLarge, fastjson.HandleKeyOnly, fastjson.ClaimCheck} {
		claims := &memory{location: "x"}
		w := newWriter(t, ticdc(tiOptions{Extension: true, MaxMessage: 100, Large: l, Claims: claims}))
		for _, ev := range []*change.Event{
			{Kind: change.KindDDL, Type: change.Create, IsDDL: true, Table: []byte("t")}, {Kind: change.KindQuery, Type: change.Query, Database: []byte("d")},
			{Kind: change.KindWatermark, CommitTS: 1},
		} {
			var tooLarge *fastjson.TooLargeError
			out, err := w.AppendEvent([]byte("x"), ev, meta)
			if !errors.As(err, &tooLarge) || tooLarge.Limit != 100 || tooLarge.Size < 200 || string(out) != "x" || len(w.Ends()) != 0 {
				t.Errorf("%v: %s, %v", ev.Kind, out, err)
			}
			if want := map[change.Kind]string{change.KindDDL: ".t", change.KindQuery: "d."}[ev.Kind]; err == nil || tooLarge.Table != want {
				t.Errorf("%v: table %q, want %q", ev.Kind, tooLarge.Table, want)
			}
		}
		if len(claims.messages) > 0 {
			t.Errorf("kept: %s", claims.messages)
		}
	}
}

// TestTiCDC_12_Atomic has a late row fail: nothing is left of the ones before it.
func TestTiCDC_12_Atomic(t *testing.T) {
	w := newWriter(t, ticdc(tiOptions{MaxMessage: 300}))
	rows := []change.Row{{After: columns{col("a", "1")}}, {After: columns{col("a", "2")}}, {After: columns{col("a", text100+text100)}}, {After: columns{col("a", "3")}}}
	out, err := w.AppendEvent([]byte("x"), rowsOf(change.Insert, rows...), meta)
	var tooLarge *fastjson.TooLargeError
	if !errors.As(err, &tooLarge) || string(out) != "x" || len(w.Ends()) != 0 || w.Wasted() < 400 {
		t.Errorf("%s, %v, ends %v, wasted %d", out, err, w.Ends(), w.Wasted())
	}
	if out, err = w.AppendEvent([]byte("x"), rowsOf(change.Insert, rows[:2]...), meta); err != nil || len(w.Ends()) != 2 || w.Ends()[1] != len(out) {
		t.Errorf("and then: %s, %v", out, err)
	}
}

// TestTiCDCOptions refuses those that make no sense, in dialect ticdc only.
func TestTiCDCOptions(t *testing.T) {
	claims := &memory{}
	for _, c := range []struct {
		o    tiOptions
		want string
	}{
		{tiOptions{}, ""},
		{tiOptions{Extension: true, OnlyUpdated: true, ContentCompatible: true, DataFirst: true, DeleteOnlyHandleKey: true, MaxMessage: 1, Sizer: fixed(1), Claims: claims}, ""},
		{tiOptions{Extension: true, Large: fastjson.HandleKeyOnly}, ""},
		{tiOptions{Extension: true, Large: fastjson.ClaimCheck, Claims: claims}, ""},
		{tiOptions{Extension: true, Large: fastjson.ClaimCheck}, "fastjson: TiCDC.Large is ClaimCheck and TiCDC.Claims is nil"},
		{tiOptions{Large: fastjson.HandleKeyOnly}, "fastjson: TiCDC.Large needs TiCDC.Extension"},
		{tiOptions{Extension: true, Large: 3}, "fastjson: unknown TiCDC.Large 3"},
		{tiOptions{MaxMessage: -1}, "fastjson: TiCDC.MaxMessage is negative"},
	} {
		w, err := fastjson.NewWriter(ticdc(c.o))
		if c.want == "" && (err != nil || w == nil) || c.want != "" && (err == nil || err.Error() != c.want || w != nil) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
		if _, err := fastjson.NewWriter(fastjson.Options{TiCDC: c.o}); err != nil {
			t.Errorf("%+v in dialect canal: %v", c.o, err)
		}
	}
	if _, err := fastjson.NewWriter(fastjson.Options{Dialect: 2}); err == nil || err.Error() != "fastjson: unknown Dialect 2" {
		t.Error(err)
	}
}

// TestTiCDC_12_NullHandle has a unique key that is NULL, before or after: it finds
// no row.
func TestTiCDC_12_NullHandle(t *testing.T) {
	for _, im := range []change.Image{change.Before, change.After} {
		ev := large()
		rows := change.CopyRows(ev.Rows)
		for _, cols := range [][]change.Column{rows[0].Before, rows[0].After} {
			for i := range cols {
				cols[i].Key = false
			}
		}
		if im == change.Before {
			rows[0].Before[1].Null = true
		} else {
			rows[0].After[1].Null = true
		}
		ev.Rows = change.NewList(rows...)
		w, err := fastjson.NewWriter(fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true, MaxMessage: 300, Large: fastjson.HandleKeyOnly}})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := w.AppendEvent([]byte("x"), ev, fastjson.Meta{}); err != fastjson.ErrNoHandleKey || string(out) != "x" {
			t.Errorf("image %d: %v, %s", im, err, out)
		}
	}
}
