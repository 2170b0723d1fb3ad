package campaign

import (
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
)

// AnsweredBy is the setting that splits a condition whose service answered with a model other than
// the one asked for, having replaced it under the same name during the campaign.
const AnsweredBy = "answered by"

// Answered is a model that a run asked, and the models that answered, as the service calls them.
type Answered struct{ Asked, By string }

// modelsAnswering returns the models that a run asked, by name.
func modelsAnswering(calls []record.Call) []Answered {
	names := map[string][]string{}
	for _, c := range calls {
		if c.Status == "answered" && c.ModelAnswered != "" && !slices.Contains(names[c.ModelAsked], c.ModelAnswered) {
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
	changed := g.changedNames()
	if len(changed) == 0 {
		return []Group{g}
	}
	var parts []Group
	var known []map[string]string // by part: the models that answered the changed names
	for _, r := range g.Runs {
		by := r.answeredOf(changed)
		i := slices.IndexFunc(known, func(of map[string]string) bool { return isConsistent(of, by) })
		if i < 0 {
			i = len(parts)
			parts = append(parts, Group{ID: g.ID, Settings: maps.Clone(g.Settings), Labels: g.Labels,
				Instances: g.Instances, Replicates: g.Replicates})
			known = append(known, map[string]string{})
		}
		maps.Copy(known[i], by)
		parts[i].Runs = append(parts[i].Runs, r)
		parts[i].Planned = len(parts[i].Runs)
	}
	for i := range parts {
		var models []string
		for _, asked := range slices.Sorted(maps.Keys(known[i])) {
			models = append(models, known[i][asked])
		}
		parts[i].Settings[AnsweredBy] = strings.Join(models, " and ")
	}
	parts[0].Planned += g.Pending() // which model will answer what is to come is not known
	parts[0].Earlier = g.Earlier
	return parts
}

// isConsistent reports whether no name was answered by one model here and by another there.
func isConsistent(a, b map[string]string) bool {
	for asked, by := range a {
		if other, known := b[asked]; known && other != by {
			return false
		}
	}
	return true
}

// changedNames returns the names that were not answered by the same models in all runs. That a
// run asks other models than the next one, as where agents are drawn, is not a change.
func (g Group) changedNames() map[string]bool {
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

// answeredOf returns the models that answered the run by some names; none of a run that
// has failed, which may not have asked all.
func (r Run) answeredOf(names map[string]bool) map[string]string {
	by := map[string]string{}
	for _, a := range r.Answered {
		if names[a.Asked] && r.Status == record.Succeeded {
			by[a.Asked] = a.By
		}
	}
	return by
}
