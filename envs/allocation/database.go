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

// Domain describes one kind of team: research, cafeteria or camping.
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

// Template is a kind of task: its value at an efficiency of 1, and the amounts of private and public
// resources that it needs.
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
