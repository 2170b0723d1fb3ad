package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
)

// course is who held what at the end of each round: what an agent proposed, answered or
// voted for last.
type course struct {
	Rounds []int32
	Agents []courseAgent
	Group  []position // what stood, by round
	Named  []naming   // what numbered positions are

	question  Question            // whose options have a colour each
	keys      []string            // right answers
	positions map[string]position // by key
	json      map[string]string   // proposals by their keys
	last      map[int32]string    // keys by agent
	said      map[int32]saying    // what an agent came to hold, by entry
}

// courseAgent is an agent's row of the course.
type courseAgent struct {
	Name, Also string
	Cells      []position // by round

	index int32
}

// position is what an agent, or the group, holds after a round.
type position struct {
	Text  string // short; "" before the first
	Class string // of the style sheet
	From  string // what was held before, if that was something else
	Votes string // how many agents hold what stands

	key string
}

// saying is the key of what an entry proposes or answers, and of what its speaker held before.
type saying struct{ now, before string }

// naming is a position that has a number, and what it is.
type naming struct{ Number, Text string }

// longestPosition is how many letters of a proposal are shown in a cell; more have a number.
const longestPosition = 14

// hues is how many colours the style sheet has for positions that are not known to be right.
const hues = 12

// holdsRight is the class of positions that are right.
const holdsRight = "holds-right"

// courseOf returns the course of a collaboration, without agents if none held anything.
func courseOf(rows record.Rows, called Told, question Question) course {
	c := rows.Collaborations[0]
	w := course{question: question, keys: keysOf(c), positions: map[string]position{}, json: map[string]string{},
		last: map[int32]string{}, said: map[int32]saying{}}
	known := map[int32]bool{} // agents
	turns := rows.Turns
	for _, t := range turns {
		if t.ProposalKey != nil && t.ProposalJSON != nil {
			w.json[*t.ProposalKey] = *t.ProposalJSON
		}
		if isOfAgent(t) && !known[*t.Agent] {
			known[*t.Agent] = true
			name, also := called.AgentName(*t.Agent), called.AgentAlso(*t.Agent)
			w.Agents = append(w.Agents, courseAgent{Name: name, Also: also, index: *t.Agent})
		}
	}
	slices.SortFunc(w.Agents, func(a, b courseAgent) int { return cmp.Compare(a.index, b.index) })
	votes := favouritesOf(rows.Ballots)
	before := ""
	for _, round := range rows.Rounds {
		for ; len(turns) > 0 && turns[0].Round <= round.Round; turns = turns[1:] {
			w.take(turns[0], votes)
		}
		w.addRound(round, before)
		if round.DecisionKey != nil {
			before = *round.DecisionKey
		}
	}
	if len(w.last) == 0 {
		w.Agents = nil
	}
	w.dropEmpty()
	for _, t := range rows.Turns { // also what nobody held at the end of a round
		w.positionOf(w.said[t.Entry].now)
	}
	return w
}

// take notes what an entry says of its speaker's position.
func (w *course) take(t record.Turn, votes map[int32]string) {
	if !isOfAgent(t) {
		return
	}
	if key := votes[t.Entry]; key != "" {
		w.last[*t.Agent] = key
	} else if t.ProposalKey != nil && t.Status == "said" {
		w.said[t.Entry] = saying{*t.ProposalKey, w.last[*t.Agent]}
		w.last[*t.Agent] = *t.ProposalKey
	}
}

// PositionAt returns what an entry proposes or answers, and what its speaker held before if that was something else;
// its Text is "" if it says nothing of the kind, or in a round that has not ended.
func (w course) PositionAt(entry int32) position {
	p := w.positions[w.said[entry].now]
	if before := w.said[entry].before; before != w.said[entry].now {
		p.From = w.positions[before].Text
	}
	return p
}

// isOfAgent reports whether an agent of the group was asked for an entry.
func isOfAgent(t record.Turn) bool { return t.Agent != nil && t.Role == "" && t.Kind == "ask" }

// favouritesOf returns the candidate that each ballot gives most, by entry; several are no
// favourite.
func favouritesOf(ballots []record.Ballot) map[int32]string {
	best, keys := map[int32]float64{}, map[int32]string{}
	for _, b := range ballots {
		if b.CandidateKey == nil || b.Value == nil || b.Agent < 0 {
			continue
		}
		most, known := best[b.Entry]
		switch {
		case !known || *b.Value > most:
			best[b.Entry], keys[b.Entry] = *b.Value, *b.CandidateKey
		case *b.Value == most:
			keys[b.Entry] = ""
		}
	}
	return keys
}

