package collaboration

import (
	"fmt"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
)

// Prompt is a rendered prompt.
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

// Prompts returns what a condition asks, without asking its model anything: of
// every role and phase the first and the last prompt of each agent. Scripted
// agents play collaborations in memory until no further phase turns up.
func Prompts(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) ([]Prompt, error) {
	p.Campaign.Conditions = slices.Clone(p.Campaign.Conditions)
	if p.Campaign.Conditions[i].Fork == nil {
		p.Campaign.Conditions[i].Stop = plan.Choice{Name: "never"} // later rounds are to be seen
	}
	s := sampled{at: map[string]int{}}
	for n, idle := 0, 0; n < maxRehearsals && idle < idleRehearsals; n++ {
		c, err := newRehearsal(p, i, n, plugins, sources, models)
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
