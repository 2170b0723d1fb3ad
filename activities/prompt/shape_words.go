package prompt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	// leadIn says what the lines after it are.
	leadIn = regexp.MustCompile(`(?i)^\s*(?:(?:here(?: is|['’]s)|this is) )?(?:(?:my|the|our) )?` +
		`(?:(?:new|final|counter) ?-?)?` +
		`(?:proposal|offer|allocation|distribution|division|assignments?|contributions?|menu|position|rating|` +
		`i propose(?: the following)?)(?:[ \t]+is\b[ \t]*:?|[ \t]*:|[ \t]*(?:\n|$))[ \t]*\n?`)
	reasonLine = regexp.MustCompile(
		`(?im)^(?:reasons?|reasoning|reason[ _]for[ _]decision|explanation|rationale)[ \t]*:[ \t]*(.*)$`)
	bullet       = regexp.MustCompile(`^(?:[-*•+]|\d{1,2}[.)])[ \t]+(\pL)`) // "- 57" may be less than none
	emphasis     = regexp.MustCompile("(?m)^#{1,6}[ \t]+|^```\\w*$|[*]{2}|`")
	nameAndValue = regexp.MustCompile(`^([^:=→|]+?)[ \t]*(?::|=+>?|[-–—]>|→)(?:[ \t]+(.*))?$`)
	ruler        = regexp.MustCompile(`^[|:\s-]*-[|:\s-]*$`)
	partEnd      = regexp.MustCompile(`[,;]\s+and\s+|[,;]\s+|\s+and\s+|\s+&\s+`)
)

// inWords returns the object of an answer that is a table, lines of names and values, or one value,
// and which of these; nil if it is more than that: prose around them could say anything of them.
func (f *shaper) inWords(text string) (object jsontext.Value, is string) {
	if f.schema.Type == "string" && f.schema.Enum == nil { // any prose would be one
		return nil, ""
	}
	members := map[string]jsontext.Value{}
	text = emphasis.ReplaceAllString(text, "")
	switch reasons := reasonLine.FindAllStringSubmatch(text, -1); {
	case len(reasons) > 1:
		return nil, ""
	case len(reasons) == 1:
		members["reason_for_decision"] = encode(strings.TrimSpace(reasons[0][1]))
		text = strings.TrimLeft(reasonLine.ReplaceAllString(text, ""), "\r\n")
	}
	var lines []string
	for line := range strings.Lines(leadIn.ReplaceAllString(text, "")) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	values := []jsontext.Value{readLines(lines)}
	is = "lines"
	if len(lines) > 2 && ruler.MatchString(lines[1]) {
		rows := cellsOf(lines)
		values, is = []jsontext.Value{f.readTable(rows), f.readTable(transpose(rows))}, "table"
	}
	for _, v := range values {
		plain, ok := f.conform(v, f.schema, "")
		f.changes = nil
		if ok && !isNone(plain) && f.accepts(plain) == nil {
			members[f.member] = plain
			return encode(members), is
		}
	}
	return nil, ""
}

// readLines reads what lines say of names, those below a name being all that is said of it; or
// names alone, or one value. It is nil if they are something else.
func readLines(lines []string) jsontext.Value {
	depth := func(line string) int {
		said := strings.TrimLeft(line, " \t")
		d := 2 * (len(line) - len(said))
		if bullet.MatchString(said) {
			d++
		}
		return d
	}
	given, alone := map[string]jsontext.Value{}, []string{}
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && depth(lines[end]) > depth(lines[i]) {
			end++
		}
		name, value := bullet.ReplaceAllString(strings.TrimSpace(lines[i]), "$1"), ""
		m := nameAndValue.FindStringSubmatch(name)
		if m != nil {
			name, value = m[1], m[2]
		}
		below := lines[i+1 : end]
		i = end
		_, twice := given[name]
		switch {
		case twice || m != nil && (value == "") != (len(below) > 0):
			return nil
		case len(below) > 0:
			given[name] = readLines(below)
		case m != nil:
			given[name] = encode(value)
		default:
			alone = append(alone, name)
		}
	}
	switch {
	case len(alone) == 0:
		return encode(given)
	case len(given) > 0:
		return nil
	case len(lines) == 1 && alone[0] == strings.TrimSpace(lines[0]):
		return encode(alone[0])
	}
	return encode(alone)
}

// cellsOf returns the cells of a table in markdown; nil if its rows differ in their length.
func cellsOf(lines []string) (rows [][]string) {
	for i, line := range lines {
		if i == 1 {
			continue // the ruler
		}
		line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
		cells := strings.Split(line, "|")
		for c := range cells {
			cells[c] = strings.TrimSpace(cells[c])
		}
		if rows = append(rows, cells); len(cells) != len(rows[0]) {
			return nil
		}
	}
	return rows
}

func transpose(rows [][]string) (transposed [][]string) {
	for c := 0; len(rows) > 0 && c < len(rows[0]); c++ {
		var column []string
		for _, row := range rows {
			column = append(column, row[c])
		}
		transposed = append(transposed, column)
	}
	return transposed
}

// readTable reads what a table says of the names in its first column; nil if its head does not say that
// these are names.
func (f *shaper) readTable(rows [][]string) jsontext.Value {
	if len(rows) < 2 {
		return nil
	}
	head := rows[0]
	if corner := fold(head[0]); corner != "" && !slices.Contains(f.owners, strings.TrimSuffix(corner, "s")) {
		return nil
	}
	given := map[string]jsontext.Value{}
	for _, row := range rows[1:] {
		said := map[string]string{}
		for c := 1; c < len(row); c++ {
			said[head[c]] = row[c]
		}
		if _, twice := given[row[0]]; twice || len(said) < len(row)-1 || len(said) == 0 {
			return nil
		}
		given[row[0]] = encode(said)
		if len(row) == 2 && slices.Contains(f.values, fold(head[1])) {
			given[row[0]] = encode(row[1])
		}
	}
	return encode(given)
}

// readAmounts reads "40 apples and 50 bread"; nil if it says anything else.
func readAmounts(text string, names []string) map[string]jsontext.Value {
	given := map[string]jsontext.Value{}
	text = strings.TrimSuffix(strings.TrimSpace(plainDigits.Replace(text)), ".")
	for _, part := range partEnd.Split(text, -1) {
		name, value := "", ""
		if m := nameAndValue.FindStringSubmatch(part); m != nil {
			name, value = m[1], m[2]
		} else if m := amount.FindStringSubmatch(part); m != nil && m[2] == "" {
			value, name = m[1], strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(m[3]), "units of "), "of ")
		}
		i := slices.IndexFunc(names, func(n string) bool {
			return strings.TrimSuffix(loosenName(n), "s") == strings.TrimSuffix(loosenName(name), "s")
		})
		if i < 0 || value == "" || given[names[i]] != nil {
			return nil
		}
		given[names[i]] = encode(value)
	}
	return given
}
