package campaignfile

import (
	"maps"

	"go.yaml.in/yaml/v3"

	"roundtable/workflows/plan"
)

// expansion makes conditions of the combinations of a grid.
type expansion struct {
	p          *parser
	base       map[string]*yaml.Node // what all combinations start from
	axes       []axis
	defaults   pluginDefaults
	instances  instanceCounts
	replicates byEnvironment
	campaign   plan.Campaign  // its name and seed
	seen       map[string]int // index in added, by the condition's ID
	added      []expanded
	notes      []string
}

// expanded is a condition with what was found when it was checked.
type expanded struct {
	plan.Condition
	keys           map[string]*yaml.Node
	name           string // in errors
	agents, rounds int
	dealt          int // instances of its environment; 0 is as many as are asked for
	count          int // instances that it runs
	chosen         []int
	replicates     int // of each instance
	values         []plan.Value
	baseline       string // its title; "" for a group
}

// addPoints makes every combination a condition, checked.
func (x *expansion) addPoints(all []combination) {
	for _, at := range all {
		keys := maps.Clone(x.base)
		for _, set := range at.listAssignments() { // an error of the grid, not of the point
			x.p.setPath(keys, set.path, set.value)
		}
		x.defaults.apply(keys)
		made, errs := x.check(keys)
		if len(errs) > 0 {
			x.p.errs = x.p.errs.mergedWith(errs)
			continue
		}
		made.name, made.values = at.point.String(), at.shownValues(x.axes)
		if other, twice := x.seen[made.ID()]; twice {
			also := ""
			if string(plan.JSON(made.AllModels())) != string(plan.JSON(x.added[other].AllModels())) {
				also = "; where a model is served is not part of a condition: give the second server's model another " +
					"name, or run it as another campaign"
			}
			x.p.errs.add(at.node, at.key, "%s is the same condition as %s%s", made.name, x.added[other].name, also)
		}
		made.count, made.chosen = x.instances.countFor(x.p, at.point, made.Condition, made.dealt, x.campaign.Seed)
		made.replicates = x.replicates.numberFor(x.p, at.point, made.Condition, 1)
		x.add(made)
	}
	if len(x.added) == len(all) {
		x.instances.refuseUnused(x.p)
		x.replicates.refuseUnused(x.p)
		x.defaults.refuseUnused(x.p, x.listConditions())
	}
}

// check makes a condition of its keys, or says what is wrong with them.
func (x *expansion) check(keys map[string]*yaml.Node) (expanded, Errors) {
	before := x.p.errs
	x.p.errs = nil
	made := expanded{Condition: x.p.parseCondition(keys), keys: keys}
	stateDefaults(x.p.host.Catalogue, &made.Condition)
	fitted := maps.Clone(keys) // what the file gives is shown without a fit
	x.p.learn(&made.Condition, fitted, x.campaign.Name)
	made.agents, made.rounds, made.dealt = x.p.checkCondition(made.Condition, fitted, x.campaign)
	errs := x.p.errs
	x.p.errs = before
	return made, errs
}

func (x *expansion) add(made expanded) {
	x.seen[made.ID()] = len(x.added)
	x.added = append(x.added, made)
}

// addShared adds a condition that others may have added already: it runs the most
// instances and replicates that one of them asks for.
func (x *expansion) addShared(made expanded) {
	i, there := x.seen[made.ID()]
	if !there {
		x.add(made)
		return
	}
	was := &x.added[i]
	if was.count < made.count {
		was.count, was.chosen = made.count, made.chosen
	}
	was.replicates = max(was.replicates, made.replicates)
}

func (x *expansion) listConditions() []plan.Condition {
	var list []plan.Condition
	for _, e := range x.added {
		list = append(list, e.Condition)
	}
	return list
}

// writeTo gives a file the conditions.
func (x *expansion) writeTo(file *File) {
	var instances, replicates []int
	var chosen [][]int
	for _, e := range x.added {
		instances, chosen, replicates = append(instances, e.count), append(chosen, e.chosen),
			append(replicates, e.replicates)
		file.Agents, file.Rounds = append(file.Agents, e.agents), append(file.Rounds, e.rounds)
		file.Values = append(file.Values, e.values)
		file.baselines = append(file.baselines, e.baseline)
		file.given = append(file.given, givenSettings(e.keys))
	}
	file.Campaign.Conditions = x.listConditions()
	file.Campaign.Instances, file.Campaign.Chosen = instances, newChosen(chosen)
	if len(replicates) > 0 {
		file.Campaign.SetReplicates(replicates)
	}
	if size := file.Campaign.Size(); size > plan.MaxCells {
		x.p.errs.add(nil, "", "%d cells are planned; expected at most %d", size, plan.MaxCells)
	}
}
