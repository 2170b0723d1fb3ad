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
	tree := &schemaTree{elements: file.Metadata().Schema}
	root := tree.nextNode(0, 0)
	for _, c := range root.children {
		t.Columns = append(t.Columns, c.Name)
	}
	if file.NumRows() == 0 {
		return t, nil
	}
	reader := parquet.NewReader(file)
	chunk := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(chunk)
		for _, row := range chunk[:n] {
			r := &rowReader{leaves: make([][]parquet.Value, tree.leaves)}
			for _, v := range row {
				r.leaves[v.Column()] = append(r.leaves[v.Column()], v)
			}
			fields := map[string]any{}
			for _, c := range root.children {
				fields[c.Name] = r.readField(c)
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

// schemaNode is a column, or a group of them.
type schemaNode struct {
	format.SchemaElement
	children []*schemaNode
	leaf     int // index of the column, or of its first one
	def, rep int // levels at which it is there, and is repeated
}

// schemaTree makes nodes of the elements of a schema, which lie depth first.
type schemaTree struct {
	elements   []format.SchemaElement
	at, leaves int
}

func (t *schemaTree) nextNode(def, rep int) *schemaNode {
	n := &schemaNode{SchemaElement: t.elements[t.at], leaf: t.leaves, def: def, rep: rep}
	if t.at++; t.at > 1 {
		switch n.RepetitionType.V {
		case format.Optional:
			n.def++
		case format.Repeated:
			n.def++
			n.rep++
		}
	}
	if n.NumChildren.V == 0 {
		t.leaves++
	}
	for range n.NumChildren.V {
		n.children = append(n.children, t.nextNode(n.def, n.rep))
	}
	return n
}

func (n *schemaNode) isRepeated() bool { return n.RepetitionType.V == format.Repeated }

// isA reports whether a node has a logical type, or the converted type of older files.
func isA[T any](n *schemaNode, converted ...deprecated.ConvertedType) (*T, bool) {
	if t, ok := any(n.LogicalType.Value).(*T); ok && t != nil {
		return t, true
	}
	return new(T), n.LogicalType.Value == nil && n.ConvertedType.Valid && slices.Contains(converted, n.ConvertedType.V)
}

// rowReader assembles one row from the values that its columns still have.
type rowReader struct{ leaves [][]parquet.Value }

// readField returns the value of a node, a list if it is repeated.
func (r *rowReader) readField(n *schemaNode) any {
	first := r.leaves[n.leaf]
	if len(first) == 0 || first[0].DefinitionLevel() < n.def {
		r.skip(n)
		if n.isRepeated() {
			return []any{}
		}
		return nil
	}
	if !n.isRepeated() {
		return r.readPresent(n)
	}
	list := []any{}
	for {
		list = append(list, r.readPresent(n))
		if rest := r.leaves[n.leaf]; len(rest) == 0 || rest[0].RepetitionLevel() != n.rep {
			return list
		}
	}
}

// skip takes one value of each column of a node.
func (r *rowReader) skip(n *schemaNode) {
	if len(n.children) == 0 && len(r.leaves[n.leaf]) > 0 {
		r.leaves[n.leaf] = r.leaves[n.leaf][1:]
	}
	for _, c := range n.children {
		r.skip(c)
	}
}

// readPresent returns a value that is there.
func (r *rowReader) readPresent(n *schemaNode) any {
	if len(n.children) == 0 {
		v := r.leaves[n.leaf][0]
		r.leaves[n.leaf] = r.leaves[n.leaf][1:]
		return n.meaningOf(v)
	}
	object := map[string]any{}
	for _, c := range n.children {
		object[c.Name] = r.readField(c)
	}
	if _, isList := isA[format.ListType](n, deprecated.List); isList || len(n.children) == 1 &&
		n.children[0].Name == "list" {
		if items, ok := object[n.children[0].Name].([]any); ok && len(n.children) == 1 {
			return unwrapItems(items, n.children[0])
		}
	}
	if _, isMap := isA[format.MapType](n, deprecated.Map, deprecated.MapKeyValue); isMap && len(n.children) == 1 &&
		len(n.children[0].children) == 2 {
		pairs, _ := object[n.children[0].Name].([]any)
		entries := map[string]any{}
		for _, pair := range pairs {
			entry, _ := pair.(map[string]any)
			entries[textOfKey(entry[n.children[0].children[0].Name])] = entry[n.children[0].children[1].Name]
		}
		return entries
	}
	return object
}

func textOfKey(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// unwrapItems returns the elements of a list that its writer put into a group of one each.
func unwrapItems(items []any, group *schemaNode) []any {
	if len(group.children) != 1 || group.Name == "array" || strings.HasSuffix(group.Name, "_tuple") {
		return items
	}
	for i, item := range items {
		if one, ok := item.(map[string]any); ok {
			items[i] = one[group.children[0].Name]
		}
	}
	return items
}

// meaningOf returns a value as its logical type means it.
func (n *schemaNode) meaningOf(v parquet.Value) any {
	if _, ok := isA[format.DateType](n, deprecated.Date); ok {
		return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)
	}
	if t, ok := isA[format.TimestampType](n, deprecated.TimestampMillis, deprecated.TimestampMicros); ok {
		unit := n.unitOf(t.Unit, deprecated.TimestampMillis)
		perSecond := int64(time.Second / unit)
		seconds, rest := v.Int64()/perSecond, v.Int64()%perSecond
		layout := "2006-01-02 15:04:05.999999999"
		if t.IsAdjustedToUTC {
			layout += "Z"
		}
		return time.Unix(seconds, rest*int64(unit)).UTC().Format(layout)
	}
	if t, ok := isA[format.TimeType](n, deprecated.TimeMillis, deprecated.TimeMicros); ok {
		return time.Unix(0, wholeOf(v)*int64(n.unitOf(t.Unit,
			deprecated.TimeMillis))).UTC().Format("15:04:05.999999999")
	}
	if t, ok := isA[format.DecimalType](n, deprecated.Decimal); ok {
		scale := t.Scale
		if n.Scale.Valid {
			scale = n.Scale.V
		}
		return decimalOf(v, int(scale))
	}
	if t, ok := isA[format.IntType](n, deprecated.Uint8, deprecated.Uint16, deprecated.Uint32,
		deprecated.Uint64); ok && !t.IsSigned {
		if v.Kind() == parquet.Int32 {
			return int64(v.Uint32())
		}
		if u := v.Uint64(); u > math.MaxInt64 {
			return strconv.FormatUint(u, 10)
		}
		return v.Int64()
	}
	if _, ok := isA[format.UUIDType](n); ok && len(v.ByteArray()) == 16 {
		b := v.ByteArray()
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	if _, ok := isA[format.Float16Type](n); ok && len(v.ByteArray()) == 2 {
		return numberOr(halfOf(binary.LittleEndian.Uint16(v.ByteArray())))
	}
	if _, ok := isA[format.JsonType](n, deprecated.Json); ok {
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
	}
	return string(v.ByteArray())
}

// unitOf returns the unit of a time; older files say it by their converted type.
func (n *schemaNode) unitOf(unit format.TimeUnit, millis deprecated.ConvertedType) time.Duration {
	switch {
	case unit.Value != nil:
		return unit.Value.Duration()
	case n.ConvertedType.V == millis:
		return time.Millisecond
	}
	return time.Microsecond
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

// IsImage reports whether a value is an image: what the hub's files hold for one
// (bytes with a path), bytes that are not text, or a data URL.
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

// Plain returns fields as JSON can hold them: bytes that are not text in base64.
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
