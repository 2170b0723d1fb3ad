package consensus

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"roundtable/envs"
)

// Parse takes a position: a number, a list of as many numbers as there are
// dimensions, or a text, of which the last numbers count. Signs count, which
// the parser of the paper's code drops.
func (g *gathering) Parse(proposal []byte) (envs.Proposal, error) {
	x, err := g.parsePosition(proposal)
	if err != nil {
		return "", err
	}
	for _, v := range x {
		if b := g.params.Bounds; b != nil && (v < b[0] || v > b[1]) {
			return "", fmt.Errorf("%s is out of bounds; positions go from %s to %s", formatNumber(v),
				formatNumber(b[0]), formatNumber(b[1]))
		}
		if math.Abs(v) > largest {
			return "", fmt.Errorf("%s is too far away; positions are within ±%s", formatNumber(v),
				formatNumber(largest))
		}
	}
	return formatPosition(x), nil
}

func (g *gathering) parsePosition(proposal []byte) ([]float64, error) {
	want := fmt.Errorf("a position is a list of %d numbers", g.params.Dimension)
	if g.params.Dimension == 1 {
		want = errors.New("a position is one number")
	}
	var one *float64
	var list []*float64
	var text string
	switch {
	case json.Unmarshal(proposal, &one) == nil:
		list = []*float64{one}
	case json.Unmarshal(proposal, &list) == nil:
	case json.Unmarshal(proposal, &text) == nil:
		return g.lastNumbers(text, want)
	default: // what of a list could be read is no position
		return nil, want
	}
	if len(list) != g.params.Dimension {
		return nil, want
	}
	x := make([]float64, len(list))
	for k, v := range list {
		if v == nil {
			return nil, want
		}
		x[k] = *v
	}
	return x, nil
}

// written is a number in a text; a minus sign after a digit is a dash.
var written = regexp.MustCompile(`(?:^|[^\d])([-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)`)

// open ends a text whose position on a line cannot be told: a range, a choice, a share, a number with
// what it may be off by, or a comma that may be of thousands or of decimals.
var open = regexp.MustCompile(`(?i)(?:between\s+\S+\s+and|\d%?\s+(?:or|to|(?:out\s+)?of)|\d,|` +
	`\d%?\s*(?:[-–—/±]|\+/-))\s*` + last)

// moves ends one that says where it goes, not within what.
var moves = regexp.MustCompile(`(?i)\b(?:move|moved|moving|go|going|went)\s+from\s+\S+\s+to\s+` + last)

// last is a number that no other follows.
const last = `[-+]?[\d.]+[^\d]*$`

// lastNumbers reads the last numbers of a text.
func (g *gathering) lastNumbers(text string, want error) ([]float64, error) {
	text = strings.ReplaceAll(text, "\u2212", "-")
	if g.params.Dimension == 1 && open.MatchString(text) && !moves.MatchString(text) {
		return nil, want
	}
	found := written.FindAllStringSubmatch(text, -1)
	if len(found) < g.params.Dimension {
		return nil, want
	}
	var x []float64
	for _, f := range found[len(found)-g.params.Dimension:] {
		v, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, want
		}
		x = append(x, v)
	}
	return x, nil
}

// formatPosition returns the canonical form: a list, of one number on a line; 12 digits that count.
func formatPosition(x []float64) envs.Proposal {
	parts := make([]string, len(x))
	for k, v := range x {
		parts[k] = formatNumber(roundTo12(v))
	}
	return envs.Proposal("[" + strings.Join(parts, ",") + "]")
}

// readPosition returns a position in canonical form.
func readPosition(p envs.Proposal) ([]float64, bool) {
	var list []float64
	err := json.Unmarshal([]byte(p), &list)
	return list, err == nil && len(list) > 0
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// roundTo12 keeps 12 digits: the last bits of a sum differ between processors that
// fuse multiply and add and those that do not.
func roundTo12(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if v == 0 {
		return 0 // also for -0
	}
	return v
}
