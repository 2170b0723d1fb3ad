package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs"
	"roundtable/envs/wording"
)

// table is the form of an allocation: its rows, its columns and their totals.
type table struct {
	agents, goods []string
	quantity      []float64
	tolerance     float64 // of totals, as a share of the quantity
	scales        bool    // totals that are off further are scaled, not refused
}

// allocation is amounts by agent and good.
type allocation [][]float64

const maxText = 1 << 20 // bytes

// formatAllocation writes the canonical text: fixed order, no spaces, shortest numbers.
func (t table) formatAllocation(a allocation) envs.Proposal {
	var b strings.Builder
	for i, agent := range t.agents {
		b.WriteString(openingOf(i) + `"` + agent + `":`)
		for k, good := range t.goods {
			b.WriteString(openingOf(k) + `"` + good + `":` + formatNumber(a[i][k]))
		}
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return envs.Proposal(b.String())
}

// formatNumber returns the shortest JSON number that reads back as v.
func formatNumber(v float64) string {
	if v != 0 && (v < 1e-6 || v >= 1e15) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// readCanonical takes the amounts out of a canonical text, quickly; false for any other text.
func (t table) readCanonical(p envs.Proposal) (allocation, bool) {
	text, canonical := string(p), true
	skip := func(literals ...string) {
		for _, l := range literals {
			rest, found := strings.CutPrefix(text, l)
			text, canonical = rest, canonical && found
		}
	}
	a := make(allocation, len(t.agents))
	for i, agent := range t.agents {
		skip(openingOf(i), `"`, agent, `":`)
		a[i] = make([]float64, len(t.goods))
		for k, good := range t.goods {
			skip(openingOf(k), `"`, good, `":`)
			end := strings.IndexAny(text, ",}")
			if !canonical || end < 0 {
				return nil, false
			}
			v, err := strconv.ParseFloat(text[:end], 64)
			if err != nil {
				return nil, false
			}
			a[i][k], text = v, text[end:]
		}
		skip("}")
	}
	return a, canonical && text == "}"
}

// openingOf returns what comes before member i of an object.
func openingOf(i int) string {
	if i == 0 {
		return "{"
	}
	return ","
}

// parseAllocation reads an allocation token by token, because decoding into a map would
// hide names that come twice.
func (t table) parseAllocation(text []byte) (allocation, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the proposal has %d bytes; at most %d are read", len(text), maxText)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	a := make(allocation, len(t.agents))
	err := parseObject(d, "the proposal", "agent", t.agents, func(i int) error {
		a[i] = make([]float64, len(t.goods))
		return parseObject(d, "the share of "+t.agents[i], "good", t.goods, func(k int) (err error) {
			a[i][k], err = parseAmount(d, t.agents[i], t.goods[k])
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the proposal; it is one JSON object and nothing else")
	}
	return a, t.settleTotals(a)
}

// parseObject reads a JSON object whose members are names, each exactly once, in any order.
func parseObject(d *json.Decoder, what, kind string, names []string, member func(i int) error) error {
	token, err := d.Token()
	if err != nil {
		return syntaxError(err)
	}
	if token != json.Delim('{') {
		return fmt.Errorf("%s is %s; it is an object with the %ss %s", what, describeToken(token), kind,
			listNames(names))
	}
	seen := make([]bool, len(names))
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return syntaxError(err)
		}
		name, _ := token.(string)
		i := slices.Index(names, name)
		if i < 0 {
			return fmt.Errorf("%s names an unknown %s %s; the %ss are %s", what, kind, quoteForeign(name), kind,
				listNames(names))
		}
		if seen[i] {
			return fmt.Errorf("%s names %s twice", what, name)
		}
		seen[i] = true
		if err := member(i); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return syntaxError(err)
	}
	if i := slices.Index(seen, false); i >= 0 {
		return fmt.Errorf("%s leaves out %s; it names every %s: %s", what, names[i], kind, listNames(names))
	}
	return nil
}

func parseAmount(d *json.Decoder, agent, good string) (float64, error) {
	token, err := d.Token()
	if err != nil {
		return 0, syntaxError(err)
	}
	n, ok := token.(json.Number)
	if !ok {
		return 0, fmt.Errorf("the amount of %s for %s is %s; it is a plain number", good, agent, describeToken(token))
	}
	v, err := n.Float64()
	switch {
	case err != nil || math.IsInf(v, 0):
		return 0, fmt.Errorf("the amount of %s for %s, %s, is too large", good, agent, quoteForeign(n.String()))
	case v < 0:
		return 0, fmt.Errorf("the amount of %s for %s is %s; amounts are not negative", good, agent,
			quoteForeign(n.String()))
	case v == 0:
		return 0, nil // also for -0
	}
	return v, nil
}

// settleTotals holds the amounts of each good to its total: what is off by more than the
// tolerance is scaled if the economy does that, and else refused, every such good by name.
func (t table) settleTotals(a allocation) error {
	var wrong []string
	for k, good := range t.goods {
		sum := 0.0
		for i := range a {
			sum += a[i][k]
		}
		if math.Abs(sum-t.quantity[k]) <= t.tolerance*t.quantity[k] {
			continue
		}
		if t.scales && sum > 0 && !math.IsInf(sum, 0) {
			for i := range a {
				a[i][k] = roundTo12(a[i][k] * (t.quantity[k] / sum))
			}
			continue
		}
		wrong = append(wrong, fmt.Sprintf("the amounts of %s add up to %s, not to %s", good,
			formatNumber(roundTo12(sum)), formatNumber(t.quantity[k])))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

func syntaxError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the proposal is empty or ends too early; it is one JSON object")
	}
	return fmt.Errorf("the proposal is not valid JSON: %s", wording.Clip(strings.ToValidUTF8(err.Error(), "?")))
}

func describeToken(token json.Token) string {
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			return "a list"
		}
		return "an object"
	case json.Number:
		return "the number " + quoteForeign(v.String())
	case string:
		return "the text " + quoteForeign(v)
	case bool:
		return fmt.Sprint(v)
	}
	return "null"
}

// quoteForeign returns model text that can be shown: short, printable.
func quoteForeign(s string) string { return strconv.Quote(wording.Clip(s)) }

func listNames(names []string) string {
	if len(names) > 30 {
		return strings.Join(names[:30], ", ") + fmt.Sprintf(" … (%d in all)", len(names))
	}
	return strings.Join(names, ", ")
}
