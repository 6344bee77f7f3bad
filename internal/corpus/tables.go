package corpus

// A table is what Canal knows of one: its names, the number that MySQL gave
// it, and its columns, of which the first is the primary key.
type table struct {
	schema, name string
	id           int64
	firstKey     int64 // the key of its first row; the others follow
	columns      []column
}

// A column has values of one kind, or in `null` rows of a hundred none.
type column struct {
	name, mysqlType string
	sqlType         int32 // java.sql.Types, as Canal gives it
	kind            kind
	null            int
}

// The values of java.sql.Types that our tables use.
const (
	typeBit      = -7 // and set
	typeTinyint  = -6
	typeBigint   = -5
	typeChar     = 1
	typeDecimal  = 3
	typeInt      = 4 // and mediumint, and enum
	typeSmallint = 5
	typeFloat    = 7
	typeDouble   = 8
	typeVarchar  = 12 // and year, and json
	typeDate     = 91
	typeTime     = 92
	typeDatetime = 93 // and timestamp
	typeBlob     = 2004
	typeText     = 2005

	typeNullSet  = -2   // BINARY
	typeNullText = -4   // LONGVARBINARY
	typeNullJSON = 1111 // OTHER
)

// typeOf returns the sqlType that Canal writes beside a cell. It finds some
// types only when it reads a value, and for a NULL is left with what the binlog
// calls the column.
func (c *column) typeOf(v cell) int32 {
	switch {
	case !v.null:
	case c.sqlType == typeText:
		return typeNullText
	case c.kind == options:
		return typeNullSet
	case c.kind == document:
		return typeNullJSON
	}
	return c.sqlType
}

// tables is frozen, order and all, as are the values of its columns.
var tables = []table{
	{"shop", "orders", 108, 20230700000001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"customer_id", "int(11)", typeInt, number, 0},
		{"total_amount", "decimal(12,2)", typeDecimal, money, 0},
		{"title", "varchar(128)", typeVarchar, title, 0},
		{"status", "tinyint(4)", typeTinyint, state, 0},
		{"remark", "text", typeText, note, 0},
		{"coupon_code", "varchar(32)", typeVarchar, code, 75},
		{"channel", "varchar(16)", typeVarchar, word, 0},
		{"created_at", "datetime", typeDatetime, moment, 0},
		{"updated_at", "timestamp", typeDatetime, moment, 0},
	}},
	{"shop", "order_items", 109, 410000001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"order_id", "bigint(20)", typeBigint, reference, 0},
		{"quantity", "int(11)", typeInt, count, 0},
		{"unit_price", "decimal(10,2)", typeDecimal, money, 0},
		{"product_name", "varchar(64)", typeVarchar, title, 0},
		{"is_gift", "tinyint(1)", typeTinyint, flag, 0},
		{"gift_message", "text", typeText, note, 0},
		{"discount", "double", typeDouble, ratio, 75},
		{"sku", "char(16)", typeChar, code, 0},
		{"created_at", "datetime", typeDatetime, moment, 0},
	}},
	{"shop", "products", 112, 70001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"category_id", "int(11)", typeInt, number, 0},
		{"list_price", "decimal(10,2)", typeDecimal, money, 0},
		{"title", "varchar(255)", typeVarchar, title, 0},
		{"on_sale", "tinyint(1)", typeTinyint, flag, 0},
		{"description", "text", typeText, note, 0},
		{"stock_count", "int(11)", typeInt, count, 0},
		{"barcode", "char(16)", typeChar, code, 75},
		{"listed_on", "date", typeDate, day, 0},
		{"updated_at", "datetime", typeDatetime, moment, 0},
	}},
	{"shop", "customers", 115, 3100001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"points", "int(11)", typeInt, count, 0},
		{"balance", "decimal(14,2)", typeDecimal, money, 0},
		{"display_name", "varchar(64)", typeVarchar, person, 0},
		{"status", "tinyint(4)", typeTinyint, state, 0},
		{"about", "text", typeText, note, 0},
		{"registered_by", "varchar(16)", typeVarchar, word, 0},
		{"birthday", "date", typeDate, day, 75},
		{"last_ip", "varchar(39)", typeVarchar, address, 0},
		{"last_seen_at", "datetime", typeDatetime, moment, 0},
	}},
	{"shop", "product_reviews", 121, 88000001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"product_id", "int(11)", typeInt, number, 0},
		{"weight", "decimal(6,2)", typeDecimal, money, 0},
		{"headline", "varchar(128)", typeVarchar, title, 0},
		{"stars", "tinyint(4)", typeTinyint, state, 0},
		{"body", "text", typeText, note, 0},
		{"author", "varchar(64)", typeVarchar, person, 0},
		{"reply_to", "bigint(20)", typeBigint, reference, 75},
		{"device", "varchar(16)", typeVarchar, word, 0},
		{"created_at", "datetime", typeDatetime, moment, 0},
	}},
	{"payment", "transactions", 233, 1682900000000000001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"merchant_id", "int(11)", typeInt, number, 0},
		{"amount", "decimal(16,2)", typeDecimal, money, 0},
		{"subject", "varchar(128)", typeVarchar, title, 0},
		{"state", "tinyint(4)", typeTinyint, state, 0},
		{"detail", "text", typeText, note, 0},
		{"method", "varchar(16)", typeVarchar, word, 0},
		{"trade_no", "varchar(64)", typeVarchar, code, 0},
		{"refund_no", "varchar(64)", typeVarchar, code, 75},
		{"paid_at", "datetime(3)", typeDatetime, instant, 0},
	}},
	{"support", "tickets", 340, 500001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"agent_id", "int(11)", typeInt, number, 0},
		{"refund", "decimal(8,2)", typeDecimal, money, 0},
		{"opened_by", "varchar(128)", typeVarchar, person, 0},
		{"priority", "tinyint(4)", typeTinyint, state, 0},
		{"question", "text", typeText, note, 0},
		{"satisfaction", "double", typeDouble, ratio, 0},
		{"source", "varchar(16)", typeVarchar, word, 0},
		{"closed_at", "datetime", typeDatetime, moment, 75},
		{"created_at", "datetime", typeDatetime, moment, 0},
	}},
	{"warehouse", "stock_movements", 417, 9900000001, []column{
		{"id", "bigint(20)", typeBigint, key, 0},
		{"shelf_id", "int(11)", typeInt, number, 0},
		{"book_value", "decimal(12,2)", typeDecimal, money, 0},
		{"item", "varchar(128)", typeVarchar, title, 0},
		{"direction", "tinyint(4)", typeTinyint, flag, 0},
		{"comment", "text", typeText, note, 0},
		{"pieces", "smallint(6)", typeSmallint, count, 0},
		{"batch_no", "varchar(32)", typeVarchar, code, 75},
		{"expires_on", "date", typeDate, day, 0},
		{"moved_at", "datetime", typeDatetime, moment, 0},
	}},
}
