package dialogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// JudgesAgreement is how well two scorers of the same answers agree. Undefined statistics are nil.
type JudgesAgreement struct {
	N                 int
	Same              *float64 // share of answers with equal scores
	Kappa, Weighted   *float64 // Cohen's, nominal and with quadratic weights
	Pearson, Spearman *float64
	Difference        *float64             // mean of a - b
	Within            *statistics.Interval // 95 %
}

// mostLines of scores that are left out are named.
const mostLines = 10

// mostCategories is how many different scores count as categories.
const mostCategories = 11

// compareScores compares two scorers; scores are equal if they are to a hundredth.
func compareScores(a, b []float64) JudgesAgreement {
	r := JudgesAgreement{N: len(a)}
	if len(a) == 0 || len(a) != len(b) {
		return r
	}
	categories := map[int]bool{}
	hundredths := func(values []float64) (rounded []int) {
		for _, v := range values {
			rounded = append(rounded, int(math.Round(100*v)))
			categories[rounded[len(rounded)-1]] = true
		}
		return rounded
	}
	x, y := hundredths(a), hundredths(b)
	same := 0.
	for i := range x {
		if x[i] == y[i] {
			same++
		}
	}
	r.Same = new(same / float64(len(x)))
	if len(categories) <= mostCategories {
		r.Kappa = acts.Kappa(x, y)
	}
	r.Weighted = acts.WeightedKappa(a, b)
	if line, err := statistics.LineOf(a, b); err == nil {
		r.Pearson = &line.R
	}
	if line, err := statistics.Spearman(a, b); err == nil {
		r.Spearman = &line.R
	}
	if d, err := statistics.Differences(a, b); err == nil && len(d) > 1 {
		mean, within := statistics.MeanInterval(d)
		r.Difference, r.Within = &mean, within
	}
	return r
}

// judge is one judge of a campaign, with what it has scored.
type judge struct {
	id     string // its part of the settings
	model  string
	scale  [2]float64
	runs   []campaign.Run
	hand   []float64 // as shares, by decision, as are its own
	own    []float64
	graded map[decision]Hand
}

type decision struct{ question, answer string }

func decisionOf(r campaign.Run) decision { return decision{r.InstanceID, *r.DecisionJSON} }

// Table compares the judges of a campaign with scores that people gave in file. Each decision counts once,
// however many collaborations made it.
func Table(c campaign.Campaign, file string, hand []Hand) (table.Table, error) {
	judges := judgesOf(c)
	if len(judges) == 0 {
		instead := ""
		if slices.ContainsFunc(c.Runs, func(r campaign.Run) bool { return r.Protocol == record.Imported }) {
			instead = fmt.Sprintf("; imported transcripts are judged as wholes by a code book:"+
				" roundtable label %s --code-book FILE --labeller provider/model", c.Name)
		}
		return table.Table{}, fmt.Errorf("judge-agreement is of decisions that a judge has scored (score: {judge: …}),"+
			" and %s has none%s", c.Name, instead)
	}
	var errs []error
	var unmatched []string
	for _, h := range hand {
		found := false
		for _, j := range judges {
			is, err := j.match(h)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s, line %d: %w", file, h.Line, err))
			}
			found = found || is || err != nil
		}
		if !found {
			unmatched = append(unmatched, fmt.Sprint(h.Line))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return table.Table{}, err
	}
	if len(unmatched) == len(hand) {
		return table.Table{}, fmt.Errorf("%s: no line names a decision that a judge of %s has scored: names are "+
			"those of the columns collaboration_id and instance_id, answers those of decision_json", file, c.Name)
	}
	t := table.Table{Title: "Agreement of judges with scores by hand"}
	table.Fill(&t, judges, judgeColumns()...)
	t.Notes = []string{
		"n: different decisions with a score by hand, each counted once. Scores are shares of the judge's scale, 0 " +
			"at its lower end and 1 at its upper. equal: share of decisions with the same score to a hundredth. " +
			"kappa: Cohen's (1960) over scores to a hundredth, for at most 11 different ones; weighted kappa: with " +
			"quadratic weights, the squared differences of the scores (Cohen 1968). r: Pearson's, rho: Spearman's " +
			"correlation, ties at their mean rank. difference: mean of judge - hand, with the 95 % t interval over " +
			"decisions. Empty where it is not defined: correlations below three decisions, or where one of the two " +
			"always gives the same score, as with kappa where both do.",
	}
	if n := len(unmatched); n > 0 {
		lines := strings.Join(unmatched[:min(n, mostLines)], ", ")
		if n > mostLines {
			lines += ", …"
		}
		t.Notes = append(t.Notes, fmt.Sprintf("Left out: %s of %d, for whose decision no judge of %s has a score "+
			"(%s, line %s).", wording.Count(n, "score by hand"), len(hand), c.Name, file, lines))
	}
	if slices.ContainsFunc(c.Runs, func(r campaign.Run) bool { return r.Simulated }) {
		t.Notes = append([]string{table.Simulated + "."}, t.Notes...)
	}
	return t, nil
}

