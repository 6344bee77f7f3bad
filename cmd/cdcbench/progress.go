package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on a terminal that is fed the bytes read, or steps of work.
// A nil progress is none: all methods but Write work on it.
type progress struct {
	bar *progressbar.ProgressBar
}

// newProgress returns a bar for total bytes, or nil where none is wanted: w is
// not a terminal, or the total is not known.
func newProgress(w io.Writer, total int64) *progress {
	if total <= 0 || !isTerminal(w) {
		return nil
	}
	return newBar(w, total)
}

// newSteps returns a bar for so many steps, or nil if w is not a terminal.
func newSteps(w io.Writer, total int) *progress {
	if !isTerminal(w) {
		return nil
	}
	return newStepsBar(w, total)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func newBar(w io.Writer, total int64) *progress {
	return &progress{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true),
	)}
}

// newStepsBar returns a bar that is drawn only when a step is made: nothing of
// it runs while something is measured.
func newStepsBar(w io.Writer, total int) *progress {
	return &progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(),
	)}
}

// step takes note that so many steps are done, and says what comes next.
func (p *progress) step(n int, next string) {
	if p != nil {
		p.bar.Describe(next)
		if n > 0 {
			_ = p.bar.Add(n) // as in Write
		}
	}
}

// Write takes note of bytes that were read.
func (p *progress) Write(b []byte) (int, error) {
	_ = p.bar.Add(len(b)) // a bar that cannot be drawn stops nothing
	return len(b), nil
}

// clear makes room for a line of text; the bar comes back by itself.
func (p *progress) clear() {
	if p != nil {
		_ = p.bar.Clear()
	}
}

// finish takes the bar away.
func (p *progress) finish() {
	if p != nil {
		_ = p.bar.Exit()
		_ = p.bar.Clear()
	}
}

// oneLine returns s with its control characters escaped, so that whatever
// input is quoted in it stays within a line and does nothing to a terminal.
func oneLine(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
