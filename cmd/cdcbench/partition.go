package main

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// partitionCmd is "cdcbench partition".
type partitionCmd struct {
	inputFlags `embed:""`

	Rules        string `placeholder:"RULES" help:"Canal's rules, as in canal.mq.partitionHash, with commas or semicolons between them: schema.table:column^column for the values of columns, schema.table:$$pk$$ for those of the key, schema.table for the table's name. The first that matches counts; where none does it is partition 0."`
	Partitions   number `required:"" placeholder:"N" help:"How many partitions there are."`
	DatabaseHash bool   `help:"Have the schema's name count too where the values of columns do."`
	By           string `enum:"rules,table,key,commit-ts,round-robin" default:"rules" help:"What decides: ${enum}. rules needs --rules; the others take none."`

	OnError  string `enum:"stop,skip" default:"stop" help:"What a bad record does: ${enum}. With skip the run goes on."`
	BadEntry string `enum:"fail,skip" default:"fail" help:"What a bad entry does to its packet: ${enum}."`
	Database string `group:"changedataset" placeholder:"NAME" help:"The database of tables whose name has none."`
}

// Help is printed below the flags.
func (c *partitionCmd) Help() string {
	return `Prints a line for each row that a message would show:

  record	row	partition

Records count from 0, and so do the rows of each, through all of its changes. A
change without rows to show, as a DDL, has the row "-" and partition 0. Marks of
transactions, and watermarks, have no line. Bad records and the exit status are
as those of convert.`
}

// The flag's names of what decides.
var byNames = map[string]partition.By{
	"rules": partition.ByRules, "table": partition.ByTable, "key": partition.ByKey,
	"commit-ts": partition.ByCommitTS, "round-robin": partition.RoundRobin,
}

// Run tells the partitions.
func (c *partitionCmd) Run(s *streams) (err error) {
	n, err := c.Partitions.limit("partitions")
	switch {
	case err != nil || n == 0 || n > math.MaxInt32:
		return usageError("--partitions: " + strconv.FormatInt(int64(c.Partitions), 10) + " is no number of partitions")
	case c.By != "rules" && c.Rules != "":
		return usageError("--rules and --by " + c.By + " exclude each other")
	case c.By == "rules" && n > 1 && c.Rules == "":
		return usageError("--by rules needs --rules")
	case c.Database != "" && c.From != "changedataset":
		return usageError("--database is for --from changedataset")
	}
	p, err := partition.New(partition.Options{Partitions: n, By: byNames[c.By], Rules: c.Rules, DatabaseHash: c.DatabaseHash})
	if err != nil {
		return usageError(err.Error())
	}
	o := cdcodec.Options{From: sourceNames[c.From], ChangeDataSet: changedataset.Options{Database: c.Database}}
	if o.MaxRecord, err = c.MaxRecord.limit("max-record"); err != nil {
		return err
	}
	in, err := c.open(s, o.MaxRecord)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriterSize(s.out, outBuffer)
	in.idle = func() { _ = out.Flush() } // bufio keeps its error, and the next write returns it
	err = c.stream(o, p, in, out, s.err)
	if ferr := out.Flush(); ferr != nil && (err == nil || err == errBad) {
		err = ferr
	}
	return err
}

// stream tells the partitions of record after record. A record is atomic: the lines of
// one are printed when all of it is known to be good.
func (c *partitionCmd) stream(o cdcodec.Options, p *partition.Partitioner, in *input, out *bufio.Writer, stderr io.Writer) error {
	bad := false
	if c.BadEntry == "skip" {
		o.BadEntry = func(_ int, err error) {
			bad = true
			in.report(stderr, err)
		}
	}
	t, err := cdcodec.New(o)
	if err != nil {
		return usageError(err.Error())
	}
	var lines []byte
	var parts []int32
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		row := 0
		lines = trim(lines)[:0]
		failed := t.Events(record, func(_ int, ev *change.Event) error {
			if ev.Kind == change.KindWatermark {
				return nil
			}
			parts = p.AppendRows(trim(parts)[:0], ev)
			before := row
			lines, row = c.appendRows(lines, in.Record(), row, ev, parts)
			if row == before {
				lines = append(strconv.AppendInt(lines, in.Record(), 10), "\t-\t0\n"...)
			}
			return nil
		})
		if failed != nil {
			bad = true
			in.report(stderr, failed)
			if c.OnError == "stop" {
				return errBad
			}
			continue
		}
		if _, err := out.Write(lines); err != nil {
			return err
		}
	}
	if bad {
		return errBad
	}
	return nil
}

// appendRows appends a line for each row of ev that has columns to show, with numbers
// from row on, and returns the next number.
func (c *partitionCmd) appendRows(lines []byte, record int64, row int, ev *change.Event, parts []int32) ([]byte, int) {
	if len(parts) == 0 {
		return lines, row
	}
	ev.Rows.Rewind()
	for i := 0; ev.Rows.Next() && i < len(parts); i++ {
		ev.Rows.Select(change.ImageOf(ev.Type))
		if ev.Rows.Column() == nil {
			continue
		}
		lines = append(strconv.AppendInt(lines, record, 10), '\t')
		lines = append(strconv.AppendInt(lines, int64(row), 10), '\t')
		lines = append(strconv.AppendInt(lines, int64(parts[i]), 10), '\n')
		row++
	}
	return lines, row
}