func judgeColumns() []table.Columns[*judge] {
	column := table.Column[*judge]
	known := func(header string, of func(JudgesAgreement) *float64) table.Columns[*judge] {
		return column(header, func(j *judge) table.Cell {
			if v := of(compareScores(j.own, j.hand)); v != nil {
				return table.Number(*v, 3)
			}
			return table.Cell{}
		})
	}
	return []table.Columns[*judge]{
		column("judge", func(j *judge) table.Cell { return table.Word(j.model) }),
		column("n", func(j *judge) table.Cell { return table.Count(len(j.own)) }),
		known("equal", func(a JudgesAgreement) *float64 { return a.Same }),
		known("kappa", func(a JudgesAgreement) *float64 { return a.Kappa }),
		known("weighted kappa", func(a JudgesAgreement) *float64 { return a.Weighted }),
		known("r", func(a JudgesAgreement) *float64 { return a.Pearson }),
		known("rho", func(a JudgesAgreement) *float64 { return a.Spearman }),
		known("difference", func(a JudgesAgreement) *float64 { return a.Difference }),
		known("low", func(a JudgesAgreement) *float64 {
			return end(a.Within, func(i statistics.Interval) float64 { return i.Low })
		}),
		known("high", func(a JudgesAgreement) *float64 {
			return end(a.Within, func(i statistics.Interval) float64 { return i.High })
		}),
	}
}

func end(i *statistics.Interval, of func(statistics.Interval) float64) *float64 {
	if i == nil {
		return nil
	}
	return new(of(*i))
}

// judgesOf returns the judges of a campaign in the order of its runs.
func judgesOf(c campaign.Campaign) (all []*judge) {
	same := map[string]int{} // judges by model
	for _, r := range c.Runs {
		var settings struct {
			Env struct {
				Params struct {
					Score struct {
						Judge json.RawMessage `json:"judge"`
					} `json:"score"`
				} `json:"params"`
			} `json:"env"`
		}
		if json.Unmarshal([]byte(r.SettingsJSON), &settings) != nil || settings.Env.Params.Score.Judge == nil ||
			r.DecisionJSON == nil || r.Score == nil {
			continue
		}
		id := string(settings.Env.Params.Score.Judge)
		i := slices.IndexFunc(all, func(j *judge) bool { return j.id == id })
		if i < 0 {
			j := newJudge(id)
			if same[j.model]++; same[j.model] > 1 {
				j.model = fmt.Sprintf("%s (%d)", j.model, same[j.model])
			}
			i, all = len(all), append(all, j)
		}
		all[i].runs = append(all[i].runs, r)
	}
	return all
}

func newJudge(id string) *judge {
	var said struct {
		Model json.RawMessage `json:"model"`
		Scale []float64       `json:"scale"`
	}
	j := &judge{id: id, scale: [2]float64{0, 1}, graded: map[decision]Hand{}}
	_ = json.Unmarshal([]byte(id), &said) // what is missing keeps its default
	if len(said.Scale) == 2 {
		j.scale = [2]float64(said.Scale)
	}
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(said.Model, &j.model) != nil && json.Unmarshal(said.Model, &named) == nil {
		j.model = named.Name
	}
	return j
}

// match adds a score by hand to the decision that it is about; false if the judge has
// scored no such decision.
func (j *judge) match(h Hand) (bool, error) {
	var found *campaign.Run
	for i, r := range j.runs {
		switch {
		case h.Collaboration != "" && r.CollaborationID != h.Collaboration,
			h.Collaboration == "" && r.InstanceID != h.Question,
			h.Answer != "" && strings.TrimSpace(h.Answer) != *r.DecisionJSON &&
				strings.TrimSpace(h.Answer) != strings.TrimSpace(decisionText(*r.DecisionJSON)):
			continue
		}
		if found != nil && decisionOf(*found) != decisionOf(r) {
			return false, fmt.Errorf("question %s has several answers; name the one that is scored", h.Question)
		}
		found = &j.runs[i]
	}
	if found == nil {
		return false, nil
	}
	if h.Score < j.scale[0] || h.Score > j.scale[1] {
		return false, fmt.Errorf("the score is %v; the scale of the judge %s is %v to %v", h.Score, j.model,
			j.scale[0], j.scale[1])
	}
	if before, twice := j.graded[decisionOf(*found)]; twice {
		if before.Score != h.Score {
			return false, fmt.Errorf("the score is %v, and line %d gives %v to the same answer", h.Score,
				before.Line, before.Score)
		}
		return true, nil
	}
	j.graded[decisionOf(*found)] = h
	j.own, j.hand = append(j.own, *found.Score), append(j.hand, (h.Score-j.scale[0])/(j.scale[1]-j.scale[0]))
	return true, nil
}

// decisionText returns a decision as its words, if it is a text.
func decisionText(decision string) (s string) {
	if json.Unmarshal([]byte(decision), &s) != nil {
		return decision
	}
	return s
}
