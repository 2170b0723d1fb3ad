package debate

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"roundtable/analysis/campaign"
)

// PoolLine is the answers of one model to a question, each agent alone (paper 4, Figure 8).
type PoolLine struct {
	Question string
	Name     string // the model, and the settings in which conditions differ
	Answers  []PoolAnswer
	N        int // answers, with those that could not be read
}

// PoolAnswer is one answer to a question, with the number of agents that gave it.
type PoolAnswer struct {
	Key   string // "" if it could not be read
	JSON  string // in the environment's canonical form
	Right bool
	N     int
}

// Words returns the answer for readers: a text without its JSON quotation marks, anything else as it is.
func (a PoolAnswer) Words() string {
	var text string
	if json.Unmarshal([]byte(a.JSON), &text) == nil && text != "" {
		return text
	}
	return cmp.Or(a.JSON, a.Key)
}

// AnswersAlone reports whether the campaign has only groups whose agents each answer alone: the viewpoints
// from which a pool is made.
func AnswersAlone(c campaign.Campaign) bool {
	v := debatesOf(c, debateGroup.isAlone)
	return len(v.all) > 0 && len(v.all) == len(c.View("").Groups) &&
		!slices.ContainsFunc(v.all, func(d debateGroup) bool { return d.size < 2 })
}

// isAlone says that everyone answers alone and nothing is debated.
func (d debateGroup) isAlone() bool { return !d.isFixed() && d.rounds == 0 }

// PoolLines returns the answers of agents that answered alone, by question and model; in each line right ones
// first, then the most frequent ones, unparsed ones last.
func PoolLines(c campaign.Campaign) []PoolLine {
	v := debatesOf(c, debateGroup.isAlone)
	names := campaign.TaskNames(v.Groups)
	var lines []PoolLine
	for _, d := range v.all {
		for _, r := range d.Succeeded() {
			if len(repliesOf(r)) == 0 || len(repliesOf(r)[0]) == 0 {
				continue
			}
			question := cmp.Or(r.InstanceID, strconv.Itoa(int(r.Instance)))
			if len(v.tasks) > 1 {
				question = names.Of(d.Group) + ", " + question
			}
			lines = addPooled(lines, question, v.modelOf(d), r)
		}
	}
	for i, l := range lines {
		lines[i] = l.Join(PoolLine{})
	}
	return lines
}

// modelOf returns the model of a condition with the other settings in which conditions differ.
func (v debateView) modelOf(d debateGroup) string {
	parts := []string{d.Shown("model")}
	for i, key := range v.Names() {
		if key != "model" && d.named[i] != "" {
			parts = append(parts, key+" "+d.named[i])
		}
	}
	return strings.TrimPrefix(strings.Join(parts, ", "), ", ")
}

// addPooled adds the first answers of a run to the line of its question and model.
func addPooled(lines []PoolLine, question, model string, r campaign.Run) []PoolLine {
	i := slices.IndexFunc(lines, func(l PoolLine) bool { return l.Question == question && l.Name == model })
	if i < 0 {
		i = len(lines)
		lines = append(lines, PoolLine{Question: question, Name: model})
	}
	for _, reply := range repliesOf(r)[0] {
		lines[i].add(PoolAnswer{reply.Key, reply.JSON, reply.Right, 1})
	}
	return lines
}

func (l *PoolLine) add(answer PoolAnswer) {
	l.N += answer.N
	for i, a := range l.Answers {
		if a.Key == answer.Key {
			l.Answers[i].N += answer.N
			return
		}
	}
	l.Answers = append(l.Answers, answer)
}

// Join returns the answers of both lines in the order of PoolLines.
func (l PoolLine) Join(other PoolLine) PoolLine {
	l.Answers = slices.Clone(l.Answers)
	for _, a := range other.Answers {
		l.add(a)
	}
	slices.SortStableFunc(l.Answers, PoolAnswer.order)
	return l
}

// order returns the order in which the answers to a question are shown.
func (a PoolAnswer) order(b PoolAnswer) int {
	last := func(yes bool) int { return map[bool]int{true: 1}[yes] }
	return cmp.Or(last(a.Key == "")-last(b.Key == ""), last(!a.Right)-last(!b.Right), cmp.Compare(b.N, a.N),
		cmp.Compare(a.Words(), b.Words()), cmp.Compare(a.Key, b.Key))
}
