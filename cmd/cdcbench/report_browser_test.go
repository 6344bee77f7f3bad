package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// perf/ has pictures of the page. They are made, with this machine's figures, by
//
//	go test ./cmd/cdcbench -run TestReportInBrowser -pictures measure
//
// or, where the machine was quiet earlier, of what run --json wrote then:
//
//	go test ./cmd/cdcbench -run TestReportInBrowser -pictures $PWD/run.json
var pictures = flag.String("pictures", "", "write pictures of the report to perf/: of what is in this `FILE`, or measure")

// A screen is what the page is looked at with.
type screen struct {
	name          string
	width, height int
	dark          bool
	columns       int // of cards
}

var screens = []screen{
	{"desktop", 1200, 1480, false, 3},
	{"dark", 1200, 1480, true, 3},
	{"phone", 360, 1480, false, 1},
}

// TestReportInBrowser opens the page in a real browser: nothing is wrong with it,
// every chart is drawn, and it fits.
func TestReportInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes a while")
	}
	browser := findBrowser()
	if browser == "" {
		t.Skip("there is no chromium (Debian: apt-get install chromium)")
	}
	pages := reportsToShow(t)
	for _, s := range screens {
		t.Run("full/"+s.name, func(t *testing.T) { look(t, browser, pages["full"], s) })
	}
	for _, name := range []string{"hostile", "one row"} { // where there is least room
		t.Run(name, func(t *testing.T) { look(t, browser, pages[name], screens[2]) })
	}
	if *pictures != "" {
		page := measuredReport(t)
		for _, s := range screens {
			look(t, browser, page, s)
			name := filepath.Join("..", "..", "perf", "report-"+s.name+".png")
			if err := os.WriteFile(name, picture(t, browser, page, s), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "chromium-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// reportsToShow returns pages by name.
func reportsToShow(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{"full": reportOf(t, "testdata/report.json")}
	var hostile []measurement
	list := fixture(t)
	for _, m := range list {
		if m.Corpus == "oltp" || m.Stage == stagePipeline {
			m.Corpus = hostileName
			hostile = append(hostile, m)
		}
	}
	pages["hostile"] = render(t, hostile)
	pages["one row"] = render(t, list[:1])
	return pages
}

// measuredReport returns the page that pictures are made of.
func measuredReport(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	args := []string{"report", "-o", name}
	if *pictures != "measure" {
		pinned, unpin := onecpu.Pin() // as run has done
		unpin()
		args = append(args, "--json", *pictures, "--machine", machine(pinned))
	}
	if r := cdcbench(nil, args...); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// findings is what the page tells of itself from within the browser.
type findings struct {
	Width, ScrollWidth int
	Dark               bool
	Errors             []string
	Charts             int      // shown
	Empty              []string // charts, and parts of them, without extent
	Outside            []string // texts of charts that are cut off
	Unlabelled         []string // charts without title or description
	Scrolling          []string // tables that do not fit
	Columns            int
	Background         string
	Contrast           map[string]float64 // lowest, of texts
}

// probe runs in the page, and says what it has found to the page around it.
const probe = `
const found = {Errors: [], Empty: [], Outside: [], Scrolling: [], Unlabelled: [], Contrast: {}, Charts: 0};
addEventListener("error", e => found.Errors.push(String(e.message)));
addEventListener("securitypolicyviolation", e => found.Errors.push(e.violatedDirective + " " + e.blockedURI));
console.error = (...a) => found.Errors.push(a.join(" "));
const luminance = c => {
  const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const behind = e => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\)$|transparent/.test(c)) return c;
  }
};
const contrast = (kind, color, e) => {
  const [a, b] = [luminance(color), luminance(behind(e))];
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  found.Contrast[kind] = Math.min(found.Contrast[kind] ?? 99, ratio);
};
addEventListener("load", () => {
  const root = document.documentElement;
  found.Width = innerWidth;
  found.ScrollWidth = root.scrollWidth;
  found.Dark = matchMedia("(prefers-color-scheme: dark)").matches;
  found.Background = getComputedStyle(document.body).backgroundColor;
  for (const svg of document.querySelectorAll("svg.chart")) {
    const box = svg.getBoundingClientRect();
    if (getComputedStyle(svg).display == "none") continue;
    found.Charts++;
    const title = svg.querySelector("title").textContent;
    if (!(box.width > 100 && box.height > 20)) found.Empty.push(title);
    if (svg.getAttribute("role") != "img" || svg.getAttribute("aria-labelledby").split(" ").some(id => !document.getElementById(id)?.textContent)) found.Unlabelled.push(title);
    let bars = 0;
    for (const shape of svg.querySelectorAll("path, circle")) {
      const b = shape.getBoundingClientRect();
      const style = getComputedStyle(shape);
      if (!(b.width > 0 || b.height > 0) || style.fill == "none" && style.stroke == "none") found.Empty.push(title + " " + shape.outerHTML);
      if (/bar|mark/.test(shape.getAttribute("class"))) {
        bars++;
        if (!(b.width > 0 && b.height > 0)) found.Empty.push(title + " " + shape.outerHTML);
      }
    }
    if (!bars) found.Empty.push(title + ": no bar, no mark");
    for (const text of svg.querySelectorAll("text")) {
      const b = text.getBoundingClientRect();
      if (!(b.width > 0 && b.height > 0)) found.Empty.push(title + " " + text.outerHTML);
      if (b.left < box.left - 2 || b.right > box.right + 2) found.Outside.push(title + " " + text.outerHTML);
      contrast("chart", getComputedStyle(text).fill, text);
    }
  }
  for (const e of document.querySelectorAll("h1, h2, h3, p, td, th, caption, figcaption, small, li span, dt, dd, li"))
    contrast("text", getComputedStyle(e).color, e);
  for (const e of document.querySelectorAll(".scroll"))
    if (e.scrollWidth > e.clientWidth) found.Scrolling.push(e.getAttribute("aria-label"));
  const cards = [...document.querySelectorAll(".cards")].map(c => getComputedStyle(c).gridTemplateColumns.split(" ").length);
  found.Columns = Math.max(...cards);
  parent.postMessage(JSON.stringify(found), "*");
});
`

// frame is a page that shows the report as wide as the screen is: a window of
// chromium is at least 500 wide.
func (s *screen) frame(file string) string {
	return fmt.Sprintf(`<!doctype html><meta charset="utf-8"><title>frame</title><style>*{margin:0;border:0}iframe{display:block}</style>
<iframe src="%s" width="%d" height="%d"></iframe><pre id="found" hidden></pre>
<script>addEventListener("message", e => document.getElementById("found").textContent = e.data)</script>`, filepath.Base(file), s.width, s.height)
}

// open runs chromium on a page that shows the given one, and returns what it prints.
func (s *screen) open(t *testing.T, browser, page string, args ...string) (stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	inner, outer := filepath.Join(dir, "report.html"), filepath.Join(dir, "frame.html")
	for name, content := range map[string]string{inner: page, outer: s.frame(inner)} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	scheme := "1"
	if s.dark {
		scheme = "0"
	}
	args = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
		"--user-data-dir=" + filepath.Join(dir, "profile"),
		"--enable-logging=stderr",
		"--blink-settings=preferredColorScheme=" + scheme,
		fmt.Sprintf("--window-size=%d,%d", max(s.width, 500), s.height),
		"--virtual-time-budget=5000",
	}, args...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, browser, append(args, "file://"+outer)...)
	command.WaitDelay = 5 * time.Second
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, errors.String())
	}
	return out.String(), errors.String()
}

