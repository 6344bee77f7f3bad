package bench

import (
	"fmt"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// A Record is what one Run works on. Only what its stage needs is there.
type Record struct {
	Entry []byte             // decode, convert
	Flat  *canalflatpb.Entry // write: what the peers start from
	Event *change.Event      // write: what cdcodec starts from
	JSON  []byte             // read
}

// Corpora names the corpora of a stage. stream, whose many tables are a matter of
// reading Entries, is not among those of write and read.
func Corpora(s Stage) []string {
	var names []string
	for _, name := range corpus.Names() {
		if name != "stream" || s == Decode || s == Convert {
			names = append(names, name)
		}
	}
	return names
}

// Load returns the records of a corpus for a stage, the first n Entries of it, or all
// with 0. Marks of transactions have no message and so no record in write and read.
func Load(s Stage, name string, n int) ([]Record, error) {
	made, err := corpus.Make(name, n, 1)
	if err != nil {
		return nil, err
	}
	tr, err := cdcodec.New(cdcodec.Options{})
	if err != nil {
		return nil, err
	}
	list := make([]Record, 0, len(made.Entries))
	for i, b := range made.Entries {
		var r Record
		switch s {
		case Decode, Convert:
			r.Entry = b
		case Write:
			if isMark(b) {
				continue
			}
			r.Flat, r.Event, err = decoded(b)
		case Read:
			r.JSON, _, err = tr.Append(nil, nil, b, meta)
			if len(r.JSON) == 0 && err == nil {
				continue
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", name, i, err)
		}
		list = append(list, r)
	}
	return list, nil
}

func decoded(b []byte) (*canalflatpb.Entry, *change.Event, error) {
	flat := new(canalflatpb.Entry)
	if err := flat.UnmarshalVT(b); err != nil {
		return nil, nil, err
	}
	e, err := canal.ParseEntry(b)
	if err != nil {
		return nil, nil, err
	}
	var d canal.Decoder
	var ev change.Event
	if err := d.Decode(&ev, &e); err != nil {
		return nil, nil, err
	}
	return flat, ev.Clone(), nil
}
