package corpus

// newWide makes changes of one row of 200 columns.
func newWide(seed uint64) maker { return oneRow(newGenerator(seed, wideTables())) }

// wideColumns is how many columns each of the wide tables has.
const wideColumns = 200

// wideTables makes the tables of the corpus wide. Column n of a table is about
// the subject n/25, and of the kind n%25, where the table after the first begin
// elsewhere among the kinds, so that no two are laid out alike. The key stands
// in for column 0.
func wideTables() []table {
	subjects := [][8]string{
		{"billing", "shipping", "contact", "loyalty", "support", "web", "mobile", "referral"},
		{"applicant", "employer", "income", "collateral", "guarantor", "bureau", "offer", "contract"},
		{"engine", "gearbox", "battery", "brake", "tyre", "cabin", "route", "driver"},
		{"intake", "mixing", "heating", "cooling", "filling", "sealing", "packing", "inspection"},
	}
	wide := []table{
		{"crm", "customer_profiles", 502, 6100000001, nil},
		{"lending", "loan_applications", 517, 20230000000001, nil},
		{"fleet", "vehicle_snapshots", 530, 880001, nil},
		{"factory", "batch_reports", 544, 1730000001, nil},
	}
	for ti := range wide {
		columns := []column{{"id", "bigint(20)", typeBigint, key, 0}}
		for n := 1; n < wideColumns; n++ {
			c := wideKinds[(n+7*ti)%len(wideKinds)]
			c.name = subjects[ti][n/len(wideKinds)] + "_" + c.name
			columns = append(columns, c)
		}
		wide[ti].columns = columns
	}
	return wide
}

// wideKinds is frozen, order and all.
var wideKinds = [wideColumns / 8]column{
	{"ref", "bigint(20)", typeBigint, reference, 0},
	{"count", "int(11)", typeInt, count, 0},
	{"name", "varchar(128)", typeVarchar, person, 0},
	{"quota", "int(10) unsigned", typeInt, number, 0},
	{"level", "tinyint(4)", typeTinyint, state, 0},
	{"amount", "decimal(12,2)", typeDecimal, money, 15},
	{"note", "text", typeText, note, 10},
	{"enabled", "tinyint(1)", typeTinyint, flag, 0},
	{"updated_at", "datetime", typeDatetime, moment, 0},
	{"visits", "mediumint(8) unsigned", typeInt, number, 0},
	{"rate", "double", typeDouble, ratio, 25},
	{"code", "char(16)", typeChar, code, 0},
	{"score", "smallint(6)", typeSmallint, count, 30},
	{"due_on", "date", typeDate, day, 30},
	{"channel", "varchar(16)", typeVarchar, word, 0},
	{"kind", "enum('new','open','paid','sent','closed')", typeInt, choice, 0},
	{"settings", "json", typeVarchar, document, 15},
	{"weight", "float", typeFloat, single, 40},
	{"last_ip", "varchar(39)", typeVarchar, address, 35},
	{"digest", "binary(16)", typeBlob, digest, 0},
	{"opens_at", "time", typeTime, clock, 25},
	{"options", "set('gift','express','insured')", typeBit, options, 20},
	{"title", "varchar(255)", typeVarchar, title, 20},
	{"since", "year(4)", typeVarchar, year, 25},
	{"mask", "bit(8)", typeBit, octet, 0},
}
