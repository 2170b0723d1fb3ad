package collaboration

import (
	"cmp"
	"context"
	"fmt"
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

// Rehearsed is what scripted agents in place of one model were shown and said in one format: calls,
// and bytes of text. Calls is how many they made; setup.Condition.Most bounds those of a real run.
type Rehearsed struct {
	Model              string // as the campaign names it, whom the scripted agents stand in for
	Format             transcript.Format
	Calls, Shown, Said int
	Fixed              int // of Shown, what a prompt has before anybody has spoken
	Repeats            []Repeat
}

// Repeat is how many bytes at the beginning of a prompt also begin an earlier one.
type Repeat struct {
	Fixed int // bytes of its first message, which holds nothing that agents said
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

// Rehearse plays a collaboration of condition i of p with scripted agents in memory. turns predicts
// what a real one takes, labelling what it takes to label its messages under the instructions
// words.
func Rehearse(p campaign.Plan, i int, words string, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) (turns, labelling []Rehearsed, err error) {
	camp, err := buildRehearsals(p, i, plugins, sources, models)
	if err != nil {
		return nil, nil, err
	}
	c, err := beginRehearsal(camp, 0)
	if err != nil {
		return nil, nil, err
	}
	cond := p.Campaign.Conditions[i]
	var asked, labelled rehearsals
	earlier := map[string]beginnings{}
	heard := map[int][]labels.Said{} // by round
	err = rehearseAll(c, func(at protocol.Pending, q calls.Question, t answers.Turn) {
		model := cmp.Or(c.ownModel(at.Speaker), cond.Models[q.Speaker].Name, cond.Model.Name)
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
			q, t, err := c.playTurn(context.Background(), pending, meter)
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

// buildRehearsals returns a campaign of one condition with scripted agents, for collaborations in memory.
func buildRehearsals(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) (*setup.Campaign, error) {
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
	return setup.Build(p, plugins, sources, scripted)
}

// beginRehearsal begins a collaboration of buildRehearsals' campaign.
func beginRehearsal(camp *setup.Campaign, replicate int) (*Collaboration, error) {
	name := camp.Plan.Campaign.Name
	return Begin(camp, task.Ref{Campaign: name, Cell: plan.Cell{Replicate: replicate}},
		answers.RunKey{Campaign: name, Collaboration: "preview"})
}

// Prompt is a rendered prompt, with whom it is for.
type Prompt struct {
	Role     string          `json:"role"` // agent, or the role of who is not an agent
	Speaker  string          `json:"speaker"`
	Round    int             `json:"round"`
	Phase    string          `json:"phase"`
	Messages []model.Message `json:"messages"`
}

// Rehearsals for prompts: how many at most, and after how many without a phase
// that was not there before they end.
const (
	maxRehearsals  = 12
	idleRehearsals = 4
)

// showsAll is the largest group of which every agent's prompts are shown; of
// larger ones those of the first two and of the last.
const showsAll = 4

// Prompts returns the prompts of condition i of p, without asking its models anything: of every
// role and phase the first and the last prompt of each agent. Scripted agents play collaborations
// in memory until no further phase turns up.
func Prompts(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) ([]Prompt, error) {
	p.Campaign.Conditions = slices.Clone(p.Campaign.Conditions)
	if p.Campaign.Conditions[i].Fork == nil {
		p.Campaign.Conditions[i].Stop = plan.Choice{Name: "never"} // later rounds are to be seen
	}
	camp, err := buildRehearsals(p, i, plugins, sources, models)
	if err != nil {
		return nil, err
	}
	s := sampled{at: map[string]int{}}
	for n, idle := 0, 0; n < maxRehearsals && idle < idleRehearsals; n++ {
		c, err := beginRehearsal(camp, n)
		if err != nil {
			return nil, err
		}
		phases := s.phases
		err = rehearseAll(c, func(at protocol.Pending, q calls.Question, _ answers.Turn) { s.take(n, c.Condition.Agents, at, q) })
		if err != nil {
			return nil, err
		}
		if idle++; s.phases > phases {
			idle = 0
		}
	}
	return s.list, nil
}

// sampled are the prompts that were taken.
type sampled struct {
	list   []Prompt
	at     map[string]int // by role, phase, and agent and place in the course
	phases int            // roles and phases
}

// take keeps a prompt if it is the first of its kind, or the last of the
// rehearsal in which the kind turned up.
func (s *sampled) take(rehearsal, agents int, at protocol.Pending, q calls.Question) {
	role, index := at.Speaker.Role, at.Speaker.Index
	if role == "" {
		role = "agent"
		if agents > showsAll && index > 1 && index != agents-1 {
			return
		}
	}
	prompt := Prompt{Role: role, Speaker: q.Speaker, Round: at.Round, Phase: at.Phase, Messages: q.Messages}
	kind := role + "/" + at.Phase
	first, known := s.at[kind]
	if !known {
		s.phases++
		s.at[kind], first = rehearsal, rehearsal
	}
	if first != rehearsal {
		return
	}
	own := fmt.Sprintf("%s/%s", kind, q.Speaker)
	if _, known := s.at[own]; !known {
		s.at[own] = len(s.list)
		s.list = append(s.list, prompt)
		return
	}
	last, known := s.at[own+"/last"]
	if !known {
		last = len(s.list)
		s.at[own+"/last"] = last
		s.list = append(s.list, prompt)
	}
	s.list[last] = prompt
}

// SamePrompts reports whether condition i of p has the same prompts in every replicate as long as
// the answers are the same, so that nothing in them is drawn by replicate. It compares two
// rehearsals with equal answers.
func SamePrompts(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) (bool, error) {
	camp, err := buildRehearsals(p, i, plugins, sources, models)
	if err != nil {
		return false, err
	}
	var asked [2][]string
	for replicate := range asked {
		c, err := beginRehearsal(camp, replicate)
		if err != nil {
			return false, err
		}
		c.Ref.Cell.Replicate = 0 // the protocol has drawn for the replicate, its agents draw alike
		err = rehearseAll(c, func(_ protocol.Pending, q calls.Question, _ answers.Turn) {
			asked[replicate] = append(asked[replicate], q.Hash)
		})
		if err != nil {
			return false, err
		}
	}
	return slices.Equal(asked[0], asked[1]), nil
}

// CheckReplacements returns sentences that say which texts of a fork (condition i of p) cannot
// replace their messages, and in which instances: a few at most. Scripted agents play the
// collaboration in memory; messages that do not come up are not checked.
func CheckReplacements(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) ([]string, error) {
	camp, err := buildRehearsals(p, i, plugins, sources, models)
	if err != nil {
		return nil, err
	}
	c, err := beginRehearsal(camp, 0)
	if err != nil {
		return nil, err
	}
	stopped := rehearseAll(c, func(protocol.Pending, calls.Question, answers.Turn) {})
	problems, err := c.checkReplaced(p.Campaign.InstancesOf(i))
	if len(problems) > 0 || err != nil {
		return problems[:min(len(problems), maxProblems)], err
	}
	return nil, stopped
}

// maxProblems are shown of a condition: the same text is often unfit for the same reason.
const maxProblems = 3
