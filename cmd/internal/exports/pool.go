package exports

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// A pool holds viewpoints for fixed contexts (paper 4, RQ3) from a campaign in which
// agents answered questions alone: their first answers, in the order of collaborations
// and agents. Only committed rows are read, and the same rows give the same pool.

// Viewpoint is one line of a pool file (pool.file of the environment qa): an answer and its source.
type Viewpoint struct {
	Question      string `json:"question"`
	Hash          string `json:"hash,omitempty"` // of the question, whatever it is called
	Text          string `json:"text"`
	Right         bool   `json:"right"`
	Model         string `json:"model"`
	Simulated     bool   `json:"simulated"` // by a scripted agent
	Collaboration string `json:"collaboration"`
	Agent         int32  `json:"agent"`
}

// Tally counts the answers to a question; Unread are those that could not be parsed.
type Tally struct{ Right, Wrong, Unread int }

// hasEnough says that a context with n viewpoints of each kind can be drawn.
func (t Tally) hasEnough(each int) bool { return t.Right >= each && t.Wrong >= each }

// Pool is the set of answers that a condition of a campaign gave, by question, from which viewpoints and
// challenges are made.
type Pool struct {
	store   store.Store
	dataset lake.Dataset
	// Tallies by question; Questions are its keys in the order of the rows.
	Tallies   map[string]Tally
	Questions []string
	Simulated int // answers by scripted agents
}

// readPool counts the first answers of one condition, or of the only one that has
// some if none is named. Several are refused: conditions of a campaign share
// first answers, and a pool must not hold one twice.
func readPool(ctx context.Context, s store.Store, d lake.Dataset, condition string) (*Pool, error) {
	if condition != "" {
		d = d.Only(func(m lake.Member) bool { return m.Condition == condition })
	}
	p := &Pool{store: s, dataset: d, Tallies: map[string]Tally{}}
	var conditions []string
	for rows, err := range p.finishedRows(ctx) {
		if err != nil {
			return nil, err
		}
		if id := rows.Collaborations[0].ConditionID; !slices.Contains(conditions, id) {
			conditions = append(conditions, id)
		}
		p.count(rows)
	}
	switch {
	case len(conditions) == 0 && condition != "":
		return nil, fmt.Errorf("condition %s has no first answers to questions", condition)
	case len(conditions) == 0:
		return nil, fmt.Errorf("campaign %s has no first answers to questions", d.Campaign)
	case len(conditions) > 1:
		return nil, fmt.Errorf("campaign %s has first answers in several conditions, and they may share them; say "+
			"which by --condition: %s", d.Campaign, strings.Join(conditions, ", "))
	}
	return p, nil
}

// finishedRows that succeeded and have first answers.
func (p *Pool) finishedRows(ctx context.Context) iter.Seq2[record.Rows, error] {
	return func(yield func(record.Rows, error) bool) {
		for rows, err := range lake.Collaborations(ctx, p.store, p.dataset, record.Collaborations, record.Turns) {
			if err != nil {
				yield(rows, err)
				return
			}
			if rows.Collaborations[0].Status != "succeeded" || !slices.ContainsFunc(rows.Turns, isFirst) {
				continue
			}
			if !yield(rows, nil) {
				return
			}
		}
	}
}

// isFirst says that a turn is an agent's own answer, before it saw any other.
func isFirst(t record.Turn) bool {
	return t.Kind == "ask" && t.Format == "answer" && t.Phase == "answer" && t.Agent != nil
}

func isRight(t record.Turn) bool { return t.ProposalUtility != nil && *t.ProposalUtility >= 1 }

func (p *Pool) count(rows record.Rows) {
	question := rows.Collaborations[0].InstanceID
	if question == "" { // it could not begin
		return
	}
	tally, known := p.Tallies[question]
	if !known {
		p.Questions = append(p.Questions, question)
	}
	for _, t := range rows.Turns {
		switch {
		case !isFirst(t):
			continue
		case t.ProposalKey == nil || t.Text == nil:
			tally.Unread++
			continue
		case isRight(t):
			tally.Right++
		default:
			tally.Wrong++
		}
		if t.ModelSimulated {
			p.Simulated++
		}
	}
	p.Tallies[question] = tally
}

