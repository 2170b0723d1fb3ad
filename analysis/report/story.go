package report

import (
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/recount"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
	"roundtable/workflows/transcript"
)

// Story is the data for the template of a transcript.
type Story struct {
	Told
	ID        string
	Verdict   verdict
	Course    course
	Question  Question
	Earlier   bool   // it was run again
	Condition string // what its condition is called; "" if there is only one
	Simulated string
	Acts      map[int32][]string // of messages, by entry
	Plots     []*plot
	Lost      string // why unusable answers are missing
	Unknown   string // why the task is not known
	Show      string // the command that shows prompts and raw answers; "" if the page can show them
	Asks      bool   // prompts and raw answers can be opened
	unusable  map[int][]Unusable
	worth     func(proposal string) (Worth, bool)
	Unasked   string // why prompts and answers are missing
	asked     map[int32]Asked
	scores    map[int32][]*big.Rat // that the rule counts, by entry of the decision
}

// StoryOf returns the story of a collaboration; id is its transcript's ID, as IDOf returns it.
func (s Source) StoryOf(id string, rows record.Rows) Story {
	c := rows.Collaborations[0]
	story := Story{Told: Tell(rows), ID: id, Earlier: id != c.CollaborationID && c.Status != record.Unfinished,
		Condition: s.Conditions[c.ConditionID]}
	if c.Simulated {
		story.Simulated = table.Simulated + "."
	}
	story.Show = fmt.Sprintf("roundtable show %s/%s.%d --prompts --raw", c.CampaignID, c.CollaborationID, c.Generation)
	s.addAbout(&story, c.Key)
	story.Course = courseOf(rows, story.Told, story.Question)
	story.Verdict = verdictOf(c, story.Question, story.Course)
	story.Plots = plotsOf(rows, story.Course)
	if s.Acts != nil {
		var err error
		if story.Acts, err = s.Acts(c.Key); err != nil {
			story.Unknown = err.Error()
		}
	}
	if s.Counting != nil {
		story.scores = recount.Scores(rows, s.Counting)
	}
	if s.Asked != nil {
		var err error
		if story.asked, err = s.Asked(rows); err != nil {
			story.Unasked = err.Error()
		} else {
			story.Show, story.Asks = "", true
		}
	}
	if entries := unusableEntries(rows.Turns); s.Unusable != nil && len(entries) > 0 {
		var err error
		if story.unusable, err = s.Unusable(c.Key, entries); err != nil {
			story.Lost = err.Error()
		}
	}
	return story
}

// IsUnfinished reports whether the collaboration has not ended.
func (s Story) IsUnfinished() bool { return s.Collaboration.Status == record.Unfinished }

func (s Source) addAbout(story *Story, of record.Key) {
	if s.About == nil {
		return
	}
	about, err := s.About(of)
	if err != nil {
		story.Unknown = err.Error()
	}
	story.Facts, story.Question, story.worth = about.Facts, about.Question, about.Worth
	if about.Question.Text != "" { // which says them
		story.Facts = slices.DeleteFunc(slices.Clone(story.Facts), func(f Fact) bool {
			return f.Name == "Context" || f.Name == "Question" || f.Name == "Options" || f.Name == "Right answer" &&
				story.Collaboration.KeyJSON != nil
		})
	}
}

// plotsOf returns the pictures of a collaboration. Whether what stands is right is seen in
// the course.
func plotsOf(rows record.Rows, w course) []*plot {
	c := rows.Collaborations[0]
	var scores *plot
	if c.KeyJSON == nil {
		scores = scorePlot(rows.Rounds, c.Measure == record.Share)
	}
	var all []*plot
	for _, p := range []*plot{plotMotion(rows.Turns), onLine(w.placesOf()), scores} {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// option is an answer that a question offers.
type option struct {
	Letter, Text   string
	Class          string // of who holds it, as in the course
	Right, Decided bool
}

// Options returns the question's options, and whether each is right and was decided for.
func (s Story) Options() []option {
	var all []option
	keys := keysOf(s.Collaboration)
	for i, text := range s.Question.Options {
		letter := fmt.Sprintf("(%c)", 'A'+i)
		decided := s.Collaboration.DecisionJSON
		all = append(all, option{
			letter, text, s.Course.classOf(strconv.Quote(letter), letter, i), slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, letter) }),
			decided != nil && strings.Contains(*decided, letter), // "(A)(C)" where several are chosen
		})
	}
	return all
}

// Keys returns the right answers in words; "" if they are not known.
func (s Story) Keys() string { return s.Question.joinAnswers(keysOf(s.Collaboration)) }

// Label returns a proposal in words, or "" if it is too long for the head of a column.
func (s Story) Label(proposal string) string {
	text := parseShape(proposal).inOneLine()
	if len([]rune(text)) > longestPosition {
		return ""
	}
	return s.Question.answer(proposal)
}

