package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// newTable returns an empty table. The first so many columns hold text, the
// others numbers. A column that stays empty is not shown.
func newTable(texts int, head ...string) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header, style.Format.Footer = text.FormatDefault, text.FormatDefault
	t.SetStyle(style)
	t.SuppressEmptyColumns()
	t.SuppressTrailingSpaces()
	var columns []table.ColumnConfig
	for i := range head {
		align := text.AlignLeft
		if i >= texts {
			align = text.AlignRight
		}
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align})
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(cells(head...))
	return t
}

func cells(texts ...string) table.Row {
	var row table.Row
	for _, s := range texts {
		row = append(row, s)
	}
	return row
}

// printResults prints a table, of which each corpus and stage is a part.
func printResults(w io.Writer, list []measurement) error {
	t := newTable(3, "corpus", "stage", "codec", "ns/entry", "MB/s in", "MB/s out", "allocs", "p50 ns", "p99 ns", "p99.9 ns", "× reference", "fused")
	for i, r := range list {
		corpus, stage := r.Corpus, string(r.Stage)
		if i > 0 {
			if last := list[i-1]; last.Corpus == r.Corpus && last.Stage == r.Stage {
				corpus, stage = "", ""
			} else {
				t.AppendSeparator()
			}
		}
		t.AppendRow(cells(corpus, stage, r.Codec,
			nanoseconds(r.NsPerEntry), r.rate(r.InBytes), r.rate(r.OutBytes), decimal(r.Allocs, 1),
			count(r.P50), count(r.P99), count(r.P999), times(r.TimesReference), percent(r.FusedShare)))
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// rate returns how many MB of so many bytes a second has.
func (r *measurement) rate(bytes int) string {
	if bytes == 0 {
		return ""
	}
	return decimal(float64(bytes)/float64(r.Entries)/r.NsPerEntry*1e3, 0)
}

func nanoseconds(ns float64) string {
	if ns < 100 {
		return decimal(ns, 1)
	}
	return decimal(ns, 0)
}

func count(n *int64) string {
	if n == nil {
		return ""
	}
	return thousands(strconv.FormatInt(*n, 10))
}

func times(x *float64) string {
	if x == nil {
		return ""
	}
	return ratio(*x)
}

// ratio returns x with three digits or so.
func ratio(x float64) string {
	switch {
	case x < 10:
		return decimal(x, 2)
	case x < 100:
		return decimal(x, 1)
	}
	return decimal(x, 0)
}

func percent(x *float64) string {
	if x == nil {
		return ""
	}
	return decimal(*x*100, 1) + "%"
}

// decimal returns x with so many digits behind the point, but 0 as that.
func decimal(x float64, digits int) string {
	if x == 0 {
		return "0"
	}
	return thousands(strconv.FormatFloat(x, 'f', digits, 64))
}

// thousands puts commas into a number of more than four digits.
func thousands(number string) string {
	whole, rest, found := strings.Cut(number, ".")
	if found {
		rest = "." + rest
	}
	if len(whole) <= 4 {
		return number
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + rest
}
