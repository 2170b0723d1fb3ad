package report

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"

	"roundtable/analysis/record"
	"roundtable/analysis/table"
	"roundtable/analysis/telling"
	"roundtable/workflows/transcript"
)

// Story is what the template of a transcript is given.
type Story struct {
	telling.Story
	ID        string
	Simulated string
	Acts      map[int32][]string // of messages, by entry
	Plots     []*plot
	Lost      string // why unusable answers are missing
	Unknown   string // why it cannot be said what it was about
	Show      string // the command that shows prompts and raw answers; "" if they can be asked for
	Asks      bool   // prompts and raw answers can be opened
	unusable  map[int][]Unusable
	worth     func(proposal string) (Worth, bool)
	names     []string // of the agents
	Unasked   string   // why prompts and answers are missing
	asked     map[int32]bool
	told      map[int32]Asked
}

// Tell makes the story of a collaboration that is called id on the page.
func (s Source) Tell(id string, rows record.Rows) Story {
	c := rows.Collaborations[0]
	told := Story{Story: telling.Tell(rows), ID: id, names: agentNames(rows), asked: map[int32]bool{}}
	if c.Simulated {
		told.Simulated = table.Simulated + "."
	}
	told.Show = fmt.Sprintf("roundtable show %s/%s.%d --prompts --raw", c.CampaignID, c.CollaborationID, c.Generation)
	for _, t := range rows.Turns {
		told.asked[t.Entry] = t.Kind == "ask" && t.Asks > 0
	}
	told.Plots = plotsOf(rows)
	s.addAbout(&told, c.Key)
	if s.Acts != nil {
		var err error
		if told.Acts, err = s.Acts(c.Key); err != nil {
			told.Unknown = err.Error()
		}
	}
	if s.Asked != nil {
		var err error
		if told.told, err = s.Asked(rows); err != nil {
			told.Unasked = err.Error()
		} else {
			told.Show, told.Asks = "", true
		}
	}
	if entries := unusableEntries(rows.Turns); s.Unusable != nil && len(entries) > 0 {
		var err error
		if told.unusable, err = s.Unusable(c.Key, entries); err != nil {
			told.Lost = err.Error()
		}
	}
	return told
}

func (s Source) addAbout(told *Story, of record.Key) {
	if s.About == nil {
		return
	}
	about, err := s.About(of)
	if err != nil {
		told.Unknown = err.Error()
	}
	told.Facts, told.worth = about.Facts, about.Worth
}

func plotsOf(rows record.Rows) []*plot {
	var all []*plot
	for _, p := range []*plot{motion(rows.Turns), scorePlot(rows.Rounds, rows.Collaborations[0].MeasureOf() == record.Share)} {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// agentNames returns what the agents are called, by their index.
func agentNames(rows record.Rows) []string {
	names := make([]string, rows.Collaborations[0].Agents)
	for _, t := range rows.Turns {
		if t.Agent != nil && t.Role == "" && *t.Agent >= 0 && int(*t.Agent) < len(names) {
			names[*t.Agent] = t.AgentName
		}
	}
	for i, name := range names {
		if name == "" {
			names[i] = fmt.Sprint("agent ", i+1)
		}
	}
	return names
}

// HTML returns the transcript.
func (s Story) HTML() (template.HTML, error) { return partHTML("story", s) }

// Unusable returns the raw answers of an entry that could not be used.
func (s Story) Unusable(entry int32) []Unusable { return s.unusable[int(entry)] }

// HasAsked reports whether the prompt of a turn can be asked for.
func (s Story) HasAsked(t telling.Turn) bool { return s.Asks && s.asked[t.Entry] }

// Shaped returns a proposal as what it is, with what it is worth if that is known.
func (s Story) Shaped(text string) proposal {
	p := shape(text)
	if s.worth == nil {
		return p
	}
	w, ok := s.worth(text)
	if !ok {
		return p
	}
	return p.addWorth(w, s.names)
}

// Saw returns which earlier entries were shown: "0–4, 7".
func (s Story) Saw(ranges []transcript.Range) string {
	var parts []string
	for _, r := range ranges {
		switch {
		case r.To <= r.From:
		case r.To == r.From+1:
			parts = append(parts, fmt.Sprint(r.From))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", r.From, r.To-1))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// matrix is the ballots of a phase, by voter and candidate.
type matrix struct {
	Rows []voterRow
}

type voterRow struct {
	Voter  string
	Values []string // by candidate; "" if the ballot gives it nothing
}

// Matrix lays the ballots of a phase out by voter.
func (s Story) Matrix(p telling.Phase) matrix {
	var m matrix
	at := map[string]int{}
	for i, c := range p.Candidates {
		for _, v := range c.Votes {
			row, known := at[v.Voter]
			if !known {
				row = len(m.Rows)
				at[v.Voter] = row
				m.Rows = append(m.Rows, voterRow{v.Voter, make([]string, len(p.Candidates))})
			}
			m.Rows[row].Values[i] = v.Value
		}
	}
	sum := s.sums(p)
	if sum != nil {
		m.Rows = append(m.Rows, voterRow{"sum", sum})
	}
	return m
}

// sums adds up what the ballots give each candidate, exactly; nil if a value is no fraction.
func (s Story) sums(p telling.Phase) []string {
	all := make([]string, len(p.Candidates))
	for i, c := range p.Candidates {
		sum := new(big.Rat)
		for _, v := range c.Votes {
			value, ok := new(big.Rat).SetString(v.Value)
			if !ok {
				return nil
			}
			sum.Add(sum, value)
		}
		all[i] = sum.RatString()
	}
	return all
}
