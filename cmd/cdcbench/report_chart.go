package main

import (
	"bytes"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/go-analyze/charts/chartdraw"
)

// The charts of the report: rows of bars or of marks, made to be read on a phone
// as they are, so that a wide screen shows several side by side. chartdraw writes
// the SVG; a drawn thing has a class in place of a colour, and report.css says
// what the class looks like, by day, by night and on paper. (chartdraw's own
// charts have their colours written into them, and bars only on linear axes.)

// A chart is an SVG that is not in its element yet: the page adds that, with the
// title and the description that a screen reader reads.
type chart struct {
	Title, Desc   string
	Class         string // of the element
	Width, Height int    // of its coordinates
	Body          template.HTML
}

// A chartRow is a line of text, and what is drawn below it.
type chartRow struct {
	name, text string
	ours       bool

	bars  []float64 // from zero, on a linear axis
	ideal float64   // where the bar would end if all were ideal; 0 is nowhere
	marks []float64 // on a logarithmic axis
}

const (
	chartWidth = 340 // what a phone of 360 shows without scaling, nearly
	rowText    = 17  // height of a row's line of text
	barHeight  = 9
	barGap     = 2 // between the bars of a row
	rowGap     = 9 // below a row
	axisHeight = 18
	fontSize   = 12
)

// canvas draws. Places are whole units of the chart.
type canvas struct {
	chartdraw.Renderer
	width, height int
}

func newCanvas(width, height int) *canvas {
	c := &canvas{chartdraw.SVG(width, height), width, height}
	c.SetDPI(72) // a point is a unit
	c.SetFont(chartdraw.GetDefaultFont())
	c.SetFontSize(fontSize)
	return c
}

// text writes s, which starts, ends or has its middle at x as the class says.
func (c *canvas) text(class string, x, y int, s string) {
	c.SetClassName(class)
	c.Text(s, x, y)
}

// rect draws a rectangle, at least a unit wide.
func (c *canvas) rect(class string, x1, y1, x2, y2 int) {
	if x2 == x1 {
		x2++
	}
	c.SetClassName(class)
	c.MoveTo(x1, y1)
	c.LineTo(x2, y1)
	c.LineTo(x2, y2)
	c.LineTo(x1, y2)
	c.Close()
	c.FillStroke()
}

func (c *canvas) line(class string, x1, y1, x2, y2 int) {
	c.SetClassName(class)
	c.MoveTo(x1, y1)
	c.LineTo(x2, y2)
	c.Stroke()
}

// mark draws one of three marks that differ in shape: a disc, a diamond, a bar.
func (c *canvas) mark(i, x, y int) {
	switch i {
	case 0:
		c.SetClassName("mark")
		c.Circle(4, x, y)
		c.FillStroke()
	case 1:
		c.SetClassName("mark")
		c.MoveTo(x-5, y)
		c.LineTo(x, y-5)
		c.LineTo(x+5, y)
		c.LineTo(x, y+5)
		c.Close()
		c.FillStroke()
	default:
		c.rect("mark", x-1, y-6, x+2, y+6)
	}
}

// long returns about how wide s is. The reader's font is not the one that is
// measured with, which is why there is some room.
func (c *canvas) long(s string) int {
	return c.MeasureText(s).Width()*108/100 + 2
}