// look opens the page with the probe in it, and judges what it finds.
func look(t *testing.T, browser, page string, s screen) {
	t.Helper()
	const policy = "default-src 'none'; "
	if !strings.Contains(page, policy) {
		t.Fatal("the page has no policy that forbids it everything")
	}
	probed := strings.Replace(page, policy, policy+"script-src 'unsafe-inline'; ", 1)
	probed = strings.Replace(probed, "<title>", "<script>"+probe+"</script>\n<title>", 1)
	out, log := s.open(t, browser, probed, "--dump-dom")
	if console := regexp.MustCompile(`(?m)^.*CONSOLE.*$`).FindAllString(log, -1); console != nil {
		t.Errorf("the console says %q", console)
	}
	m := regexp.MustCompile(`(?s)<pre id="found" hidden="">(.*?)</pre>`).FindStringSubmatch(out)
	if m == nil || m[1] == "" {
		t.Fatalf("the page has not told what it is like:\n%s\n%s", out, log)
	}
	var f findings
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &f); err != nil {
		t.Fatal(err)
	}
	if f.Width != s.width || f.Dark != s.dark {
		t.Errorf("it was shown %d wide, dark: %v", f.Width, f.Dark)
	}
	if len(f.Scrolling) > 0 && !strings.Contains(page, "alert(") { // a name may be as long as it likes
		t.Errorf("tables scroll sideways, of themselves: %q", f.Scrolling)
	}
	if f.ScrollWidth > f.Width {
		t.Errorf("it scrolls sideways: %d wide on a screen of %d", f.ScrollWidth, f.Width)
	}
	for what, list := range map[string][]string{
		"errors": f.Errors, "without extent": f.Empty, "cut off": f.Outside, "not labelled": f.Unlabelled,
	} {
		if len(list) > 0 {
			t.Errorf("%s: %d, such as %s", what, len(list), list[0])
		}
	}
	// Of an overview one of two charts is shown.
	want := strings.Count(page, `<svg class="chart `) - strings.Count(page, `<svg class="chart narrow"`)
	if f.Charts != want || want == 0 {
		t.Errorf("%d charts are shown, want %d", f.Charts, want)
	}
	if f.Columns != s.columns {
		t.Errorf("cards are in %d columns, want %d", f.Columns, s.columns)
	}
	for what, ratio := range f.Contrast {
		if ratio < 4.5 {
			t.Errorf("%s: the lowest contrast is %.1f, want 4.5", what, ratio)
		}
	}
	if light := "rgb(247, 247, 244)"; (f.Background == light) == s.dark {
		t.Errorf("the background is %s", f.Background)
	}
}

