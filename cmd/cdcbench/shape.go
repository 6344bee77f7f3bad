package main

import (
	"errors"
	"os"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/fastjson/claimcheck"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// shapeFlags say how messages are made.
type shapeFlags struct {
	Dialect  string  `enum:"canal,ticdc,entry,packet" default:"canal" help:"What to write: ${enum}. The first two are JSON, the others Canal's protobuf: an Entry for each change, or a Packet for each record."`
	BadEntry string  `enum:"fail,skip" default:"fail" help:"What a bad entry does to its packet: ${enum}. With skip the good entries are kept and each bad one is reported."`
	ID       *number `name:"id" placeholder:"N" help:"The id of every message. Otherwise that of the packet (0 if it has none), else 1; dialect ticdc always writes 0."`
	TS       number  `name:"ts" placeholder:"MS" help:"The ts of every message. Otherwise, and with 0, the clock, read once per record."`

	OneRow         bool `help:"Write a message for each row. Dialect ticdc has no other way."`
	DropDDL        bool `name:"drop-ddl" help:"Leave out DDL."`
	DropQueries    bool `help:"Leave out what is neither DDL nor rows, as statements of type QUERY."`
	DropWatermarks bool `help:"Leave out watermarks of TiCDC."`
	DropHeartbeats bool `help:"Leave out entries of type HEARTBEAT and GTIDLOG."`

	OmitGTID          bool   `name:"omit-gtid" group:"canal" help:"Leave the key gtid out, as Canal before 1.1.7."`
	OldPerRow         bool   `group:"canal" help:"Show in old of each row what that row changed, not what rows before it did as well."`
	OldComplete       bool   `group:"canal" help:"Show in old all columns of the row before, not only those that have changed."`
	RejectInvalidUTF8 bool   `name:"reject-invalid-utf8" help:"Make invalid UTF-8 an error instead of repairing it. It is for JSON: protobuf is written as it is read."`
	MaxMessage        number `name:"max-message-bytes" placeholder:"BYTES" help:"Longest message to write; in dialect ticdc with the 36 bytes that Kafka adds. A longer one is an error, unless --split or --large say otherwise."`
	Split             bool   `group:"canal" help:"Split longer messages by rows."`
	MaxOutput         number `placeholder:"BYTES" help:"Most that one record may become (default 256 MiB)."`

	TiDBExtension     bool   `name:"tidb-extension" group:"ticdc" help:"Write the key _tidb, and watermarks."`
	CommitTS          tso    `name:"commit-ts" group:"ticdc" placeholder:"TSO" help:"The commitTs of changes whose source has none."`
	OnlyUpdated       bool   `group:"ticdc" help:"Show in old only the columns whose value differs."`
	ContentCompatible bool   `group:"ticdc" help:"Write mysqlType in full, and only updated columns in old."`
	DataFirst         bool   `group:"ticdc" help:"Write data before old, as releases before v6.1.3 and v6.2 to v6.4."`
	DeleteOnlyKey     bool   `name:"delete-only-handle-key" group:"ticdc" help:"Show of a DELETE only the handle key."`
	Large             string `enum:"reject,handle-key-only,claim-check" default:"reject" group:"ticdc" help:"What becomes of a longer one: ${enum}."`
	ClaimDir          string `group:"ticdc" placeholder:"DIR" help:"Where claim-check puts them."`

	Database    string `group:"changedataset" placeholder:"NAME" help:"The database of tables whose name has none."`
	PassSQLType bool   `name:"pass-sql-type" group:"changedataset" help:"Take sqlType from the data where it is a number."`
}

// tso is a timestamp of TiDB: an unsigned number of 64 bits, in plain decimal.
type tso uint64

// Decode implements kong.MapperValue.
func (t *tso) Decode(ctx *kong.DecodeContext) error {
	token := ctx.Scan.Pop()
	v, err := strconv.ParseUint(token.String(), 10, 64)
	if token.IsEOL() || err != nil {
		return errors.New("expected a timestamp, a number of up to 64 bits")
	}
	*t = tso(v)
	return nil
}

// The flags' names of formats, and of what becomes of large messages.
var (
	sourceNames = map[string]cdcodec.Source{
		"entry": cdcodec.FromEntry, "packet": cdcodec.FromPacket, "tidb-binlog": cdcodec.FromTiDBBinlog,
		"changedataset": cdcodec.FromChangeDataSet, "canal-json": cdcodec.FromCanalJSON,
	}
	targetNames = map[string]cdcodec.Target{"entry": cdcodec.ToEntry, "packet": cdcodec.ToPacket}
	largeNames  = map[string]fastjson.Large{
		"reject": fastjson.RejectLarge, "handle-key-only": fastjson.HandleKeyOnly, "claim-check": fastjson.ClaimCheck,
	}
)

// isJSON reports whether messages are JSON.
func (f *shapeFlags) isJSON() bool { return targetNames[f.Dialect] == cdcodec.ToJSON }

// options returns what the flags mean to the library. What it stores goes where the
// flags say; claims tells whether that failed.
func (f *shapeFlags) options(in *inputFlags) (o cdcodec.Options, claims *claimDir, err error) {
	checked := f.Dialect == "ticdc" && f.Large == "claim-check"
	switch {
	case checked && f.ClaimDir == "":
		return o, nil, usageError("--large claim-check needs --claim-dir")
	case !checked && f.ClaimDir != "":
		return o, nil, usageError("--claim-dir is for --dialect ticdc --large claim-check")
	case !checked:
		o, err = f.optionsWith(in, nil)
		return o, new(claimDir), err
	}
	if stat, err := os.Stat(f.ClaimDir); err != nil {
		return o, nil, err
	} else if !stat.IsDir() {
		return o, nil, usageError("--claim-dir: " + f.ClaimDir + " is no directory")
	}
	claims = &claimDir{dir: claimcheck.Dir(f.ClaimDir)}
	o, err = f.optionsWith(in, claims)
	return o, claims, err
}

// fits refuses flags that say nothing of what is read or written.
func (f *shapeFlags) fits(in *inputFlags) error {
	canal, ticdc, set := f.Dialect == "canal", f.Dialect == "ticdc", in.From == "changedataset"
	for _, c := range []struct {
		name  string
		given bool
		fits  bool
		of    string
	}{
		{"--omit-gtid", f.OmitGTID, canal, "--dialect canal"},
		{"--old-per-row", f.OldPerRow, canal, "--dialect canal"},
		{"--old-complete", f.OldComplete, canal, "--dialect canal"},
		{"--split", f.Split, canal, "--dialect canal"},
		{"--tidb-extension", f.TiDBExtension, ticdc, "--dialect ticdc"},
		{"--commit-ts", f.CommitTS != 0, ticdc, "--dialect ticdc"},
		{"--only-updated", f.OnlyUpdated, ticdc, "--dialect ticdc"},
		{"--content-compatible", f.ContentCompatible, ticdc, "--dialect ticdc"},
		{"--data-first", f.DataFirst, ticdc, "--dialect ticdc"},
		{"--delete-only-handle-key", f.DeleteOnlyKey, ticdc, "--dialect ticdc"},
		{"--large", f.Large != "" && f.Large != "reject", ticdc, "--dialect ticdc"},
		{"--max-message-bytes", f.MaxMessage != 0, canal || ticdc, "the dialects canal and ticdc"},
		{"--reject-invalid-utf8", f.RejectInvalidUTF8, canal || ticdc, "the dialects canal and ticdc"},
		{"--database", f.Database != "", set, "--from changedataset"},
		{"--pass-sql-type", f.PassSQLType, set, "--from changedataset"},
	} {
		if c.given && !c.fits {
			return usageError(c.name + " is for " + c.of)
		}
	}
	if f.Split && f.MaxMessage == 0 {
		return usageError("--split needs --max-message-bytes")
	}
	return nil
}

// drops reports whether a flag leaves out messages.
func (f *shapeFlags) drops() bool {
	return f.DropDDL || f.DropQueries || f.DropWatermarks || f.DropHeartbeats
}

// optionsWith is options with another place for what is stored.
func (f *shapeFlags) optionsWith(in *inputFlags, claims fastjson.ClaimStore) (o cdcodec.Options, err error) {
	if err := f.fits(in); err != nil {
		return o, err
	}
	o = cdcodec.Options{
		From: sourceNames[in.From],
		To:   targetNames[f.Dialect],
		JSON: fastjson.Options{
			OneRow:            f.OneRow,
			Split:             f.Split,
			OmitGTID:          f.OmitGTID,
			OldPerRow:         f.OldPerRow,
			OldComplete:       f.OldComplete,
			DropDDL:           f.DropDDL,
			DropQueries:       f.DropQueries,
			DropWatermarks:    f.DropWatermarks,
			DropHeartbeats:    f.DropHeartbeats,
			RejectInvalidUTF8: f.RejectInvalidUTF8,
			TiCDC: fastjson.TiCDCOptions{
				Extension:           f.TiDBExtension,
				OnlyUpdated:         f.OnlyUpdated,
				ContentCompatible:   f.ContentCompatible,
				DataFirst:           f.DataFirst,
				DeleteOnlyHandleKey: f.DeleteOnlyKey,
				Large:               largeNames[f.Large],
				Claims:              claims,
			},
		},
		ChangeDataSet: changedataset.Options{Database: f.Database, PassSQLType: f.PassSQLType},
		IgnoreBatchID: f.ID != nil,
	}
	if f.Dialect == "ticdc" {
		o.JSON.Dialect = fastjson.TiCDC
	}
	if f.Dialect == "ticdc" && f.Large != "reject" && !f.TiDBExtension {
		return o, usageError("--large " + f.Large + " needs --tidb-extension, where a message says that it is not whole")
	}
	if o.MaxRecord, err = in.MaxRecord.limit("max-record"); err != nil {
		return o, err
	}
	most, err := f.MaxMessage.limit("max-message-bytes")
	if err != nil {
		return o, err
	}
	if o.JSON.Dialect == fastjson.TiCDC {
		o.JSON.TiCDC.MaxMessage = most
	} else {
		o.JSON.MaxMessage = most
	}
	o.JSON.MaxOutput, err = f.MaxOutput.limit("max-output")
	return o, err
}

// meta returns the id and ts of a message that brings none.
func (f *shapeFlags) meta() fastjson.Meta {
	m := fastjson.Meta{ID: 1, TS: int64(f.TS), CommitTS: uint64(f.CommitTS)}
	if f.ID != nil {
		m.ID = int64(*f.ID)
	}
	return m
}