// fit returns s, cut so that it is no longer than that.
func (c *canvas) fit(s string, width int) string {
	if c.long(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && c.long(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return strings.TrimSpace(string(r)) + "…"
}

// chart returns what was drawn.
func (c *canvas) chart(title, desc string) *chart {
	var b bytes.Buffer
	_ = c.Save(&b) // a Buffer takes anything
	_, body, _ := strings.Cut(b.String(), ">")
	body = strings.TrimSuffix(body, "</svg>")
	return &chart{title, desc, "", c.width, c.height, template.HTML(body)} // chartdraw has escaped the texts in it
}

// An axis is where values are, in units of the chart.
type axis struct {
	log         bool
	from, to    float64 // values
	left, right int     // where these are
}

// at returns where v is.
func (a *axis) at(v float64) int {
	from, to := a.from, a.to
	if a.log {
		from, to, v = math.Log10(from), math.Log10(to), math.Log10(v)
	}
	share := (v - from) / (to - from)
	return a.left + int(math.Round(min(max(share, 0), 1)*float64(a.right-a.left)))
}

// ticks returns round values on the axis.
func (a *axis) ticks() (list []float64) {
	if !a.log {
		step := math.Pow(10, math.Floor(math.Log10(a.to)))
		for _, smaller := range []float64{5, 2} {
			if a.to*smaller/step <= 5.5 {
				step /= smaller
				break
			}
		}
		if a.to/step > 5.5 {
			step *= 2
		}
		for i := 0.0; i*step <= a.to*(1+1e-9); i++ {
			list = append(list, i*step)
		}
		return list
	}
	first, last := math.Floor(math.Log10(a.from)), math.Ceil(math.Log10(a.to))
	step := max(math.Ceil((last-first)/6), 1)
	few := math.Log10(a.to/a.from) < 2 // so few decades that there is room within them
	for e := first; e <= last; e += step {
		for _, part := range []float64{1, 2, 5} {
			v := part * math.Pow(10, e)
			if v >= a.from*(1-1e-9) && v <= a.to*(1+1e-9) && (part == 1 || few) {
				list = append(list, v)
			}
		}
	}
	return list
}

// grid draws the lines of the ticks down to bottom, and their labels below it.
func (c *canvas) grid(a *axis, top, bottom int, label func(float64) string) {
	end := -1
	for _, v := range a.ticks() {
		x := a.at(v)
		c.line("grid", x, top, x, bottom)
		s := label(v)
		half := c.long(s) / 2
		class, from := "tick middle", x-half
		switch {
		case x-half < 0:
			class, from = "tick", x
		case x+half > c.width:
			class, from = "tick end", x-2*half
		}
		if from > end {
			c.text(class, x, bottom+13, s)
			end = from + 2*half + 4
		}
	}
}

// rowsChart draws rows: of bars, or of marks on a logarithmic axis. Without a value
// there is no chart.
func rowsChart(title string, rows []chartRow, label func(float64) string) *chart {
	a := axis{left: 1, right: chartWidth - 2}
	height := 0
	low, high := math.Inf(1), 0.0
	for _, r := range rows {
		height += r.height()
		a.log = a.log || len(r.marks) > 0
		for _, v := range append(append([]float64{r.ideal}, r.bars...), r.marks...) {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high == 0 {
		return nil
	}
	a.to = high
	if a.log {
		// Some room at both ends, and at least a decade.
		a.from, a.to = low/1.15, max(high*1.15, low*10)
		a.left, a.right = 6, chartWidth-6
	}
	c := newCanvas(chartWidth, height+axisHeight)
	c.grid(&a, rowText, height-rowGap+4, label)
	var said []string
	y := 0
	for _, r := range rows {
		c.row(&r, &a, y)
		y += r.height()
		said = append(said, r.name+" "+r.text)
	}
	return c.chart(title, title+": "+strings.Join(said, "; ")+".")
}

func (r *chartRow) height() int {
	if len(r.marks) > 0 {
		return rowText + 12 + rowGap
	}
	return rowText + len(r.bars)*(barHeight+barGap) - barGap + rowGap
}

func (c *canvas) row(r *chartRow, a *axis, y int) {
	who := ""
	if r.ours {
		who = " ours"
	}
	c.text("value end"+who, c.width, y+12, r.text)
	c.text("name"+who, 0, y+12, c.fit(r.name, c.width-c.long(r.text)-8))
	y += rowText
	for i, v := range r.bars {
		c.rect("bar"+strconv.Itoa(i)+who, a.left, y, a.at(v), y+barHeight)
		if i == 0 && r.ideal > v {
			c.rect("ideal", a.at(v), y, a.at(r.ideal), y+barHeight)
		}
		y += barHeight + barGap
	}
	if len(r.marks) > 0 {
		y += 6
		if first, last := a.at(r.marks[0]), a.at(r.marks[len(r.marks)-1]); first != last {
			c.line("range"+who, first, y, last, y)
		}
		for i := len(r.marks) - 1; i >= 0; i-- {
			c.mark(i, a.at(r.marks[i]), y)
		}
	}
}

// A ratioGroup is what is told of one corpus: how many times faster than something
// each of some codecs is.
type ratioGroup struct {
	name string
	bars []ratioBar
}

type ratioBar struct {
	name  string
	ours  bool
	kin   bool // ours as well, but not as it is used
	ratio float64
}

const (
	ratioHeight = 14
	ratioGap    = 3 // between bars
	groupGap    = 13
	groupName   = 17 // height of a name above its bars
)

// ratioChart draws groups of bars on a logarithmic axis that begins at once: as fast.
// What is slower goes the other way.
func ratioChart(title string, groups []ratioGroup, width int) *chart {
	c := newCanvas(width, 0)
	// Names of groups are beside their bars, or where there is no room above them.
	left, above := 1, groupName
	if width > chartWidth {
		for _, g := range groups {
			left = max(left, c.long(g.name))
		}
		left, above = min(left, width/4)+10, 0
	}
	a := axis{log: true, from: 1, to: 1.01, left: left, right: width - 1}
	height := 0
	for _, g := range groups {
		height += above + len(g.bars)*(ratioHeight+ratioGap) - ratioGap + groupGap
		for _, b := range g.bars {
			a.from = min(a.from, b.ratio*.95)
		}
	}
	// The label of each bar is behind it, and the longest that is far out says
	// how far the axis goes.
	for _, g := range groups {
		for _, b := range g.bars {
			room := width - left - c.long(b.label())*105/100 - 10
			if b.ratio > 1 {
				share := float64(room) / float64(width-1-left)
				to := math.Log10(a.from) + (math.Log10(b.ratio)-math.Log10(a.from))/max(share, .1)
				a.to = max(a.to, math.Pow(10, min(to, 300)))
			}
		}
	}
	body := newCanvas(width, height-groupGap+4+axisHeight)
	body.grid(&a, 0, height-groupGap+4, func(v float64) string { return plain(v) + "×" })
	var said []string
	y := 0
	for _, g := range groups {
		if above > 0 {
			body.text("group", 0, y+11, body.fit(g.name, width))
			y += above
		} else {
			body.text("group", 0, y+11, body.fit(g.name, left-8))
		}
		part, top := g.name, y
		for i, b := range g.bars {
			class := "bar0"
			switch {
			case b.ours:
				class = "bar0 ours"
			case b.kin:
				class = "bar1 ours"
			}
			one, end := a.at(1), a.at(b.ratio)
			body.rect(class, min(one, end), y, max(one, end), y+ratioHeight)
			body.ratioLabel(&b, max(one, end)+5, y+11)
			y += ratioHeight + ratioGap
			if i > 0 {
				part += ","
			}
			part += " " + b.label()
		}
		body.line("base", a.at(1), top-2, a.at(1), y-ratioGap+2)
		said = append(said, part)
		y += groupGap - ratioGap
	}
	return body.chart(title, title+": "+strings.Join(said, "; ")+".")
}

func (b *ratioBar) label() string { return ratio(b.ratio) + "× " + b.name }

// ratioLabel writes the number, and after it whose it is.
func (c *canvas) ratioLabel(b *ratioBar, x, y int) {
	who := ""
	if b.ours {
		who = " ours"
	}
	number := ratio(b.ratio) + "×"
	c.text("value"+who, x, y, number)
	c.text("name"+who, x+c.long(number)*11/10+2, y, b.name) // a bold number is longer
}
