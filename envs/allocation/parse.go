package allocation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
)

// Parse reads an allocation. A task that is named twice is an error.
func (s *session) Parse(text []byte) (envs.Proposal, error) {
	wrong := fmt.Errorf(`an allocation is an object of tasks and agents, as {%q: %q}`, s.tasks[0].Name, agentName(0))
	if !json.Valid(text) {
		return "", wrong
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", wrong
	}
	choice, given := slices.Repeat([]int{-1}, len(s.tasks)), map[int]bool{}
	for dec.More() {
		task, err := dec.Token()
		if err != nil {
			return "", wrong
		}
		var agent *string
		if dec.Decode(&agent) != nil {
			return "", wrong
		}
		key, _ := task.(string)
		i := slices.IndexFunc(s.tasks, func(t Template) bool { return strings.EqualFold(t.Name, strings.TrimSpace(key)) })
		if i < 0 {
			return "", fmt.Errorf("there is no such task; there are %s", strings.Join(s.Items(), ", "))
		}
		if given[i] {
			return "", fmt.Errorf("%s is given twice; expected once", s.tasks[i].Name)
		}
		given[i] = true
		if agent == nil {
			continue // nobody does it
		}
		if choice[i] = s.agentNamed(*agent); choice[i] < 0 {
			return "", fmt.Errorf("there is no such agent; there are %s, %s and %s", agentName(0),
				agentName(1), agentName(2))
		}
	}
	return s.Proposal(choice), nil
}

// agentNamed of that name, or -1.
func (s *session) agentNamed(called string) int {
	return slices.IndexFunc(s.Agents(), func(a envs.Agent) bool { return strings.EqualFold(a.Name, strings.TrimSpace(called)) })
}
