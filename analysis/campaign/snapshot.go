package campaign

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/record"
)

// AnsweredBy is the label of groups that other models answered than were
// asked: a service has put another one behind the name while the campaign ran.
const AnsweredBy = "answered by"

// Answered is a model that a run asked, and those that answered by its name, as the
// service calls them.
type Answered struct{ Asked, By string }

// answered returns the models that a run asked, by name.
func answered(calls []record.Call) []Answered {
	names := map[string][]string{}
	for _, c := range calls {
		if c.Status == "answered" && !slices.Contains(names[c.ModelAsked], c.ModelAnswered) {
			names[c.ModelAsked] = append(names[c.ModelAsked], c.ModelAnswered)
		}
	}
	var all []Answered
	for _, asked := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[asked])
		all = append(all, Answered{asked, strings.Join(names[asked], " and ")})
	}
	return all
}

// bySnapshot splits the groups in which a name was answered by different models: what a
// service changed is not to be averaged away.
func bySnapshot(groups []Group) []Group {
	var all []Group
	for _, g := range groups {
		all = append(all, g.bySnapshot()...)
	}
	return all
}

func (g Group) bySnapshot() []Group {
	changed := g.changed()
	if len(changed) == 0 {
		return []Group{g}
	}
	var parts []Group
	first := g.firstSnapshots(changed)
	for _, r := range g.Runs {
		by := cmp.Or(r.snapshots(changed), first)
		i := slices.IndexFunc(parts, func(p Group) bool { return p.Settings[AnsweredBy] == by })
		if i < 0 {
			parts = append(parts, Group{ID: g.ID, Settings: map[string]string{AnsweredBy: by}, Labels: g.Labels, Instances: g.Instances, Replicates: g.Replicates})
			i = len(parts) - 1
		}
		parts[i].Runs = append(parts[i].Runs, r)
		parts[i].Planned = len(parts[i].Runs)
	}
	for i := range parts {
		maps.Copy(parts[i].Settings, g.Settings)
	}
	parts[0].Planned += g.Pending() // which model will answer what is to come is not known
	parts[0].Earlier = g.Earlier
	return parts
}

// changed returns the names that were not answered by the same models in all runs. That a
// run asks other models than the next one, as where agents are drawn, is no change.
func (g Group) changed() map[string]bool {
	by, changed := map[string]string{}, map[string]bool{}
	for _, r := range g.Succeeded() {
		for _, a := range r.Answered {
			if first, known := by[a.Asked]; !known {
				by[a.Asked] = a.By
			} else if first != a.By {
				changed[a.Asked] = true
			}
		}
	}
	return changed
}

// firstSnapshots returns those of the first run that has some.
func (g Group) firstSnapshots(of map[string]bool) string {
	for _, r := range g.Runs {
		if by := r.snapshots(of); by != "" {
			return by
		}
	}
	return ""
}

// snapshots returns the models that answered the run by some names, in words; "" if it
// asked none of them, or has failed and so may not have asked all.
func (r Run) snapshots(of map[string]bool) string {
	if r.Status != record.Succeeded {
		return ""
	}
	var models []string
	for _, a := range r.Answered {
		if of[a.Asked] {
			models = append(models, a.By)
		}
	}
	return strings.Join(models, " and ")
}