// Choice returns what a turn of a phase votes for or selects, in words; "" if that is not one short proposal.
func (s Story) Choice(p Phase, t Turn) string {
	for _, c := range p.Candidates {
		if c.Number == t.Choice {
			return s.Label(c.Proposal)
		}
	}
	return ""
}

// DescribeDecision returns what a count of ballots decides, as "Group decides: (B) Ben"; "" for other turns and
// for long answers.
func (s Story) DescribeDecision(t Turn) string {
	choice := s.Label(t.Selected)
	if t.Selected == "" || choice == "" {
		return ""
	}
	text := "Group decides: " + choice
	if t.Tied {
		text += ", after a tie"
	}
	return text
}

// searchText returns what was said and why, for a search.
func (s Story) searchText() string {
	var lines []string
	for _, round := range s.Rounds {
		for _, phase := range round.Phases {
			for _, turn := range phase.Turns {
				lines = append(lines, turn.Text, turn.Reason)
			}
		}
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

// HTML returns the transcript as HTML.
func (s Story) HTML() (template.HTML, error) { return partHTML("story", s) }

// Unusable returns the raw answers of an entry that could not be used.
func (s Story) Unusable(entry int32) []Unusable { return s.unusable[int(entry)] }

// Shaped returns a proposal parsed for display, with its value if that is known.
func (s Story) Shaped(text string) proposal {
	p := parseShape(text)
	if s.worth == nil {
		return p
	}
	w, ok := s.worth(text)
	if !ok {
		return p
	}
	p = p.addWorth(w, s.AgentName)
	if s.Collaboration.Measure == record.Error {
		p.Worth += "; higher is better, 0 is best"
	}
	return p
}

// Spent says what the collaboration took: "4,553 tokens · $0.0120".
func (s Story) Spent() string {
	c := s.Collaboration
	cost := "cost not known"
	if c.CostUSD != nil {
		cost = wording.Dollars(*c.CostUSD)
	}
	return message.NewPrinter(language.English).Sprintf("%d tokens · %s", c.InputTokens+c.OutputTokens, cost)
}

// NumberOf returns an entry's number on the page: turns count from 1, entries from 0.
func (s Story) NumberOf(entry int32) int32 { return entry + 1 }

// Saw returns which earlier turns were shown, by their numbers: "turns 1–5, 8".
func (s Story) Saw(ranges []transcript.Range) string {
	var parts []string
	shown := 0
	for _, r := range ranges {
		shown += max(0, r.To-r.From)
		switch {
		case r.To <= r.From:
		case r.To == r.From+1:
			parts = append(parts, fmt.Sprint(r.To))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", r.From+1, r.To))
		}
	}
	switch shown {
	case 0:
		return "no other turn"
	case 1:
		return "turn " + parts[0]
	}
	return "turns " + strings.Join(parts, ", ")
}

// voterRow is one voter's ballot.
type voterRow struct {
	Voter  string
	Values []string // by candidate; "" if the ballot gives it nothing
	Count  bool     // it is what the rule counts
}

// Matrix returns the ballots of a phase by voter; the last row has the rule's counts, if they are known.
func (s Story) Matrix(p Phase) []voterRow {
	var rows []voterRow
	at := map[string]int{}
	for i, c := range p.Candidates {
		for _, v := range c.Votes {
			row, known := at[v.Voter]
			if !known {
				row = len(rows)
				at[v.Voter] = row
				rows = append(rows, voterRow{Voter: v.Voter, Values: make([]string, len(p.Candidates))})
			}
			rows[row].Values[i] = v.Value
		}
	}
	if count := s.countOf(p); count != nil {
		rows = append(rows, voterRow{"count by the rule", count, true})
	}
	return rows
}

// scoresOf returns what the rule counts of the ballots of a phase. Some protocols count in a phase of its own, later
// in the round.
func (s Story) scoresOf(p Phase) []*big.Rat {
	last := p.Turns[len(p.Turns)-1].Entry
	if scores := s.scores[last]; scores != nil {
		return scores
	}
	for _, round := range s.Rounds {
		if len(round.Phases) > 0 && round.Phases[0].Turns[0].Entry > last {
			return nil
		}
		for _, phase := range round.Phases {
			end := phase.Turns[len(phase.Turns)-1]
			switch {
			case end.Entry <= last:
			case len(phase.Candidates) > 0: // these are counted next
				return nil
			case end.Decided:
				return s.scores[end.Entry]
			}
		}
	}
	return nil
}

// countOf returns what the rule counts for each candidate of a phase; nil if that is not known.
func (s Story) countOf(p Phase) []string {
	scores := s.scoresOf(p)
	var all []string
	for _, c := range p.Candidates {
		if c.Number < 1 || int(c.Number) > len(scores) {
			return nil
		}
		all = append(all, scores[c.Number-1].RatString())
	}
	return all
}
