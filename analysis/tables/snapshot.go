package tables

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// answeredBy is the label of groups that other models answered than were
// asked: a service has put another one behind the name while the campaign ran.
const answeredBy = "answered by"

// bySnapshot splits the groups whose collaborations were answered by different
// models: what a service changed is not to be averaged away.
func bySnapshot(groups []group) []group {
	var all []group
	for _, g := range groups {
		all = append(all, g.bySnapshot()...)
	}
	return all
}

func (g group) bySnapshot() []group {
	var parts []group
	for _, r := range g.runs {
		by := ""
		if r.Status == succeeded { // one that failed had not asked all of its models
			by = snapshots(r.AnsweredBy)
		}
		i := slices.IndexFunc(parts, func(p group) bool { return by == "" || p.settings[answeredBy] == by })
		if i < 0 {
			parts = append(parts, group{condition: g.condition, settings: map[string]string{answeredBy: by}, labels: g.labels, instances: g.instances, replicates: g.replicates})
			i = len(parts) - 1
		}
		parts[i].runs = append(parts[i].runs, r)
		parts[i].planned = len(parts[i].runs)
	}
	if len(parts) < 2 {
		return []group{g}
	}
	for i := range parts {
		maps.Copy(parts[i].settings, g.settings)
	}
	parts[0].planned += g.pending() // which model will answer what is to come is not known
	parts[0].earlier = g.earlier
	return parts
}

// snapshots are the models that answered a collaboration, in words; "" if none did.
func snapshots(list string) string {
	var models []string
	if json.Unmarshal([]byte(list), &models) != nil {
		return ""
	}
	return strings.Join(models, " and ")
}
