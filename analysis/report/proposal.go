package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// proposal is a proposal as what it is: an allocation is a table, a menu a list, a
// number or an answer a text.
type proposal struct {
	Columns []string   // of a table; the first is empty
	Rows    [][]string // of a table, or pairs of names and values without Columns
	List    []string
	Text    string // of anything else
	Worth   string // its score and utilities, if they are known
}

// mostParts is how many parts of a proposal are set apart; more are shown as they are written.
const mostParts = 400

// parseShape reads a proposal in JSON; what has no known shape stays as it is written.
func parseShape(text string) proposal {
	asWritten := proposal{Text: text}
	members, ok := orderedMembers(text)
	if !ok {
		return shapeOfList(text)
	}
	if len(members) == 0 || len(members) > mostParts {
		return asWritten
	}
	var p proposal
	for i, m := range members {
		inner, nested := orderedMembers(string(m.value))
		if i > 0 && nested != (p.Columns != nil) {
			return asWritten
		}
		row := []string{m.name}
		if !nested {
			p.Rows = append(p.Rows, append(row, scalarText(m.value)))
			continue
		}
		if i == 0 {
			p.Columns = []string{""}
			for _, cell := range inner {
				p.Columns = append(p.Columns, cell.name)
			}
		}
		if len(inner) != len(p.Columns)-1 {
			return asWritten
		}
		for j, cell := range inner {
			if cell.name != p.Columns[j+1] {
				return asWritten
			}
			row = append(row, scalarText(cell.value))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

func shapeOfList(text string) proposal {
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		return proposal{Text: scalarText([]byte(text))}
	}
	var p proposal
	numbers := len(list) > 0
	for _, one := range list {
		p.List = append(p.List, scalarText(one))
		numbers = numbers && json.Unmarshal(one, new(float64)) == nil
	}
	switch {
	case numbers && len(list) <= 3: // a place
		return proposal{Text: strings.Join(p.List, ", ")}
	case len(list) == 0 || len(list) > mostParts:
		return proposal{Text: text}
	}
	return p
}

// scalarText returns a text without its quotes, and anything else as it is written.
func scalarText(value []byte) string {
	var s string
	if json.Unmarshal(value, &s) == nil && !bytes.Equal(value, []byte("null")) {
		return s
	}
	return string(value)
}

type member struct {
	name  string
	value json.RawMessage
}

// orderedMembers returns the members of a JSON object in their order; false for anything else.
func orderedMembers(text string) (all []member, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: fmt.Sprint(name)}
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		all = append(all, m)
	}
	_, err := d.Token()
	return all, err == nil
}

// addWorth adds what a proposal is worth to the group and, in a table by agent, to each.
func (p proposal) addWorth(w Worth, agentName func(int32) string) proposal {
	p.Worth = "score " + figureText(w.Value)
	if len(w.Utilities) == 0 || areAlike(w.Utilities) {
		return p
	}
	if p.Columns != nil && len(p.Rows) == len(w.Utilities) {
		p.Columns = append(p.Columns, "worth to it")
		for i, u := range w.Utilities {
			p.Rows[i] = append(p.Rows[i], figureText(u))
		}
		return p
	}
	var parts []string
	for i, u := range w.Utilities {
		parts = append(parts, agentName(int32(i))+" "+figureText(u))
	}
	p.Worth += "; worth to " + strings.Join(parts, ", ")
	return p
}

func areAlike(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// Worth is the value of a proposal.
type Worth struct {
	Value     float64
	Utilities []float64 // by agent
}
