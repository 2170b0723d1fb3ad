package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// JoinedBy is the setting that holds the campaign's name in joined campaigns.
const JoinedBy = "campaign"

// namedByData are the environments whose instances are named in their data, so that the
// name means the same whatever the campaign's seed. Others deal theirs by the seed.
var namedByData = []string{"qa", "recsys"}

// Join returns several campaigns as one, in which conditions have their campaign's name, which must
// differ, as a setting. Instances that campaigns share keep one number, so that conditions of
// different campaigns are paired by them, and collaborations are named CAMPAIGN/ID. Trajectories
// are joined too. Other parts of a campaign, such as the embedder of its measures, must be equal:
// the first campaign's are taken.
func Join(campaigns ...Campaign) (Campaign, error) {
	j := Campaign{Earlier: map[string]int{}, Axes: map[string]string{}, Sources: campaigns}
	if len(campaigns) > 0 {
		j.Parts = campaigns[0].Parts
	}
	var trajectories Trajectories
	var names []string
	for _, c := range campaigns {
		if slices.Contains(names, c.Name) {
			return j, fmt.Errorf("campaign %s is compared with itself", c.Name)
		}
		names = append(names, c.Name)
		if err := j.add(c); err != nil {
			return j, err
		}
		if err := trajectories.add(c); err != nil {
			return j, err
		}
	}
	j.Name = wording.And(names)
	numbers := numbering{}
	for i := range j.Runs {
		j.Runs[i].Instance = numbers.numberOf(j.Runs[i])
	}
	trajectories.numberInstances(j.Runs)
	Keep(&j.Parts, trajectories)
	j.Joined = sharedNotes(names, j.Runs)
	return j, nil
}

// qualifiedName returns what a condition or collaboration of the campaign is called next to those
// of others.
func (c Campaign) qualifiedName(id string) string { return c.Name + "/" + id }

// add takes the conditions and runs of a campaign over, under names of their own.
func (c *Campaign) add(other Campaign) error {
	named := func(settings []byte) ([]byte, error) {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(settings, &all); err != nil {
			return nil, fmt.Errorf("the settings of a condition of campaign %s: %w", other.Name, err)
		}
		name, err := json.Marshal(other.Name)
		if err != nil {
			return nil, err
		}
		all[JoinedBy] = name
		return json.Marshal(all)
	}
	for _, p := range other.Planned {
		settings, err := named(p.Settings)
		if err != nil {
			return err
		}
		p.Condition, p.Settings = other.qualifiedName(p.Condition), settings
		c.Planned = append(c.Planned, p)
	}
	for _, r := range other.Runs {
		settings, err := named([]byte(r.SettingsJSON))
		if err != nil {
			return err
		}
		r.CampaignID, r.ConditionID, r.CollaborationID, r.SettingsJSON = other.Name, other.qualifiedName(r.ConditionID),
			other.qualifiedName(r.CollaborationID), string(settings)
		c.Runs = append(c.Runs, r)
	}
	for condition, n := range other.Earlier {
		c.Earlier[other.qualifiedName(condition)] = n
	}
	for setting, axis := range other.Axes {
		if _, known := c.Axes[setting]; !known {
			c.Axes[setting] = axis
		}
	}
	return nil
}

// same is what two runs must have in common to be about the same instance.
type same struct {
	environment, id string
	hash            string // of the question; nothing else counts where there is one
	index           int32
	seed            int64
}

func sameOf(r Run) same {
	if r.InstanceHash != nil {
		return same{environment: r.Environment, hash: *r.InstanceHash}
	}
	if slices.Contains(namedByData, r.Environment) && r.InstanceID != "" {
		return same{environment: r.Environment, id: r.InstanceID}
	}
	return same{environment: r.Environment, id: r.InstanceID, index: r.Instance, seed: r.Seed}
}

// numbering gives the same instance one number in all campaigns: the one that it has in
// the first campaign that has it, or a free one.
type numbering struct {
	numbers map[same]int32
	taken   map[string]map[int32]holder // by environment: who has the number
}

