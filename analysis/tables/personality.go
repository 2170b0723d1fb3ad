package tables

import (
	"encoding/json"
	"slices"
	"strconv"
)

// noPersonality is that of an agent that was given none.
const noPersonality = "none"

// personality of an agent of a consensus, as the settings of its condition give
// them: a list, or counts of stubborn and then suggestible agents.
func (g group) personality(agent int) string {
	var list []string
	if json.Unmarshal([]byte(g.settings["env.personalities"]), &list) == nil && len(list) > 0 {
		if agent < len(list) {
			return list[agent]
		}
		return noPersonality
	}
	for _, name := range []string{"stubborn", "suggestible"} {
		n, _ := strconv.Atoi(g.settings["env."+name])
		if agent < n {
			return name
		}
		agent -= n
	}
	return noPersonality
}

// personalities that agents of a group have, in the order of agents.
func (g group) personalities() []string {
	var names []string
	for _, r := range g.runs {
		for agent := range int(r.Agents) {
			if name := g.personality(agent); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
