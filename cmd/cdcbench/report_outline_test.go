package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// A node is an element of a page.
type node struct {
	name     string
	attr     map[string]string
	text     string // of all that is in it
	children []*node
}

// parsePage reads a page. Elements that are not closed are an error.
func parsePage(t *testing.T, page string) *node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = false
	d.AutoClose = append(slices.Clone(xml.HTMLAutoClose), "wbr")
	d.Entity = xml.HTMLEntity
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is broken: %v", err)
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			last.children = append(last.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, n := range open {
				n.text += string(token)
			}
		}
	}
	if len(open) != 1 {
		t.Fatalf("%s is not closed", open[len(open)-1].name)
	}
	return root
}

// all calls f for each element.
func (n *node) all(f func(*node)) {
	for _, child := range n.children {
		f(child)
		child.all(f)
	}
}

// words returns the text with its spaces as one each.
func (n *node) words() string { return strings.Join(strings.Fields(n.text), " ") }

// class reports whether the element has that class.
func (n *node) class(name string) bool {
	return slices.Contains(strings.Fields(n.attr["class"]), name)
}

// outline says in lines what a reader of the page finds.
func outline(root *node) string {
	var b strings.Builder
	root.all(func(n *node) {
		switch n.name {
		case "h1", "h2", "h3":
			fmt.Fprintf(&b, "\n%s %s\n", strings.Repeat("#", int(n.name[1]-'0')), n.words())
		case "p", "li", "dt", "figcaption", "caption":
			fmt.Fprintf(&b, "%s: %s\n", n.name, n.words())
		case "dd":
			fmt.Fprintf(&b, "    %s\n", n.words())
		case "tr":
			var cells []string
			for _, cell := range n.children {
				cells = append(cells, cell.words())
			}
			fmt.Fprintf(&b, "    | %s |\n", strings.Join(cells, " | "))
		case "svg":
			if !n.class("chart") {
				return
			}
			bars, marks := shapes(n)
			fmt.Fprintf(&b, "chart %s: %d bars, %d marks\n", n.attr["viewBox"], bars, marks)
			n.all(func(part *node) {
				if part.name == "desc" {
					fmt.Fprintf(&b, "    %s\n", part.words())
				}
			})
		}
	})
	return b.String()
}

// shapes counts the bars and the marks in a chart.
func shapes(svg *node) (bars, marks int) {
	svg.all(func(n *node) {
		switch {
		case n.class("bar0"), n.class("bar1"):
			bars++
		case n.class("mark"):
			marks++
		}
	})
	return bars, marks
}
