package campaign

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/record"
)

// AnsweredBy is the label of groups that other models answered than were
// asked: a service has put another one behind the name while the campaign ran.
const AnsweredBy = "answered by"

// bySnapshot splits the groups whose collaborations were answered by different
// models: what a service changed is not to be averaged away.
func bySnapshot(groups []Group) []Group {
	var all []Group
	for _, g := range groups {
		all = append(all, g.bySnapshot()...)
	}
	return all
}

func (g Group) bySnapshot() []Group {
	var parts []Group
	for _, r := range g.Runs {
		by := ""
		if r.Status == record.Succeeded { // one that failed had not asked all of its models
			by = snapshots(r.AnsweredBy)
		}
		i := slices.IndexFunc(parts, func(p Group) bool { return by == "" || p.Settings[AnsweredBy] == by })
		if i < 0 {
			parts = append(parts, Group{ID: g.ID, Settings: map[string]string{AnsweredBy: by}, Labels: g.Labels, Instances: g.Instances, Replicates: g.Replicates})
			i = len(parts) - 1
		}
		parts[i].Runs = append(parts[i].Runs, r)
		parts[i].Planned = len(parts[i].Runs)
	}
	if len(parts) < 2 {
		return []Group{g}
	}
	for i := range parts {
		maps.Copy(parts[i].Settings, g.Settings)
	}
	parts[0].Planned += g.Pending() // which model will answer what is to come is not known
	parts[0].Earlier = g.Earlier
	return parts
}

// snapshots returns the models that answered a collaboration, in words; "" if none did.
func snapshots(list string) string {
	var models []string
	if json.Unmarshal([]byte(list), &models) != nil {
		return ""
	}
	return strings.Join(models, " and ")
}
