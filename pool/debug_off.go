//go:build !cdcdebug && !race

package pool

// Debug tells whether this build poisons what is put back and checks who puts it: it does
// with -tags cdcdebug and under the race detector.
const Debug = false

type ledger struct{}

func (*ledger) get(*Buffer) {}
func (*ledger) put(*Buffer) {}
