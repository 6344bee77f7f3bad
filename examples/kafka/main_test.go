package main

import (
	"testing"

	"github.com/alecthomas/kong"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
)

// TestFlags: what flags say is in the Config.
func TestFlags(t *testing.T) {
	parse := func(args ...string) Config {
		t.Helper()
		var cli commands
		parser, err := kong.New(&cli, kong.Exit(func(int) { t.Fatal("it wants to exit") }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(append([]string{"--in", "a", "--out", "b"}, args...)); err != nil {
			t.Fatal(err)
		}
		c := cli.Run.config()
		if _, err := cdcodec.New(c.Convert); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return c
	}
	for name, from := range sources {
		if c := parse("--from", name); c.Convert.From != from {
			t.Errorf("%s: %v", name, c.Convert.From)
		}
	}
	c := parse()
	if c.Convert.From != cdcodec.FromPacket || c.Convert.Partition != nil || c.Convert.Keys || !c.Convert.JSON.Split || c.Convert.JSON.MaxMessage != 900_000 || c.Retry.Tries >= 0 {
		t.Errorf("%+v", c)
	}
	c = parse("--rules", `shop\..*:id`, "--partitions", "6", "--keys", "--workers", "3", "--max-in-flight", "1000")
	if p := c.Convert.Partition; p == nil || p.Partitions != 6 || p.Rules != `shop\..*:id` || !c.Convert.Keys || !c.Convert.JSON.OneRow || c.Workers != 3 || c.MaxInFlight != 1000 {
		t.Errorf("%+v", c)
	}
	if c = parse("--dialect", "ticdc", "--keys", "--max-message", "5000"); c.Convert.JSON.Dialect != fastjson.TiCDC || c.Convert.JSON.TiCDC.MaxMessage != 5000 || c.Convert.JSON.OneRow {
		t.Errorf("%+v", c)
	}
}
