package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
)

// Question is the question that a collaboration had to answer; the zero value if its task is none.
type Question struct {
	Text, Context string
	Options       []string // in the order of their letters
}

// QuestionOf returns the question of an instance.
func QuestionOf(i record.Instance) Question {
	var q Question
	if i.Question != nil {
		q.Text = *i.Question
	}
	if i.Context != nil {
		q.Context = *i.Context
	}
	if i.OptionsJSON != nil {
		_ = json.Unmarshal([]byte(*i.OptionsJSON), &q.Options) // what is not a list of texts has no options
	}
	return q
}

// Marks of what collaborations came to.
const (
	markRight     = "right"
	markPartly    = "partly right"
	markWrong     = "wrong"
	markUndecided = "undecided"
	markDecided   = "decided" // no answer is known to be right
)

// markOf returns the mark of a collaboration: that of its decision, or how it ended.
func markOf(c record.Collaboration) string {
	switch {
	case c.Status != record.Succeeded:
		return c.Status
	case c.DecisionKey == nil:
		return markUndecided
	case c.KeyJSON == nil || c.Score == nil || c.Measure == record.Error:
		return markDecided
	case *c.Score >= 1:
		return markRight
	case *c.Score <= 0:
		return markWrong
	}
	return markPartly
}

// keysOf returns the right answers of a collaboration, as its decision is written.
func keysOf(c record.Collaboration) []string {
	var raw []json.RawMessage
	if c.KeyJSON == nil || json.Unmarshal([]byte(*c.KeyJSON), &raw) != nil {
		return nil
	}
	var keys []string
	for _, k := range raw {
		keys = append(keys, string(k))
	}
	return keys
}

// answer returns a proposal in one line; the letter of an option with what it says.
func (q Question) answer(proposal string) string {
	text := parseShape(proposal).inOneLine()
	if i := q.optionOf(text); i >= 0 {
		return text + " " + q.Options[i]
	}
	return text
}

// joinAnswers returns several in one line.
func (q Question) joinAnswers(proposals []string) string {
	var all []string
	for _, p := range proposals {
		all = append(all, q.answer(p))
	}
	return strings.Join(all, " or ")
}

// optionOf returns which option a text such as "(B)" means; -1 if none.
func (q Question) optionOf(text string) int {
	if len(text) != 3 || text[0] != '(' || text[2] != ')' {
		return -1
	}
	if i := int(text[1]) - 'A'; i >= 0 && i < len(q.Options) {
		return i
	}
	return -1
}

// inOneLine returns a proposal in one line.
func (p proposal) inOneLine() string {
	var parts []string
	for _, row := range p.Rows {
		if p.Columns == nil {
			parts = append(parts, row[0]+" "+row[1])
			continue
		}
		var cells []string
		for i, cell := range row[1:] {
			cells = append(cells, p.Columns[i+1]+" "+cell)
		}
		parts = append(parts, row[0]+": "+strings.Join(cells, ", "))
	}
	switch {
	case p.Columns != nil:
		return strings.Join(parts, "; ")
	case p.Rows != nil:
		return strings.Join(parts, ", ")
	case p.List != nil:
		return strings.Join(p.List, ", ")
	}
	return strings.Join(strings.Fields(p.Text), " ")
}

// verdict is the first line of a collaboration's page.
type verdict struct {
	Mark string
	Text string // "Wrong. Group: (C) Support, 3 of 5; right: (B) Billing."
}

// Class returns the mark as a class of the style sheet.
func (v verdict) Class() string { return strings.Fields(v.Mark)[0] }

// limitText says how far scores of a measure can go.
func limitText(measure string) string {
	if measure == record.Error {
		return " (0 is best)"
	}
	return " of 1"
}

func verdictOf(c record.Collaboration, q Question, w course) verdict {
	v := verdict{Mark: markOf(c)}
	first := strings.ToUpper(v.Mark[:1]) + v.Mark[1:]
	var parts []string
	switch {
	case c.Status == record.Unfinished:
		first = fmt.Sprintf("Unfinished, round %d of %d", c.RoundsRun, c.RoundsPlanned)
	case v.Mark == markUndecided:
		first += " after " + wording.Count(int64(c.RoundsRun), "round")
		if held := w.tally(); held != "" {
			parts = append(parts, "Last held: "+held)
		}
	case c.Status != record.Succeeded && c.Failure != nil:
		first += ": " + strings.TrimSuffix(*c.Failure, ".")
	}
	if c.DecisionJSON != nil && w.isShort(c.DecisionKey) {
		group := "Group: " + q.answer(*c.DecisionJSON)
		if n := w.countHolders(c.DecisionKey); n > 0 {
			group += fmt.Sprintf(", %d of %d", n, len(w.Agents))
		}
		parts = append(parts, group)
	}
	if c.Score != nil && (v.Mark == markDecided || v.Mark == markPartly) {
		parts = append(parts, "score "+figureText(*c.Score)+limitText(c.Measure))
	}
	if keys := keysOf(c); keys != nil && v.Mark != markRight {
		parts = append(parts, "right: "+q.joinAnswers(keys))
	}
	v.Text = first + "."
	if len(parts) > 0 {
		text := strings.Join(parts, "; ")
		v.Text += " " + strings.ToUpper(text[:1]) + text[1:] + "."
	}
	return v
}
