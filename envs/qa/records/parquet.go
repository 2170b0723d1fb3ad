package records

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"roundtable/envs/qa/records/pagecheck"
)

const (
	maxRows = 5_000_000 // of one Parquet file
	// What a row takes, and what a value in it takes beside its content, about.
	rowBytes, valueBytes = 200, 50
)

// readParquet reads all rows of a Parquet file. Values are what their logical types mean:
// a date is "1989-11-09", a decimal its digits, a map an object, NaN nothing.
func readParquet(data []byte) (t Table, err error) {
	defer func() { // the decoder panics on some files that are damaged
		if r := recover(); r != nil {
			t, err = Table{}, fmt.Errorf("this is not a Parquet file that can be read: %v", r)
		}
	}()
	file, err := pagecheck.Open(data, rowBytes, valueBytes)
	if err != nil {
		return Table{}, fmt.Errorf("this is not a Parquet file that can be read: %w", err)
	}
	if n := file.NumRows(); n > maxRows {
		return Table{}, fmt.Errorf("it has %d rows; at most %d are read", n, maxRows)
	}
	t.InRows = true
	for _, c := range file.Root().Columns() {
		if slices.Contains(t.Columns, c.Name()) {
			return Table{}, fmt.Errorf("it has the column %q twice", c.Name())
		}
		t.Columns = append(t.Columns, c.Name())
	}
	if file.NumRows() == 0 {
		return t, nil
	}
	leaves := slices.DeleteFunc(slices.Clone(file.Metadata().Schema),
		func(e format.SchemaElement) bool { return e.NumChildren.V > 0 })
	reader := parquet.NewReader(file)
	chunk := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(chunk)
		for _, row := range chunk[:n] {
			r := &rowReader{leaves, make([][]parquet.Value, len(leaves))}
			for _, v := range row {
				r.values[v.Column()] = append(r.values[v.Column()], v)
			}
			fields := map[string]any{}
			for _, c := range file.Root().Columns() {
				fields[c.Name()] = r.readField(c)
			}
			t.Records = append(t.Records, Record{len(t.Records) + 1, fields})
		}
		switch {
		case errors.Is(err, io.EOF):
			return t, reader.Close()
		case err != nil:
			return Table{}, fmt.Errorf("row %d cannot be read: %w", len(t.Records)+1, err)
		case n == 0 || len(t.Records) > maxRows:
			return Table{}, fmt.Errorf("row %d cannot be read: the file does not end", len(t.Records)+1)
		}
	}
}

// firstLeaf returns the index of a column, or of the first one in a group.
func firstLeaf(c *parquet.Column) int {
	for !c.Leaf() {
		c = c.Columns()[0]
	}
	return c.Index()
}

// rowReader assembles one row from the values that are not yet read.
type rowReader struct {
	leaves []format.SchemaElement
	values [][]parquet.Value // by leaf
}

// readField returns the value of a column or group, a list if it is repeated.
func (r *rowReader) readField(c *parquet.Column) any {
	first := r.values[firstLeaf(c)]
	if len(first) == 0 || first[0].DefinitionLevel() < c.MaxDefinitionLevel() {
		r.skip(c)
		if c.Repeated() {
			return []any{}
		}
		return nil
	}
	if !c.Repeated() {
		return r.readPresent(c)
	}
	list := []any{}
	for {
		list = append(list, r.readPresent(c))
		if rest := r.values[firstLeaf(c)]; len(rest) == 0 || rest[0].RepetitionLevel() != c.MaxRepetitionLevel() {
			return list
		}
	}
}

// skip takes one value of each column of a group.
func (r *rowReader) skip(c *parquet.Column) {
	if c.Leaf() && len(r.values[c.Index()]) > 0 {
		r.values[c.Index()] = r.values[c.Index()][1:]
	}
	for _, inner := range c.Columns() {
		r.skip(inner)
	}
}

// readPresent returns a value that is there.
func (r *rowReader) readPresent(c *parquet.Column) any {
	if c.Leaf() {
		v := r.values[c.Index()][0]
		r.values[c.Index()] = r.values[c.Index()][1:]
		return r.meaningOf(c, v)
	}
	object := map[string]any{}
	for _, inner := range c.Columns() {
		object[inner.Name()] = r.readField(inner)
	}
	if len(c.Columns()) != 1 {
		return object
	}
	group := c.Columns()[0]
	items, isRepeated := object[group.Name()].([]any)
	_, isList := logicalType(c).(*format.ListType)
	_, isMap := logicalType(c).(*format.MapType)
	switch { // some older writers say it by the name alone
	case (isList || group.Name() == "list") && isRepeated:
		return unwrapItems(items, group)
	case (isMap || group.Name() == "key_value" || group.Name() == "map") && len(group.Columns()) == 2:
		entries := map[string]any{}
		for _, pair := range items {
			entry, _ := pair.(map[string]any)
			entries[textOfKey(entry[group.Columns()[0].Name()])] = entry[group.Columns()[1].Name()]
		}
		return entries
	}
	return object
}