// hashOf returns the hash of a collaboration's question; "" if it has none.
func hashOf(c record.Collaboration) string {
	if c.InstanceHash == nil {
		return ""
	}
	return *c.InstanceHash
}

// Short returns the questions with fewer than each right or fewer than each wrong answers.
func (p *Pool) Short(each int) []string {
	return slices.DeleteFunc(slices.Clone(p.Questions), func(q string) bool { return p.Tallies[q].hasEnough(each) })
}

// Viewpoints yields the parsed answers to the questions that have at least each right and each wrong ones.
func (p *Pool) Viewpoints(ctx context.Context, each int) iter.Seq2[Viewpoint, error] {
	return func(yield func(Viewpoint, error) bool) {
		for rows, err := range p.finishedRows(ctx) {
			if err != nil {
				yield(Viewpoint{}, err)
				return
			}
			c := rows.Collaborations[0]
			if !p.Tallies[c.InstanceID].hasEnough(each) {
				continue
			}
			for _, t := range rows.Turns {
				if !isFirst(t) || t.ProposalKey == nil || t.Text == nil {
					continue
				}
				v := Viewpoint{c.InstanceID, hashOf(c), *t.Text, isRight(t), *t.Model, t.ModelSimulated,
					c.CollaborationID, *t.Agent}
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}

// Challenge is one line of a challenges file (challenges.file of the environment qa): a wrong solution that a
// model gave, a solution that it gave to another question, and the source of the wrong one.
type Challenge struct {
	Question      string `json:"question"`
	Hash          string `json:"hash,omitempty"` // of the question, whatever it is called
	Wrong         string `json:"wrong"`
	Irrelevant    string `json:"irrelevant,omitempty"`
	Model         string `json:"model"`
	Simulated     bool   `json:"simulated"` // by a scripted agent
	Collaboration string `json:"collaboration"`
	Agent         int32  `json:"agent"`
}

// given are the answers to one question.
type given struct {
	wrong  *Challenge
	answer string            // of the wrong one
	right  map[string]bool   // right answers that were given
	texts  map[string]string // the first text that ends with each answer
	order  []string          // of these answers
}

// Challenges returns the first wrong answer to each question that has one, and without, the questions that
// have none. If every question can have one, each challenge also gets an irrelevant solution: the first answer
// to one of the next questions that cannot be right by chance.
func (p *Pool) Challenges(ctx context.Context) (list []Challenge, without []string, err error) {
	all := map[string]*given{}
	for rows, err := range p.finishedRows(ctx) {
		if err != nil {
			return nil, nil, err
		}
		c := rows.Collaborations[0]
		if all[c.InstanceID] == nil {
			all[c.InstanceID] = &given{right: map[string]bool{}, texts: map[string]string{}}
		}
		for _, t := range rows.Turns {
			if isFirst(t) && t.ProposalJSON != nil && t.Text != nil {
				all[c.InstanceID].add(c, t)
			}
		}
	}
	everywhere := true
	for i, question := range p.Questions {
		g := all[question]
		if g.wrong == nil {
			without = append(without, question)
			continue
		}
		for _, other := range slices.Concat(p.Questions[i+1:], p.Questions[:i]) {
			if g.wrong.Irrelevant = g.irrelevantTo(all[other]); g.wrong.Irrelevant != "" {
				break
			}
		}
		everywhere = everywhere && g.wrong.Irrelevant != ""
		list = append(list, *g.wrong)
	}
	if !everywhere { // what one line has, all have
		for i := range list {
			list[i].Irrelevant = ""
		}
	}
	return list, without, nil
}

func (g *given) add(c record.Collaboration, t record.Turn) {
	answer := *t.ProposalJSON
	if _, known := g.texts[answer]; !known {
		g.texts[answer], g.order = *t.Text, append(g.order, answer)
	}
	switch {
	case isRight(t):
		g.right[answer] = true
	case g.wrong == nil:
		g.answer = answer
		g.wrong = &Challenge{
			Question: c.InstanceID, Hash: hashOf(c), Wrong: *t.Text, Model: *t.Model, Simulated: t.ModelSimulated,
			Collaboration: c.CollaborationID, Agent: *t.Agent,
		}
	}
}

// irrelevantTo returns a solution of another question that ends with an answer
// that is known to be wrong here; "" if there is none. Where no right answer is
// known, only the one that was wrong is known to be.
func (g *given) irrelevantTo(other *given) string {
	for _, answer := range other.order {
		if answer == g.answer || len(g.right) > 0 && !g.right[answer] {
			return other.texts[answer]
		}
	}
	return ""
}

// Challenges writes the wrong first answers of a campaign's condition to a file of challenges (Challenge).
func Challenges(cmd *cobra.Command, o *cli.Options, x Export, condition, format string) error {
	ctx := cmd.Context()
	p, err := x.readPool(ctx, o, "--challenges", condition, format)
	if err != nil {
		return err
	}
	list, without, err := p.Challenges(ctx)
	if err != nil {
		return x.explainErr(ctx, err)
	}
	if len(list) == 0 {
		return cli.UsageError(fmt.Errorf("campaign %s has no wrong answer that could be read: sample more, or "+
			"harder questions", x.Campaign))
	}
	err = writePool(cmd, o, x, p, "challenges", rowsOf(list), without, "have no wrong answer")
	if err == nil && list[0].Irrelevant == "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "No irrelevant solutions: for some question no other question's answer is "+
			"known to be wrong. The environment makes them from the questions.")
	}
	return err
}

// Viewpoints holds the flags of export --viewpoints.
type Viewpoints struct {
	Each      int // right ones and wrong ones that a question must have
	Condition string
}

// Run writes the pool of x's campaign to a file of JSON lines.
func (v Viewpoints) Run(cmd *cobra.Command, o *cli.Options, x Export, format string) error {
	if v.Each < 1 {
		return cli.UsageError(fmt.Errorf("--viewpoints is %d; a pool has 1 or more of each kind (paper 4: 40)", v.Each))
	}
	ctx := cmd.Context()
	p, err := x.readPool(ctx, o, "--viewpoints", v.Condition, format)
	if err != nil {
		return err
	}
	short := p.Short(v.Each)
	if len(short) == len(p.Questions) {
		best := p.Tallies[short[0]]
		return cli.UsageError(fmt.Errorf("no question has %d right and %d wrong answers that could be read; %s has "+
			"%d and %d: sample more, or harder or easier questions",
			v.Each, v.Each, short[0], best.Right, best.Wrong))
	}
	return writePool(cmd, o, x, p, "viewpoints", p.Viewpoints(ctx, v.Each), short, "have too few")
}

// rowsOf returns what is there already as rows that are read.
func rowsOf[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// writePool writes rows of a pool as a file of JSON lines, and says which of its questions are left
// out, since they lack something.
func writePool[T any](cmd *cobra.Command, o *cli.Options, x Export, p *Pool, table string, rows iter.Seq2[T, error],
	without []string, lack string) error {
	file, err := cli.StageFile(x.Output, func(w io.Writer) (n int64, err error) {
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		for row, err := range rows {
			if err == nil {
				err = lines.Encode(row)
			}
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	})
	if err != nil {
		return x.explainErr(cmd.Context(), err)
	}
	if p.Simulated > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "SIMULATED: %s by scripted agents (field simulated)\n",
			wording.Count(p.Simulated, "answer"))
	}
	if len(without) > 0 {
		shown := without
		if len(shown) > 10 {
			shown = append(shown[:10:10], "…")
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d questions %s and are left out: %s\n", len(without), len(p.Questions),
			lack, strings.Join(shown, ", "))
	}
	if err := file.Publish(x.Force); err != nil {
		return err
	}
	return x.Report(cmd, o.JSON, []Written{{table, file.Path, file.Rows, file.Bytes}})
}

// readPool returns the first answers of a campaign for an export that writes one
// file of JSON lines; the flag names the export in errors.
func (x Export) readPool(ctx context.Context, o *cli.Options, flag, condition, format string) (*Pool, error) {
	if x.Output == "" || len(x.Tables) > 0 || format != "" && format != "jsonl" {
		return nil, cli.UsageError(fmt.Errorf("%s needs -o FILE, takes no --table, and writes jsonl only", flag))
	}
	if err := cli.CheckOutput(x.Output, x.Force); err != nil {
		return nil, cli.UsageError(err)
	}
	s, d, err := x.open(ctx, o)
	if err != nil {
		return nil, err
	}
	p, err := readPool(ctx, s, d, condition)
	if err != nil {
		return nil, cli.UsageError(x.explainErr(ctx, err))
	}
	return p, nil
}
