package allocation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// work is a task as a joint.Domain. An agent's own has no truth in it.
type work struct {
	private, public []string // names of resources
	tasks           []Template
	truth           Estimate
}

// Estimate is an estimate of the state: each agent's private resources, the team's public ones,
// and each task's value if an agent does it.
type Estimate struct {
	Private map[string]joint.State `json:"private"` // by agent
	Public  joint.State            `json:"public"`
	Values  map[string]joint.State `json:"values"` // by agent
}

// agentName of an agent.
func agentName(agent int) string { return "agent_" + strconv.Itoa(agent) }

func (d Domain) newWork(t Team, chosen []Template) *work {
	w := &work{private: d.Private, tasks: chosen,
		truth: Estimate{Private: map[string]joint.State{}, Public: joint.State{}, Values: map[string]joint.State{}}}
	for _, r := range d.Public {
		w.public = append(w.public, r.Name)
	}
	for i := range t.Personas {
		w.truth.Private[agentName(i)] = t.Private[i]
		for _, r := range w.public {
			w.truth.Public[r] += t.Fragments[i][r]
		}
		values := joint.State{}
		for j, v := range t.Values[i] {
			values[chosen[j].Name] = v
		}
		w.truth.Values[agentName(i)] = values
	}
	return w
}

func (e Estimate) String() string {
	data, err := json.Marshal(e) // names are sorted
	if err != nil {
		panic("allocation: " + err.Error()) // quantities are finite
	}
	return string(data)
}

// Estimate reads an agent's.
func (w *work) Estimate(text []byte) (string, error) {
	var e Estimate
	if json.Unmarshal(text, &e) != nil || e.Private == nil || e.Public == nil || e.Values == nil {
		return "", fmt.Errorf(`it needs "private" and "values", objects of agents, and "public", an object of resources`)
	}
	var err error
	if e.Public, err = e.Public.Named("public resource", w.public); err != nil {
		return "", err
	}
	for _, part := range []struct {
		kind  string
		given *map[string]joint.State
		known []string
	}{{"private resource", &e.Private, w.private}, {"task", &e.Values, w.Items()}} {
		if *part.given, err = byAgent(part.kind, *part.given, part.known); err != nil {
			return "", err
		}
	}
	return e.String(), nil
}

// byAgent returns states under the agents' names and their own, which may be
// written in any case.
func byAgent(kind string, given map[string]joint.State, known []string) (map[string]joint.State, error) {
	named := map[string]joint.State{}
	for _, agent := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc([]string{agentName(0), agentName(1), agentName(2)},
			func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(agent)) })
		if i < 0 {
			return nil, fmt.Errorf("there is no agent %.40q; there are %s, %s and %s", agent, agentName(0),
				agentName(1), agentName(2))
		}
		if _, twice := named[agentName(i)]; twice {
			return nil, fmt.Errorf("%s is given twice", agentName(i))
		}
		var err error
		if named[agentName(i)], err = given[agent].Named(kind, known); err != nil {
			return nil, err
		}
	}
	return named, nil
}

func (w *work) readEstimate(estimate string) (e Estimate) {
	if estimate == "" {
		return w.truth
	}
	if json.Unmarshal([]byte(estimate), &e) != nil {
		return Estimate{}
	}
	return e
}

// Problem has each agent as an option of each task; resources are those of
// each agent, then the public ones.
func (w *work) Problem(estimate string) joint.Problem {
	e, own := w.readEstimate(estimate), len(w.private)
	var p joint.Problem
	for i := range agents {
		for _, r := range w.private {
			p.Capacity = append(p.Capacity, e.Private[agentName(i)][r])
		}
	}
	for _, r := range w.public {
		p.Capacity = append(p.Capacity, e.Public[r])
	}
	for _, t := range w.tasks {
		var options []joint.Option
		for i := range agents {
			use := make([]float64, len(p.Capacity))
			for r, resource := range w.private {
				use[i*own+r] = float64(t.Needs[resource])
			}
			for r, resource := range w.public {
				use[agents*own+r] = float64(t.Needs[resource])
			}
			options = append(options, joint.Option{Value: e.Values[agentName(i)][t.Name], Use: use})
		}
		p.Items = append(p.Items, options)
	}
	return p
}

// State returns all resources.
func (w *work) State(estimate string) joint.State {
	e, s := w.readEstimate(estimate), joint.State{}
	for i := range agents {
		for _, r := range w.private {
			s[agentName(i)+" "+r] = e.Private[agentName(i)][r]
		}
	}
	for _, r := range w.public {
		s[r] = e.Public[r]
	}
	return s
}

// Pooled returns the public resources.
func (w *work) Pooled() []string { return w.public }

// Items returns the tasks.
func (w *work) Items() []string {
	var names []string
	for _, t := range w.tasks {
		names = append(names, t.Name)
	}
	return names
}

// Resources returns the resources of Problem.
func (w *work) Resources() []string {
	var names []string
	for i := range agents {
		for _, r := range w.private {
			names = append(names, agentName(i)+"'s "+r)
		}
	}
	return append(names, w.public...)
}

// Proposal returns an object of tasks and agents, in the tasks' order.
func (w *work) Proposal(choice []int) envs.Proposal {
	var parts []string
	for i, o := range choice {
		if o >= 0 {
			parts = append(parts, fmt.Sprintf("%q:%q", w.tasks[i].Name, agentName(o)))
		}
	}
	return envs.Proposal("{" + strings.Join(parts, ",") + "}")
}

// Choice of a proposal: the agent of each task, or -1.
func (w *work) Choice(p envs.Proposal) []int {
	var given map[string]string
	choice := slices.Repeat([]int{-1}, len(w.tasks))
	if json.Unmarshal([]byte(p), &given) != nil {
		return choice
	}
	for i, t := range w.tasks {
		for agent := range agents {
			if given[t.Name] == agentName(agent) {
				choice[i] = agent
			}
		}
	}
	return choice
}

// Merged of what one agent knows is nothing.
func (w *work) Merged() string { return "" }