// logicalType returns what values mean, also of files that say it in the older way; nil if
// nothing is said.
func logicalType(c *parquet.Column) any {
	if t := c.Type().LogicalType(); t != nil {
		return t.Value
	}
	return nil
}

func textOfKey(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// unwrapItems returns the elements of a list that its writer put into a group of one each.
func unwrapItems(items []any, group *parquet.Column) []any {
	if len(group.Columns()) != 1 || group.Name() == "array" || strings.HasSuffix(group.Name(), "_tuple") {
		return items
	}
	for i, item := range items {
		if one, ok := item.(map[string]any); ok {
			items[i] = one[group.Columns()[0].Name()]
		}
	}
	return items
}

// meaningOf returns a value as its logical type means it.
func (r *rowReader) meaningOf(c *parquet.Column, v parquet.Value) any {
	switch t := logicalType(c).(type) {
	case *format.DateType:
		return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)
	case *format.TimestampType:
		unit := t.Unit.Value.Duration()
		perSecond := int64(time.Second / unit)
		layout := "2006-01-02 15:04:05.999999999"
		if t.IsAdjustedToUTC {
			layout += "Z"
		}
		return time.Unix(v.Int64()/perSecond, v.Int64()%perSecond*int64(unit)).UTC().Format(layout)
	case *format.TimeType:
		return time.Unix(0, wholeOf(v)*int64(t.Unit.Value.Duration())).UTC().Format("15:04:05.999999999")
	case *format.DecimalType:
		return decimalOf(v, int(t.Scale))
	case *format.IntType:
		if !t.IsSigned && v.Kind() == parquet.Int32 {
			return int64(v.Uint32())
		}
		if !t.IsSigned && v.Uint64() > math.MaxInt64 {
			return strconv.FormatUint(v.Uint64(), 10)
		}
	case *format.UUIDType:
		if b := v.ByteArray(); len(b) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		}
	case *format.JsonType:
		if parsed, err := ParseJSON(string(v.ByteArray())); err == nil {
			return parsed
		}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32, parquet.Int64:
		return wholeOf(v)
	case parquet.Int96:
		return legacyTimestamp(v.Int96())
	case parquet.Float: // 0.1 and not 0.10000000149011612
		short, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v.Float()), 'g', -1, 32), 64)
		return numberOr(short)
	case parquet.Double:
		return numberOr(v.Double())
	case parquet.FixedLenByteArray:
		if _, isHalf := r.leaves[c.Index()].LogicalType.Value.(*format.Float16Type); isHalf && len(v.ByteArray()) == 2 {
			return numberOr(halfOf(binary.LittleEndian.Uint16(v.ByteArray())))
		}
	}
	return string(v.ByteArray())
}

func wholeOf(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// numberOr returns a number, or nil: NaN is how tables write that there is none.
func numberOr(f float64) any {
	if math.IsNaN(f) {
		return nil
	}
	return f
}

// decimalOf returns a decimal number: as a float if that has the same digits, else as a text.
func decimalOf(v parquet.Value, scale int) any {
	unscaled := new(big.Int)
	switch v.Kind() {
	case parquet.Int32, parquet.Int64:
		unscaled.SetInt64(wholeOf(v))
	default: // two's complement, the highest byte first
		b := v.ByteArray()
		if unscaled.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	digits := unscaled.String()
	if scale > 0 {
		sign := ""
		if strings.HasPrefix(digits, "-") {
			sign, digits = "-", digits[1:]
		}
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
		digits = strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
	}
	if whole, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return whole
	}
	if f, err := strconv.ParseFloat(digits, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == digits {
		return f
	}
	return digits
}

// halfOf returns an IEEE number of 16 bits.
func halfOf(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// legacyTimestamp returns the time that older writers keep in 12 bytes: nanoseconds of the
// day, and the Julian day.
func legacyTimestamp(v deprecated.Int96) string {
	const unixEpoch = 2440588
	nanos := int64(uint64(v[1])<<32 | uint64(v[0]))
	return time.Unix((int64(v[2])-unixEpoch)*86400, nanos).UTC().Format("2006-01-02 15:04:05.999999999")
}

// IsImage reports whether a value is an image: bytes with a path, as in the hub's files, bytes
// that are not text, or a data URL.
func IsImage(v any) bool {
	switch v := v.(type) {
	case string:
		return !utf8.ValidString(v) || strings.HasPrefix(v, "data:image/")
	case map[string]any:
		_, raw := v["bytes"]
		_, named := v["path"]
		return raw && named && len(v) == 2
	case []any:
		return slices.ContainsFunc(v, IsImage)
	}
	return false
}

// Plain returns v with bytes that are not text in base64, so that JSON can hold it.
func Plain(v any) any {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return base64.StdEncoding.EncodeToString([]byte(v))
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = Plain(v[i])
		}
		return list
	case map[string]any:
		object := map[string]any{}
		//workflowcheck:ignore a map is made of a map
		for name, field := range v {
			object[name] = Plain(field)
		}
		return object
	}
	return v
}
