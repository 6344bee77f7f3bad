package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// profileCmd is "cdcbench profile".
type profileCmd struct {
	trafficFlags `embed:""`

	Kind    string        `enum:"cpu,alloc,block" default:"cpu" help:"What to look at: ${enum}."`
	Codec   string        `default:"cdcodec" placeholder:"NAME" help:"Which codec (default cdcodec)."`
	Against string        `placeholder:"NAME" help:"Another codec to put beside it."`
	Time    time.Duration `default:"5s" help:"How long to profile a codec."`
	Top     int           `default:"25" help:"How many functions to show."`
	Out     string        `name:"out" short:"o" placeholder:"FILE" help:"The pprof file (default CODEC.KIND.pprof, here). That of --against has its codec in the name."`
}

// Help is printed below the flags.
func (c *profileCmd) Help() string {
	return `Profiles one stage of one corpus (default: convert, oltp). Numbers are per Entry, or
as run has it: per record, per message.
For more than the table shows: go tool pprof FILE.`
}

// A kind of profile: what it counts.
type kind struct {
	value string // in the file
	unit  string // of a value, as it is shown
	under string // only what a function whose name ends like that calls, "" for all
}

// In a CPU profile what the garbage collector does beside is part of the cost.
var kinds = map[string]kind{
	"cpu":   {"cpu", "ns", ""},
	"alloc": {"alloc_space", "bytes", ".(*lane).pass"},
	"block": {"delay", "ns", ".(*lane).pass"},
}

// Run profiles.
func (c *profileCmd) Run(s *streams) error {
	if err := positive("time", c.Time); err != nil {
		return err
	}
	sources, err := c.sources(s, []string{"oltp"}, c.usual()...)
	if err != nil {
		return err
	}
	if len(sources) != 1 || len(sources[0].stages) != 1 {
		return usageError("profile one stage of one corpus")
	}
	names := []string{c.Codec}
	if c.Against != "" {
		names = append(names, c.Against)
	}
	if err := checkCodecs(names); err != nil {
		return err
	}
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 0 // until what is to be seen begins
	defer func() { runtime.MemProfileRate = rate }()
	pinned, unpin := onecpu.Pin()
	defer unpin()
	t, err := sources[0].load()
	if err != nil {
		return err
	}
	at := sources[0].stages[0]
	if t, err = t.at(at); err != nil {
		return err
	}
	lanes, err := newLanes(t, at, names)
	if err != nil {
		return err
	}
	if len(lanes) < len(names) {
		return usageError("not all of these codecs have the stage " + string(at))
	}
	lanes, remarks, err := check(t, lanes, minTurn)
	if err != nil {
		return err
	}
	if len(remarks) > 0 {
		return usageError(strings.Join(remarks, ""))
	}
	return c.profile(s, t, lanes, pinned)
}

// usual is the stage that is profiled if none is named.
func (c *profileCmd) usual() []stage {
	if c.File != "" && c.From == "canal-json" {
		return []stage{stageRead} // it has no other
	}
	return []stage{stageConvert}
}

// profile profiles each lane, and prints what came out.
func (c *profileCmd) profile(s *streams, t *traffic, lanes []*lane, pinned string) error {
	var columns []*column
	for _, l := range lanes {
		before, err := c.soFar()
		if err != nil {
			return err
		}
		file, entries, err := c.record(l, t)
		if err != nil {
			return err
		}
		name := c.fileName(l.codec)
		if err := os.WriteFile(name, file, 0o666); err != nil {
			return err
		}
		costs, err := c.read(file)
		if err != nil {
			return err
		}
		if before != nil {
			costs.subtract(before)
		}
		columns = append(columns, &column{l.codec.Name, name, entries, costs})
	}
	if err := c.print(s.out, t, lanes[0].stage, columns); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "\n%s\n%s\n", machine(pinned), s.command)
	return err
}

// soFar returns what a profile of this kind holds already, nil for nothing: those
// of allocations and of blocking are never begun anew.
func (c *profileCmd) soFar() (*costs, error) {
	if c.Kind == "cpu" {
		return nil, nil
	}
	file, err := c.lookup()
	if err != nil {
		return nil, err
	}
	return c.read(file)
}

func (c *profileCmd) read(file []byte) (*costs, error) {
	return readProfile(file, kinds[c.Kind].value, kinds[c.Kind].under)
}