func (w *course) addRound(round record.Round, before string) {
	w.Rounds = append(w.Rounds, round.Round)
	for i := range w.Agents {
		a := &w.Agents[i]
		now := w.positionOf(w.last[a.index])
		if n := len(a.Cells); n > 0 && a.Cells[n-1].key != "" && a.Cells[n-1].key != now.key {
			now.From = a.Cells[n-1].Text
		}
		a.Cells = append(a.Cells, now)
	}
	var group position
	if round.DecisionKey != nil {
		if _, known := w.json[*round.DecisionKey]; !known && round.DecisionJSON != nil { // a mean, say
			w.json[*round.DecisionKey] = *round.DecisionJSON
		}
		group = w.positionOf(*round.DecisionKey)
		if before != "" && before != group.key {
			group.From = w.positionOf(before).Text
		}
		if n := w.countHolders(round.DecisionKey); n > 0 {
			group.Votes = fmt.Sprintf("%d of %d", n, len(w.Agents))
		}
	}
	w.Group = append(w.Group, group)
}

// dropEmpty leaves out rounds at the beginning in which nobody held anything.
func (w *course) dropEmpty() {
	isEmpty := func(p position) bool { return p.key == "" }
	for len(w.Agents) > 0 && len(w.Rounds) > 1 && isEmpty(w.Group[0]) &&
		!slices.ContainsFunc(w.Agents, func(a courseAgent) bool { return !isEmpty(a.Cells[0]) }) {
		w.Rounds, w.Group = w.Rounds[1:], w.Group[1:]
		for i := range w.Agents {
			w.Agents[i].Cells = w.Agents[i].Cells[1:]
		}
	}
}

// positionOf returns the position of a key, which is numbered if it is too long for a cell.
func (w *course) positionOf(key string) position {
	if p, known := w.positions[key]; known || key == "" {
		return p
	}
	number := len(w.positions) + 1
	text, isKnown := w.json[key]
	p := position{key: key, Text: parseShape(text).inOneLine()}
	if at := parseCoordinates(text); len([]rune(p.Text)) > longestPosition && len(at) > 0 && len(at) <= 2 {
		p.Text = joinNumbers(at)
	}
	p.Class = w.classOf(text, p.Text, number-1)
	if !isKnown || len([]rune(p.Text)) > longestPosition {
		p.Text = fmt.Sprintf("#%d", number)
		if isKnown {
			w.Named = append(w.Named, naming{p.Text, text})
		}
	}
	w.positions[key] = p
	return p
}

// classOf returns the class of a proposal in JSON and in one line: its own for each option of the question, or else
// that of a number.
func (w course) classOf(proposal, line string, number int) string {
	if slices.Contains(w.keys, proposal) {
		return holdsRight
	}
	if i := w.question.optionOf(line); i >= 0 {
		number = i
	}
	return fmt.Sprint("hue", number%hues)
}

// HasRight reports whether somebody held a right answer.
func (w course) HasRight() bool {
	return slices.ContainsFunc(w.Agents, func(a courseAgent) bool {
		return slices.ContainsFunc(a.Cells, func(p position) bool { return p.Class == holdsRight })
	})
}

// isShort reports whether what a key means can be said in a sentence.
func (w course) isShort(key *string) bool {
	if key == nil {
		return false
	}
	p := parseShape(w.json[*key])
	return p.Columns == nil && p.Rows == nil && len(p.List) <= 3
}

// countHolders returns how many agents hold what a key means.
func (w course) countHolders(key *string) (n int) {
	for _, held := range w.last {
		if key != nil && held == *key {
			n++
		}
	}
	return n
}

// tally says what agents hold at the end, the most frequent first.
func (w course) tally() string {
	count := map[string]int{}
	var order []string
	for _, a := range w.Agents {
		if len(a.Cells) == 0 {
			continue
		}
		text := cmp.Or(a.Cells[len(a.Cells)-1].Text, "nothing")
		if count[text] == 0 {
			order = append(order, text)
		}
		count[text]++
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	for i, text := range order {
		order[i] = fmt.Sprintf("%s by %d", text, count[text])
	}
	return strings.Join(order, ", ")
}

// Moves says who moved in a round, and to what; "" if nobody did.
func (w course) Moves(round int32) string {
	i := slices.Index(w.Rounds, round)
	if i < 1 || len(w.Agents) == 0 {
		return ""
	}
	type move struct{ from, to string }
	who := map[move][]string{}
	var order []move
	for _, a := range w.Agents {
		c := a.Cells[i]
		if c.From == "" {
			continue
		}
		m := move{c.From, c.Text}
		if who[m] == nil {
			order = append(order, m)
		}
		who[m] = append(who[m], a.Name)
	}
	var parts []string
	for _, m := range order {
		parts = append(parts, fmt.Sprintf("%s: %s → %s", wording.And(who[m]), m.from, m.to))
	}
	if parts == nil {
		return "Nobody moved."
	}
	return strings.Join(parts, "; ") + "."
}

// placesOf returns the course as places on a line; nil if not all positions are numbers.
func (w course) placesOf() []place {
	var all []place
	for _, a := range w.Agents {
		for i, c := range a.Cells {
			var v float64
			if c.key == "" {
				continue
			}
			if json.Unmarshal([]byte(w.json[c.key]), &v) != nil || math.IsInf(v, 0) {
				return nil
			}
			all = append(all, place{a.index, w.Rounds[i], a.Name, []float64{v}})
		}
	}
	if len(w.Rounds) < 2 {
		return nil
	}
	return all
}
