package report

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
)

// Asked is how a model was called for a turn, and what it answered.
type Asked struct {
	Calls   []record.Call
	Prompt  []Message
	Differs string // the recorded hash, if Prompt is not the prompt that was sent
	Answers []Answer
	Lost    []string // what cannot be shown, and why
}

// Message is one message of a prompt.
type Message struct{ Role, Content string }

// Answer is one answer of a model as it was received.
type Answer struct {
	Ask   int    // from 0
	Fault string // why it cannot be used; "" if it can
	Raw   string
}

// Number returns the answer's number, from 1.
func (a Answer) Number() int { return a.Ask + 1 }

// FromOne returns i + 1, to count from 1 what is counted from 0.
func (Asked) FromOne(i int32) int32 { return i + 1 }

// IsEmpty reports whether nothing of the turn is stored.
func (a Asked) IsEmpty() bool {
	return len(a.Calls) == 0 && a.Prompt == nil && a.Answers == nil && a.Lost == nil
}

// USD returns the cost of a call with six decimals; "–" if it is not known.
func (Asked) USD(cost *float64) string {
	if cost == nil {
		return "–"
	}
	return fmt.Sprintf("%.6f", *cost)
}

// packedAsked is how the turns of a collaboration were asked for, without what its
// prompts repeat: each line of them is there once.
type packedAsked struct {
	Lines   []string              `json:"lines"`
	Entries map[int32]packedEntry `json:"entries"`
}

type packedEntry struct {
	Calls   template.HTML   `json:"calls"`
	Prompt  []packedMessage `json:"prompt"`
	Answers template.HTML   `json:"answers"`
}

// packedMessage has its lines as pairs: from a line, so many.
type packedMessage struct {
	Role string `json:"role"`
	Runs []int  `json:"runs"`
}

func packAsked(all map[int32]Asked) (packedAsked, error) {
	p := packedAsked{Entries: map[int32]packedEntry{}}
	at := map[string]int{}
	for _, entry := range slices.Sorted(maps.Keys(all)) {
		a := all[entry]
		var e packedEntry
		var err error
		if e.Calls, err = partHTML("asked-calls", a); err != nil {
			return p, err
		}
		if e.Answers, err = partHTML("asked-answers", a); err != nil {
			return p, err
		}
		for _, m := range a.Prompt {
			e.Prompt = append(e.Prompt, packedMessage{m.Role, p.runsOf(at, m.Content)})
		}
		p.Entries[entry] = e
	}
	return p, nil
}

// runsOf returns a text as runs of lines, of which those that are new are added.
func (p *packedAsked) runsOf(at map[string]int, text string) []int {
	var runs []int
	for line := range strings.SplitSeq(wording.SafeLines(text), "\n") {
		i, known := at[line]
		if !known {
			i = len(p.Lines)
			at[line] = i
			p.Lines = append(p.Lines, line)
		}
		if n := len(runs); n > 0 && runs[n-2]+runs[n-1] == i {
			runs[n-1]++
		} else {
			runs = append(runs, i, 1)
		}
	}
	return runs
}

func partHTML(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := render(&b, name, data)
	return template.HTML(b.String()), err // made by a template
}
