package numeric

import (
	"encoding/json"
	"slices"
	"strconv"

	"roundtable/analysis/campaign"
)

// noPersonality is that of an agent that was given none.
const noPersonality = "none"

// personalityOf of an agent of a consensus, as the settings of its condition give
// them: a list, or counts of stubborn and then suggestible agents.
func personalityOf(g campaign.Group, agent int) string {
	var list []string
	if json.Unmarshal([]byte(g.Settings["env.personalities"]), &list) == nil && len(list) > 0 {
		if agent < len(list) {
			return list[agent]
		}
		return noPersonality
	}
	for _, name := range []string{"stubborn", "suggestible"} {
		n, _ := strconv.Atoi(g.Settings["env."+name])
		if agent < n {
			return name
		}
		agent -= n
	}
	return noPersonality
}

// personalitiesIn that agents of a group have, in the order of agents.
func personalitiesIn(g campaign.Group) []string {
	var names []string
	for _, r := range g.Runs {
		for agent := range int(r.Agents) {
			if name := personalityOf(g, agent); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
