package fastjson

import (
	"encoding/json"
	"testing"

	"github.com/cdcodec/cdcodec/change"
)

func TestAppendKey(t *testing.T) {
	col := func(name, value string, key, null bool) change.Column {
		return change.Column{Name: []byte(name), Value: []byte(value), Key: key, Null: null}
	}
	for _, c := range []struct {
		name string
		cols []change.Column
		want string
	}{
		{"no columns", nil, ""},
		{"no key", []change.Column{col("a", "1", false, false)}, ""},
		{"one", []change.Column{col("a", "1", false, false), col("id", "7", true, false)}, `{"id":"7"}`},
		{"order of the row, null, empty", []change.Column{col("b", "x", true, true), col("c", "y", false, false), col("a", "", true, false)}, `{"b":null,"a":""}`},
		{"escaped and repaired", []change.Column{col("a\"\xff", "\t\\ü\u2028\xed\xa0\x80\x01", true, false)}, `{"a\"�":"\t\\ü` + "\u2028" + `�\u0001"}`},
		{"twice", []change.Column{col("a", "1", true, false), col("a", "2", true, false)}, `{"a":"1","a":"2"}`},
	} {
		for _, image := range []change.Image{change.Before, change.After} {
			row := change.Row{After: c.cols}
			if image == change.Before {
				row = change.Row{Before: c.cols, After: []change.Column{col("other", "1", true, false)}}
			}
			rows := change.NewList(change.Row{}, row)
			rows.Rewind()
			rows.Next()
			rows.Next()
			got, ok := AppendKey([]byte("dst"), rows, image)
			if string(got) != "dst"+c.want || ok != (c.want != "") || ok && !json.Valid(got[3:]) {
				t.Errorf("%s: %s, %v; want %s", c.name, got, ok, c.want)
			}
		}
	}
}
