package allocation

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// The database, authored for this project in the measure of paper 3's: three
// domains with 14 task templates, four private and four public resources and
// six personas each (§2.3).
//
//go:embed data/teamwork.json
var teamworkJSON string

// Domain is research, cafeteria or camping.
type Domain struct {
	Name     string     `json:"name"`
	Private  []string   `json:"private"` // resources that each agent has for itself
	Public   []Public   `json:"public"`
	Personas []Persona  `json:"personas"`
	Tasks    []Template `json:"tasks"`
}

// Public is a resource that the team shares; Fragment is the range of what one agent brings.
type Public struct {
	Name     string `json:"name"`
	Fragment [2]int `json:"fragment"`
}

// Persona is who an agent can be: ranges of its efficiency by kind of task and of its private resources.
type Persona struct {
	Name       string                `json:"name"`
	Efficiency map[string][2]float64 `json:"efficiency"`
	Private    map[string][2]int     `json:"private"`
}

// Template of a task: what it is worth at an efficiency of 1, and what it needs of both sorts of resources.
type Template struct {
	Name  string         `json:"name"`
	Kind  string         `json:"kind"`
	Value float64        `json:"value"`
	Needs map[string]int `json:"needs"`
}

func loadDomains() ([]Domain, error) {
	var domains []Domain
	if err := json.Unmarshal([]byte(teamworkJSON), &domains); err != nil {
		return nil, fmt.Errorf("allocation: data/teamwork.json: %w", err)
	}
	return domains, nil
}
