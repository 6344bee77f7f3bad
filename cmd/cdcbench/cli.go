package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// Exit codes. They are part of the command's contract.
const (
	exitOK     = 0
	exitBad    = 1 // a bad record, codecs that differ, a ratio below --min-ratio
	exitFailed = 2 // usage, I/O or a broken frame
)

// errBad ends a run with exitBad. What was bad has been reported already.
var errBad = errors.New("bad records")

// wrongError says that codecs which ought to agree do not. It ends a run with
// exitBad.
type wrongError string

func (e wrongError) Error() string { return string(e) }

// usageError is a fault in how the command was called.
type usageError string

func (e usageError) Error() string { return string(e) }

// commands is the command line, as kong reads it.
type commands struct {
	Run       runCmd       `cmd:"" default:"withargs" help:"Measure the library and what else there is on realistic traffic (what no command at all does)."`
	Compare   compareCmd   `cmd:"" help:"Tell how many times faster one of two is: codecs, revisions, earlier runs."`
	Profile   profileCmd   `cmd:"" help:"Tell where a codec spends time or memory."`
	Gen       genCmd       `cmd:"" help:"Write the traffic that is measured."`
	Convert   convertCmd   `cmd:"" help:"Convert a stream of records, from any format to any other."`
	Verify    verifyCmd    `cmd:"" help:"Convert a stream in two ways, ours and a slow plain one, and compare."`
	Report    reportCmd    `cmd:"" help:"Measure, and write a page with charts of it."`
	Partition partitionCmd `cmd:"" help:"Tell to which partition each row of a stream of records goes."`
	Demo      demoCmd      `cmd:"" help:"Show a conversion and how long it takes."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
	Turns     turnsCmd     `cmd:"" hidden:"" help:"Take turns when told to, for compare --rev."`
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	command  string // as it was typed, to be told beside what it gave
}

// exited carries an exit code out of kong, which wants to end the process
// after it has printed help.
type exited int

// run is the whole command but for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			c, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(c)
		}
	}()
	var cli commands
	parser, err := kong.New(&cli,
		kong.Name("cdcbench"),
		kong.Description("Streams of change-data-capture records to Canal-JSON: how fast, and convert and verify your own."),
		kong.Vars{
			"corpora": strings.Join(allCorpora(), ", "),
			"codecs":  strings.Join(codec.Names(), ", "),
		},
		kong.Writers(stdout, stderr),
		kong.ExplicitGroups([]kong.Group{
			{Key: "canal", Title: "Dialect canal:"},
			{Key: "ticdc", Title: "Dialect ticdc:"},
			{Key: "changedataset", Title: "From changedataset:"},
		}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
	if err != nil {
		panic(err) // the struct tags above are wrong
	}
	ctx, err := parser.Parse(args)
	cli.Run.sample = len(args) == 0
	if err == nil {
		err = ctx.Run(&streams{in: stdin, out: stdout, err: stderr, command: strings.Join(append([]string{"cdcbench"}, args...), " ")})
	} else {
		err = usageError(err.Error() + files(err, args))
	}
	return exitCode(err, helpOf(parser, args), stderr)
}

// helpOf returns the command whose help is to be looked at.
func helpOf(parser *kong.Kong, args []string) string {
	for _, c := range parser.Model.Children {
		if len(args) > 0 && args[0] == c.Name && !c.Hidden {
			return "cdcbench " + c.Name + " --help"
		}
	}
	return "cdcbench --help"
}

// files says how files are given, where they are not.
func files(err error, args []string) string {
	if len(args) == 0 || !strings.HasPrefix(err.Error(), "unexpected argument ") {
		return ""
	}
	switch args[0] {
	case "convert", "verify", "partition":
		return " (files are given with -i)"
	case "run", "profile", "report":
		return " (files are given with --file)"
	}
	return ""
}

// exitCode reports err where that has not been done, and returns what the
// process ends with. help is the command to look at.
func exitCode(err error, help string, stderr io.Writer) int {
	var usage usageError
	var wrong wrongError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errBad):
		return exitBad
	case errors.Is(err, syscall.EPIPE):
		// Whoever read our output has had enough: nothing to tell.
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "cdcbench: %v\n", err)
		return exitBad
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "cdcbench: %v\nTry \"%s\".\n", err, help)
	default:
		fmt.Fprintf(stderr, "cdcbench: %v\n", err)
	}
	return exitFailed
}
