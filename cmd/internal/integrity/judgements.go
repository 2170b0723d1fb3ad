package integrity

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/activities/prompt"
	"roundtable/activities/scoring"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// judgements are what the judges of a plan said, read again from their stored answers, and what
// its programs scored.
type judgements struct {
	byProgram   map[string]bool // conditions that a program scores
	scored      scoring.Scored
	byCondition map[string]string     // ids of judges
	judges      map[string]plan.Judge // by id
	scores      map[judgedCase][]float64
}

// judgedCase is one decision to one judge. Contexts of one question are one case.
type judgedCase struct{ judge, question, decision string }

// newJudgements returns the judges of a plan, and what its programs scored.
func newJudgements(p campaign.Plan, scored scoring.Scored) (judgements, error) {
	j := judgements{byProgram: map[string]bool{}, scored: scored, byCondition: map[string]string{},
		judges: map[string]plan.Judge{}, scores: map[judgedCase][]float64{}}
	for i, c := range p.Campaign.Conditions {
		judge, ok := c.Judge()
		if !ok {
			j.byProgram[c.ID()] = isScoredByProgram(c)
			continue
		}
		templates, err := prompt.Pack(p.Packs[p.Pack[i]]).Parse()
		if err != nil {
			return j, err
		}
		_, id, err := setup.JudgeWords(judge, templates)
		if err != nil {
			return j, err
		}
		j.byCondition[c.ID()], j.judges[id] = id, judge
	}
	return j, nil
}

// read reads all judgements of the plan's judges. What a stored answer says and what was
// made of it must be the same.
func (j judgements) read(ctx context.Context, store *answers.Answers, runs []answers.RunKey,
	find func(answers.RunKey, string)) error {
	byName := map[string][]answers.RunKey{}
	var names []string
	for _, run := range runs {
		if _, ok := j.judges[ledger.JudgeOf(run.Collaboration)]; ok {
			if byName[run.Collaboration] == nil {
				names = append(names, run.Collaboration)
			}
			byName[run.Collaboration] = append(byName[run.Collaboration], run)
		}
	}
	for _, name := range names {
		generations := byName[name]
		slices.SortFunc(generations, func(a, b answers.RunKey) int { return a.Generation - b.Generation })
		if err := j.readOne(ctx, store, generations, find); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads the judgements of one decision: of each sample the first usable one.
func (j judgements) readOne(ctx context.Context, store *answers.Answers, generations []answers.RunKey,
	find func(answers.RunKey, string)) error {
	id := ledger.JudgeOf(generations[0].Collaboration)
	judge := j.judges[id]
	shares := map[int]float64{}
	var of judgedCase
	for _, run := range generations {
		stored, err := store.Load(ctx, run)
		if err != nil {
			return err
		}
		for _, t := range stored.Turns {
			if _, known := shares[t.Entry]; known || !t.Done || t.Act.Status == transcript.Invalid {
				continue
			}
			judged, err := scoring.ReadJudged(t)
			score, _, wrong := scoring.Parse(t.Asks[len(t.Asks)-1].Raw, judge.Scale)
			if err != nil || wrong != nil || score != judged.Score || judge.Share(score) != judged.Share {
				find(run, fmt.Sprintf("the judgement of entry %d says something else than its answer", t.Entry))
				continue
			}
			is := judgedCase{id, judged.Question, judged.Decision}
			if len(shares) > 0 && is != of {
				find(run, fmt.Sprintf("the judgement of entry %d is of another decision than those before it", t.Entry))
				continue
			}
			shares[t.Entry], of = judged.Share, is
		}
	}
	if len(shares) == judge.Samples {
		sum := 0.
		for sample := range judge.Samples {
			sum += shares[sample]
		}
		j.scores[of] = append(j.scores[of], sum/float64(judge.Samples))
	}
	return nil
}

var contextOf = regexp.MustCompile(`-c[0-9]+$`)

// check returns what is wrong with the score of a collaboration; empty if nothing is.
// judged is false if no judge scored it.
func (j judgements) check(c record.Collaboration) (judged bool, wrong string) {
	if c.Status == task.Succeeded && j.byProgram[c.ConditionID] {
		return false, j.checkScored(c)
	}
	id, ok := j.byCondition[c.ConditionID]
	if !ok || c.Status != task.Succeeded {
		return false, ""
	}
	switch {
	case c.Score == nil:
		return true, "it succeeded and has no score, which a judge gives"
	case c.DecisionJSON == nil && *c.Score != 0:
		return true, fmt.Sprintf("its score is %v without a decision", *c.Score)
	case c.DecisionJSON == nil:
		return false, ""
	}
	said := append(slices.Clone(j.scores[judgedCase{id, c.InstanceID, *c.DecisionJSON}]),
		j.scores[judgedCase{id, contextOf.ReplaceAllString(c.InstanceID, ""), *c.DecisionJSON}]...)
	switch {
	case len(said) == 0:
		return true, "no judgement of its decision is stored"
	case !slices.Contains(said, *c.Score):
		return true, fmt.Sprintf("its score is %v, and the stored judgement comes to %v", *c.Score, said[0])
	}
	return true, ""
}

// isScoredByProgram reports whether the score of a condition's environment names a program.
func isScoredByProgram(c plan.Condition) bool {
	var params struct {
		Score struct {
			Command json.RawMessage `json:"command"`
		} `json:"score"`
	}
	return json.Unmarshal(c.Env.Params, &params) == nil && params.Score.Command != nil
}

// checkScored returns what is wrong with a score that a program gave.
func (j judgements) checkScored(c record.Collaboration) string {
	switch {
	case c.Score == nil:
		return "it succeeded and has no score, which a program gives"
	case c.DecisionJSON == nil:
		return ""
	}
	var decision any
	if json.Unmarshal([]byte(*c.DecisionJSON), &decision) != nil {
		return "its decision is not JSON"
	}
	for _, question := range []string{c.InstanceID, contextOf.ReplaceAllString(c.InstanceID, "")} {
		for _, answer := range []string{scoring.Comparable(decision), ""} {
			if slices.Contains(j.scored[scoring.ScoredCase{Question: question, Answer: answer}], *c.Score) {
				return ""
			}
		}
	}
	return fmt.Sprintf("its score is %v, and no stored score of a program for its decision is", *c.Score)
}
