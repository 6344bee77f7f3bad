package batch

import (
	"bytes"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/pool"
)

// chunk is a buffer of messages with their frames, in order and with nothing between
// them, and what they are.
//
//	buf   │lead message trail│lead message trail│ …
//	msgs    Start…End          Start…End
//	ends    how many messages there are after record first, first+1, …
type chunk struct {
	buf      *pool.Buffer
	msgs     []cdcodec.Message // Database, Table and Key are in names
	names    []byte
	first    int64 // number of the first record
	ends     []int
	barriers []int // indexes of messages
	trail    int   // bytes behind each message
	open     bool  // there will be more messages

	refs atomic.Int32 // who still needs it
	home *chunks
}

// end returns where message i ends, its frame included; of -1 that is 0.
func (k *chunk) end(i int) int {
	if i < 0 {
		return 0
	}
	return k.msgs[i].End + k.trail
}

// record returns the number of the record that message i is of.
func (k *chunk) record(i int) int64 {
	return k.first + int64(sort.SearchInts(k.ends, i+1))
}

// last returns the number of the last record; first-1 if there is none.
func (k *chunk) last() int64 { return k.first + int64(len(k.ends)) - 1 }

// own makes copies of what the messages from i on borrow, in names. The table that the
// message before is of as well is not copied again.
func (k *chunk) own(i int) {
	var database, table []byte
	if i > 0 {
		database, table = k.msgs[i-1].Database, k.msgs[i-1].Table
	}
	for ; i < len(k.msgs); i++ {
		m := &k.msgs[i]
		if !bytes.Equal(m.Table, table) {
			table = k.keep(m.Table)
		}
		if !bytes.Equal(m.Database, database) {
			database = k.keep(m.Database)
		}
		m.Database, m.Table, m.Key = database, table, k.keep(m.Key)
	}
}

// ownKeys is own for messages whose Database and Table last as long as k.
func (k *chunk) ownKeys(i int) {
	for ; i < len(k.msgs); i++ {
		k.msgs[i].Key = k.keep(k.msgs[i].Key)
	}
}

// keep returns a copy of b in names. Names that are full go on in new memory; those
// before keep the old.
func (k *chunk) keep(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(b) > cap(k.names)-len(k.names) {
		k.names = make([]byte, 0, max(2*cap(k.names), 4*len(b), 1<<10))
	}
	n := len(k.names)
	k.names = append(k.names, b...)
	return k.names[n:len(k.names):len(k.names)]
}

// mark notes which of the messages from i on are barriers.
func (k *chunk) mark(i int, barrier Barrier) {
	for ; i < len(k.msgs); i++ {
		if barrier.is(k.msgs[i].Kind) {
			k.barriers = append(k.barriers, i)
		}
	}
}

// barrier returns the first barrier from message i on; len(k.msgs) if there is none.
func (k *chunk) barrier(i int) int {
	at, _ := slices.BinarySearch(k.barriers, i)
	if at == len(k.barriers) {
		return len(k.msgs)
	}
	return k.barriers[at]
}

// release says that somebody does not need k any more. The last one gives it back.
func (k *chunk) release() {
	if k.refs.Add(-1) == 0 {
		k.home.put(k)
	}
}

// What a chunk keeps for the next time.
const (
	keepNames = 64 << 10
	keepMsgs  = 8 << 10
)

// chunks makes chunks and takes them back.
type chunks struct {
	pool  *pool.Pool
	trail int
	spare sync.Pool // of *chunk, without a buffer
}

// get returns a chunk with room for n bytes that one has a hold of.
func (c *chunks) get(n int) *chunk {
	k, ok := c.spare.Get().(*chunk)
	if !ok {
		k = &chunk{home: c, trail: c.trail}
	}
	k.buf = c.pool.GetSize(n)
	k.refs.Store(1)
	k.open = true
	return k
}

func (c *chunks) put(k *chunk) {
	c.pool.Put(k.buf)
	k.buf = nil
	clear(k.msgs)
	k.msgs, k.ends, k.barriers, k.names = k.msgs[:0], k.ends[:0], k.barriers[:0], k.names[:0]
	if cap(k.names) > keepNames {
		k.names = nil
	}
	if cap(k.msgs) > keepMsgs {
		k.msgs = nil
	}
	if cap(k.ends) > keepMsgs {
		k.ends = nil
	}
	c.spare.Put(k)
}

// Barrier says which messages stand alone: what came before such a message is in
// batches before it, what comes after in batches behind it, so that a sink can wait
// for all others, or tell all.
type Barrier uint8

// What can be a barrier; they can be added up.
const (
	BarrierDDL       Barrier = 1 << iota // messages of change.KindDDL
	BarrierWatermark                     // messages of change.KindWatermark
	allBarriers      = BarrierDDL | BarrierWatermark
)

func (b Barrier) is(k change.Kind) bool {
	return k == change.KindDDL && b&BarrierDDL != 0 || k == change.KindWatermark && b&BarrierWatermark != 0
}