// holder is the campaign that has a number, and the instance that it first stood for there.
type holder struct {
	campaign string
	is       same
}

// numberInstances gives the instances of one campaign numbers by which they are paired: equal
// questions of two data sets have one, and different ones have two.
func numberInstances(runs []Run) {
	numbers := numbering{}
	for i := range runs {
		if runs[i].InstanceHash != nil {
			runs[i].Instance = numbers.numberOf(runs[i])
		}
	}
}

// namesakeNotes say which instances have one id and are different questions.
func namesakeNotes(runs []Run) []string {
	hashes := map[string]map[string]bool{} // by id
	for _, r := range runs {
		if r.InstanceHash != nil {
			if hashes[r.InstanceID] == nil {
				hashes[r.InstanceID] = map[string]bool{}
			}
			hashes[r.InstanceID][*r.InstanceHash] = true
		}
	}
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(hashes)) {
		if len(hashes[id]) > 1 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s stand for questions that differ in their text or right answer",
		wording.Count(len(ids), "id"))
	if len(ids) == 1 {
		text = "1 id stands for questions that differ in their text or right answer"
	}
	return []string{text + " (" + wording.Clip(strings.Join(ids, ", ")) +
		"): these are not paired. Questions are paired by what they ask, not by their ids."}
}

func (n *numbering) numberOf(r Run) int32 {
	if n.numbers == nil {
		n.numbers, n.taken = map[same]int32{}, map[string]map[int32]holder{}
	}
	is := sameOf(r)
	if number, known := n.numbers[is]; known {
		return number
	}
	taken := n.taken[r.Environment]
	if taken == nil {
		taken = map[int32]holder{}
		n.taken[r.Environment] = taken
	}
	number := r.Instance
	for has, held := taken[number]; held && (has.campaign != r.CampaignID || is.hash != "" && has.is != is); has,
		held = taken[number] {
		number++ // without hashes two data sets of one campaign count alike
	}
	taken[number], n.numbers[is] = holder{r.CampaignID, is}, number
	return number
}

// sharedNotes say of each two campaigns, by environment, how many instances they share.
func sharedNotes(names []string, runs []Run) []string {
	type place struct{ campaign, environment string }
	instances := map[place]map[same]bool{}
	var environments []string
	for _, r := range runs {
		at := place{r.CampaignID, r.Environment}
		if instances[at] == nil {
			instances[at] = map[same]bool{}
		}
		instances[at][sameOf(r)] = true
		if !slices.Contains(environments, r.Environment) {
			environments = append(environments, r.Environment)
		}
	}
	var notes []string
	for i, a := range names {
		for _, b := range names[i+1:] {
			var parts []string
			for _, environment := range environments {
				if part := sharedText(environment, instances[place{a, environment}],
					instances[place{b, environment}]); part != "" {
					parts = append(parts, part)
				}
			}
			if len(parts) == 0 {
				parts = []string{"no environment in common, so no condition of one is compared with one of the other"}
			}
			notes = append(notes, fmt.Sprintf("Campaigns %s and %s: %s.", a, b, strings.Join(parts, "; ")))
		}
	}
	return notes
}

// sharedText says how many instances of an environment two campaigns share; "" if one has none.
func sharedText(environment string, a, b map[same]bool) string {
	if len(a) == 0 || len(b) == 0 {
		return ""
	}
	both, seeds := 0, map[int64]bool{}
	for is := range a {
		if b[is] {
			both++
		}
		seeds[is.seed] = true
	}
	for is := range b {
		seeds[is.seed] = true
	}
	switch {
	case both > 0:
		return fmt.Sprintf("%s: %s in common (of %d and %d), over which conditions of one are paired with those of the other", environment, wording.Count(both, "instance"), len(a), len(b))
	case len(seeds) > 1:
		return environment + ": no instance in common, since their seeds deal different ones, so no condition of one " +
			"is compared with one of the other"
	}
	return environment + ": no instance in common, so no condition of one is compared with one of the other"
}
