package collaboration

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/scoring"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Rehearsed is what one model of a collaboration of scripted agents was shown
// and said in one format, in calls and bytes; its calls are some, the most there
// can be are MostCalls'.
type Rehearsed struct {
	Model              string // as the campaign names it, whom the scripted agents stand in for
	Format             transcript.Format
	Calls, Shown, Said int
	Fixed              int // of Shown, what a prompt has before anybody has spoken
	Repeats            []Repeat
}

// Repeat is how many bytes of a prompt stand in the beginning of an earlier one.
type Repeat struct {
	Fixed int // of its first message, in which nobody's words stand
	Said  int
}

// rehearsals are Rehearsed by model and format, in order of their first call.
type rehearsals []Rehearsed

func (all *rehearsals) add(model string, f transcript.Format, shown, said int) {
	i := slices.IndexFunc(*all, func(r Rehearsed) bool { return r.Model == model && r.Format == f })
	if i < 0 {
		*all = append(*all, Rehearsed{Model: model, Format: f, Fixed: shown})
		i = len(*all) - 1
	}
	r := &(*all)[i]
	least := shown
	if r.Calls > 0 {
		least = min(shown, r.Fixed/r.Calls)
	}
	r.Calls, r.Shown, r.Said = r.Calls+1, r.Shown+shown, r.Said+said
	r.Fixed = least * r.Calls
}

func (all rehearsals) noteRepeat(model string, f transcript.Format, n Repeat) {
	i := slices.IndexFunc(all, func(r Rehearsed) bool { return r.Model == model && r.Format == f })
	all[i].Repeats = append(all[i].Repeats, n)
}

// Rehearse plays a whole collaboration of a condition with scripted agents in
// memory, for a guess of what a real one takes, and what it takes to label its
// messages with such words.
func Rehearse(p campaign.Plan, i int, words string, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) (turns, labelling []Rehearsed, err error) {
	c, err := newRehearsal(p, i, 0, plugins, sources, models)
	if err != nil {
		return nil, nil, err
	}
	cond := p.Campaign.Conditions[i]
	var asked, labelled rehearsals
	earlier := map[string]beginnings{}
	heard := map[int][]labels.Said{} // by round
	err = rehearseAll(c, func(at protocol.Pending, q calls.Question, t answers.Turn) {
		model := cmp.Or(c.OwnModel(at.Speaker), cond.Models[q.Speaker].Name, cond.Model.Name)
		if a := c.Condition.Annotator; a != nil && at.Kind == transcript.Annotate {
			model = a.Model.Name
		}
		asked.add(model, at.Payload.Format, calls.ByteSize(q.Messages)+len(q.Request(nil).Schema),
			len(t.Asks[len(t.Asks)-1].Raw))
		repeated, all := earlier[model].repeat(q)
		asked.noteRepeat(model, at.Payload.Format, repeated)
		earlier[model] = all
		if !isMessage(at, t) {
			return
		}
		said := labels.Said{From: q.Speaker, Text: t.Text}
		heard[at.Round] = append(heard[at.Round], said)
		question := labels.Question{Before: heard[at.Round-1], Message: said}.Messages(words)
		labelled.add("", "labels", calls.ByteSize(question)+len(labels.Acts().Schema()),
			len(`{"acts": ["Inform", "Propose"]}`))
	})
	if j := c.Condition.Judge; j != nil && err == nil {
		if instance, ok := c.Instance.(envs.Judged); ok && c.Final() >= 0 {
			messages := scoring.Messages(j.Words, instance.JudgeCase(envs.Proposal(c.Turns[c.Final()].Proposal)))
			for range j.Samples {
				asked.add(j.Model.Name, scoring.Role, calls.ByteSize(messages)+len(scoring.Schema(j.Scale)),
					len(`{"why": "One or two sentences say what was decisive for this score.", "score": 0.5}`))
			}
		}
	}
	return asked, labelled, err
}

// isMessage reports whether the turn will be one in the table.
func isMessage(at protocol.Pending, t answers.Turn) bool {
	row := record.Turn{Kind: at.Kind.String(), Role: at.Speaker.Role, Format: string(at.Payload.Format),
		Status: string(t.Act.Status), Agent: new(int32), Text: record.Optional(t.Text)}
	return row.IsMessage()
}

// rehearseAll plays to the end, and shows what was asked and answered.
func rehearseAll(c *Collaboration, see func(protocol.Pending, calls.Question, answers.Turn)) error {
	meter := &calls.Meter{}
	for c.Session.Outcome() == nil {
		prefix := c.Session.InPrefix() // of a fork: what is said there is another campaign's
		for _, pending := range c.Session.Pending() {
			q, t, err := c.PlayTurn(context.Background(), pending, meter)
			if err != nil {
				return err
			}
			if err := c.Record(t); err != nil {
				return err
			}
			if !prefix {
				see(pending, q, t)
			}
		}
	}
	return nil
}

// newRehearsal returns a collaboration of a condition with scripted agents, in memory.
func newRehearsal(p campaign.Plan, i, replicate int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) (*Collaboration, error) {
	cond := p.Campaign.Conditions[i]
	scripted := func(asked plan.Choice, c plan.Condition, env envs.Environment) (model.Provider, error) {
		switch {
		case env == nil && c.Env.Name != "": // a judge
			return models(plan.Choice{Name: scoring.Rules}, c, nil)
		case env == nil && strings.HasPrefix(asked.Name, plan.EmbedderPrefix): // it costs nothing
			return models(asked, c, nil)
		case env == nil: // it labels for the stopping rule
			return models(plan.Choice{Name: labels.Rules}, c, nil)
		}
		return models(plan.Choice{Name: "scripted/" + env.Policies()[0]}, c, env)
	}
	p.Campaign.Conditions, p.Agents, p.Rounds, p.Pack = []plan.Condition{cond}, p.Agents[i:i+1],
		p.Rounds[i:i+1], p.Pack[i:i+1]
	camp, err := setup.Build(p, plugins, sources, scripted)
	if err != nil {
		return nil, err
	}
	return Begin(camp, task.Ref{Campaign: p.Campaign.Name, Cell: plan.Cell{Replicate: replicate}},
		answers.RunKey{Campaign: p.Campaign.Name, Collaboration: "preview"})
}
