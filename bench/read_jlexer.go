package bench

import "github.com/mailru/easyjson/jlexer"

// jlexerRead is easyjson's jlexer, called as the code is that easyjson generates, but
// without maps: a row is summed up as it is read. What is not escaped it borrows.
func jlexerRead() Run {
	var (
		data, old []uint64
		in        jlexer.Lexer
	)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		var (
			database, table, typ string
			es, id, ts           int64
			isDDL                bool
		)
		data, old = data[:0], old[:0]
		in = jlexer.Lexer{Data: r.JSON}
		in.Delim('{')
		for !in.IsDelim('}') {
			key := in.UnsafeFieldName(false)
			in.WantColon()
			switch key {
			case "data":
				data = jlexerRows(&in, data)
			case "old":
				old = jlexerRows(&in, old)
			case "database":
				database = in.UnsafeString()
			case "table":
				table = in.UnsafeString()
			case "type":
				typ = in.UnsafeString()
			case "es":
				es = in.Int64()
			case "id":
				id = in.Int64()
			case "ts":
				ts = in.Int64()
			case "isDdl":
				isDDL = in.Bool()
			default:
				in.SkipRecursive()
			}
			in.WantComma()
		}
		in.Delim('}')
		in.Consumed()
		if err := in.Error(); err != nil {
			return dst, 0, err
		}
		var s sum
		s.readHead(database, table, typ, es, id, ts)
		if !isDDL {
			s.readRows(typ, len(data), func(i int) uint64 { return data[i] }, func(i int) uint64 {
				if i < len(old) {
					return old[i]
				}
				return 0
			})
		}
		return dst, uint64(s), nil
	}
}

// jlexerRows appends what each row of an array comes to.
func jlexerRows(in *jlexer.Lexer, rows []uint64) []uint64 {
	if in.IsNull() {
		in.Skip()
		return rows
	}
	in.Delim('[')
	for !in.IsDelim(']') {
		var n uint64
		in.Delim('{')
		for !in.IsDelim('}') {
			name := in.UnsafeFieldName(false)
			in.WantColon()
			if in.IsNull() {
				in.Skip()
				n += readColumn(name, "", true)
			} else {
				n += readColumn(name, in.UnsafeString(), false)
			}
			in.WantComma()
		}
		in.Delim('}')
		rows = append(rows, n)
		in.WantComma()
	}
	in.Delim(']')
	return rows
}
