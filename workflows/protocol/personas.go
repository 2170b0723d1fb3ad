package protocol

import (
	"encoding/json"
	"errors"
	"fmt"

	"roundtable/envs"
)

// Personas are who the agents are told to be: "generated" for the task by a
// model, "neutral", "none", or a list of them by agent, in which "generated" and
// "neutral" may stand for one.
type Personas struct {
	Kind string
	List []Persona
}

// Persona is a role that an agent plays.
type Persona struct {
	Role        string `json:"role"`
	Description string `json:"description"`
	// word stands for the persona in a list: generated or neutral.
	word string
}

// MarshalJSON writes "generated" or "neutral", or the role and description.
func (p Persona) MarshalJSON() ([]byte, error) {
	if p.word != "" {
		return json.Marshal(p.word)
	}
	type fields Persona
	return json.Marshal(fields(p))
}

// UnmarshalJSON takes a word or a list.
func (p *Personas) UnmarshalJSON(data []byte) error {
	*p = Personas{}
	if json.Unmarshal(data, &p.Kind) == nil && string(data) != "null" {
		return nil
	}
	var items []json.RawMessage
	if p.Kind = "list"; json.Unmarshal(data, &items) != nil {
		return errPersonas
	}
	for _, item := range items {
		var one Persona
		if json.Unmarshal(item, &one.word) != nil {
			type fields Persona
			if envs.DecodeStrict(item)((*fields)(&one)) != nil { // a misspelt description would be lost without a word
				return errPersonas
			}
		}
		p.List = append(p.List, one)
	}
	return nil
}

// MarshalJSON writes the form that UnmarshalJSON takes.
func (p Personas) MarshalJSON() ([]byte, error) {
	if p.Kind == "list" {
		return json.Marshal(p.List)
	}
	return json.Marshal(p.Kind)
}

var errPersonas = errors.New("personas are generated, neutral, none, or a list with role and description of each (or " +
	"generated or neutral)")

func (p Personas) check(agents int) error {
	switch p.Kind {
	case "generated", "neutral", "none":
		return nil
	case "list":
	default:
		return fmt.Errorf("personas is %q; expected generated, neutral, none, or a list with role or description of "+
			"each (or generated, or neutral)", p.Kind)
	}
	if len(p.List) < agents {
		return fmt.Errorf("personas is a list of %d; the group has %d agents that are not neutral", len(p.List), agents)
	}
	for i, one := range p.List {
		switch {
		case one.word == "generated" || one.word == "neutral" || one.word == "" && one.Role != "":
		case one.word != "":
			return fmt.Errorf("personas is a list whose item %d is %q; expected generated, neutral, or role or "+
				"description", i+1, one.word)
		default:
			return fmt.Errorf("personas is a list whose item %d has no role", i+1)
		}
	}
	return nil
}

// authoredAgents returns the agents whose personas are written by a model, in the order in
// which they are written.
func (d *Discussion) authoredAgents() []int {
	var agents []int
	for agent := range d.setting.Agents - d.params.Neutral {
		if p := d.params.Personas; p.Kind == "generated" || p.Kind == "list" && p.List[agent].word == "generated" {
			agents = append(agents, agent)
		}
	}
	return agents
}

// countAuthored returns how many personas are written by a model.
func (d *Discussion) countAuthored() int { return len(d.authoredAgents()) }

// givenPersona returns the persona that the campaign gives an agent, see Traits.
func (d *Discussion) givenPersona(agent int) (Persona, bool) {
	switch p := d.params.Personas; {
	case agent >= d.setting.Agents-d.params.Neutral || p.Kind == "neutral":
		return Persona{}, true
	case p.Kind == "list" && p.List[agent].word == "generated":
		return Persona{}, false
	case p.Kind == "list" && p.List[agent].word == "neutral":
		return Persona{}, true
	case p.Kind == "list":
		return p.List[agent], true
	}
	return Persona{}, false
}