// lookup returns the profile that the runtime keeps.
func (c *profileCmd) lookup() ([]byte, error) {
	var b bytes.Buffer
	name := c.Kind
	if name == "alloc" {
		name = "allocs"
		runtime.GC() // what was allocated since the last collection counts only now
		runtime.GC()
	}
	err := pprof.Lookup(name).WriteTo(&b, 0)
	return b.Bytes(), err
}

// fileName returns where the profile of a codec goes.
func (c *profileCmd) fileName(of *codec.Codec) string {
	name := strings.ReplaceAll(of.Name, "/", "-")
	switch {
	case c.Out == "":
		return name + "." + c.Kind + ".pprof"
	case of.Name == c.Codec:
		return c.Out
	}
	ext := filepath.Ext(c.Out)
	return strings.TrimSuffix(c.Out, ext) + "." + name + ext
}

// record returns the profile of a lane, and over how many Entries it is.
func (c *profileCmd) record(l *lane, t *traffic) (file []byte, entries int, err error) {
	var b bytes.Buffer
	runtime.GC()
	switch c.Kind {
	case "cpu":
		if err := pprof.StartCPUProfile(&b); err != nil {
			return nil, 0, err
		}
		defer pprof.StopCPUProfile() // again, if there is an error
	case "alloc":
		runtime.MemProfileRate = 1
	case "block":
		runtime.SetBlockProfileRate(1)
		defer runtime.SetBlockProfileRate(0)
	}
	for end := onecpu.Used() + c.Time; entries == 0 || onecpu.Used() < end; {
		if err := l.pass(t); err != nil {
			return nil, 0, err
		}
		entries += t.entries
		// Whoever runs for 10 ms is interrupted, at the very moment that the
		// profiler takes its sample: that would show and nothing else.
		runtime.Gosched()
	}
	if c.Kind == "cpu" {
		pprof.StopCPUProfile()
		return b.Bytes(), entries, nil
	}
	runtime.MemProfileRate = 0
	file, err = c.lookup()
	return file, entries, err
}

// A column is one profile in the table.
type column struct {
	codec, file string
	entries     int
	costs       *costs
}

// print prints the functions that cost most, in any column.
func (c *profileCmd) print(w io.Writer, t *traffic, s stage, columns []*column) error {
	if c.Top < 1 {
		return usageError("--top: at least 1")
	}
	k := kinds[c.Kind]
	head := []string{"function"}
	var functions []string
	most := map[string]float64{} // share of a function, in the column where it is greatest
	for _, col := range columns {
		head = append(head, k.unit+"/entry", "flat", "cum")
		for f, v := range col.costs.flat {
			if _, ok := most[f]; !ok {
				functions = append(functions, f)
			}
			most[f] = max(most[f], col.share(v))
		}
	}
	slices.SortFunc(functions, func(a, b string) int {
		return cmp.Or(cmp.Compare(most[b], most[a]), strings.Compare(a, b))
	})
	functions = functions[:min(len(functions), c.Top)]

	table := newTable(1, head...)
	for _, f := range functions {
		row := []string{clip(f, 70)}
		for _, col := range columns {
			row = append(row, col.cells(f)...)
		}
		table.AppendRow(cells(row...))
	}
	fmt.Fprintf(w, "%s of %s, %s:\n\n", c.Kind, t.name, s)
	for _, col := range columns {
		total := decimal(float64(col.costs.total)/float64(col.entries), 1)
		fmt.Fprintf(w, "%s: %s %s/entry over %d Entries, in %s\n", col.codec, total, k.unit, col.entries, col.file)
	}
	if len(functions) == 0 {
		_, err := fmt.Fprintln(w, "\nThere is nothing to show.")
		return err
	}
	if len(columns) > 1 {
		fmt.Fprintf(w, "\nFrom left to right: %s, %s.\n", columns[0].codec, columns[1].codec)
		if c.Kind != "cpu" {
			fmt.Fprintf(w, "The second file has the first in it: go tool pprof -base %s %s\n", columns[0].file, columns[1].file)
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", table.Render())
	return err
}

func (col *column) share(v int64) float64 {
	return float64(v) / float64(max(col.costs.total, 1))
}

// cells returns what a column says of a function.
func (col *column) cells(function string) []string {
	flat, cum := col.costs.flat[function], col.costs.cum[function]
	if cum == 0 {
		return []string{"", "", ""}
	}
	return []string{
		decimal(float64(flat)/float64(col.entries), 1),
		percent(new(col.share(flat))),
		percent(new(col.share(cum))),
	}
}

// clip returns s, or the beginning of it.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most-1] + "…"
}
