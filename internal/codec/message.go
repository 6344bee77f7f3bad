package codec

// message is what is handed to a JSON library: one struct, whose tags are
// Canal's keys in Canal's order. O is a JSON object that keeps the order of its
// members, which a map would not do.
type message[O any] struct {
	Data      []O      `json:"data"`
	Database  string   `json:"database"`
	ES        int64    `json:"es"`
	GTID      string   `json:"gtid"`
	ID        int64    `json:"id"`
	IsDDL     bool     `json:"isDdl"`
	MySQLType O        `json:"mysqlType"`
	Old       []O      `json:"old"`
	PKNames   []string `json:"pkNames"`
	SQL       string   `json:"sql"`
	SQLType   O        `json:"sqlType"`
	Table     string   `json:"table"`
	TS        int64    `json:"ts"`
	Type      string   `json:"type"`
}