// picture returns a PNG of the page's beginning, twice as fine as the screen.
func picture(t *testing.T, browser, page string, s screen) []byte {
	t.Helper()
	const fine = 2
	name := filepath.Join(t.TempDir(), "shot.png")
	// On a busy machine chromium may take it before all is painted.
	var raw, last []byte
	for try := 0; try < 2 || !bytes.Equal(raw, last); try++ {
		if try == 10 {
			t.Fatalf("%s: no two pictures are alike", s.name)
		}
		s.open(t, browser, page, "--screenshot="+name, fmt.Sprintf("--force-device-scale-factor=%d", fine), "--run-all-compositor-stages-before-draw")
		last = raw
		var err error
		if raw, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	shot, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, fewColours(shot, image.Rect(0, 0, s.width*fine, s.height*fine))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fewColours returns a part of an image in its 256 most frequent colours, which makes
// a third of it. What else there is are shades at the edges of letters.
func fewColours(m image.Image, part image.Rectangle) *image.Paletted {
	seen := map[color.Color]int{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			seen[m.At(x, y)]++
		}
	}
	order := slices.SortedFunc(maps.Keys(seen), func(a, b color.Color) int {
		return cmp.Or(seen[b]-seen[a], cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	few := image.NewPaletted(part, color.Palette(order[:min(len(order), 256)]))
	nearest := map[color.Color]uint8{}
	for _, c := range order {
		nearest[c] = uint8(few.Palette.Index(c))
	}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			few.SetColorIndex(x, y, nearest[m.At(x, y)])
		}
	}
	return few
}
