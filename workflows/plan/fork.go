package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Fork says which collaborations those of a condition continue, at which point they diverge, and
// what is changed there. It is part of the condition's identity.
type Fork struct {
	Campaign   string `json:"campaign"`
	Condition  string `json:"condition"`  // id of the condition in that campaign
	Replicates int    `json:"replicates"` // that the condition had
	Round      int    `json:"round,omitempty"`
	Entry      int    `json:"entry,omitempty"`
	// Was holds the former values of the condition's keys that are changed; null for one that was not
	// given.
	Was     ForkedKeys             `json:"was,omitempty"`
	Drop    []int                  `json:"drop,omitempty"`
	Remove  []protocol.Message     `json:"remove,omitempty"`
	Replace []protocol.Replacement `json:"replace,omitempty"`
}

// ForkedKeys are former values of a condition's keys, in JSON.
type ForkedKeys map[string]json.RawMessage

// Changed returns those of k whose values in now differ; nil if there are none.
func (k ForkedKeys) Changed(now Condition) ForkedKeys {
	var changed ForkedKeys
	values := Fields(now)
	for key, was := range k {
		is := values[key]
		if is == nil {
			is = json.RawMessage("null")
		}
		if string(is) == string(was) {
			continue
		}
		if changed == nil {
			changed = ForkedKeys{}
		}
		changed[key] = was
	}
	return changed
}

// IsControl reports whether the fork changes nothing, so that only chance differs.
func (f *Fork) IsControl() bool {
	return f != nil && len(f.Was)+len(f.Drop)+len(f.Remove)+len(f.Replace) == 0
}

// Origin returns the replicate of the original that a replicate of the fork continues: replicate
// modulo f.Replicates; replicate itself if f is nil.
func (f *Fork) Origin(replicate int) int {
	if f == nil || f.Replicates < 1 {
		return replicate
	}
	return replicate % f.Replicates
}

// OriginID returns the id of the collaboration that a cell continues.
func (f *Fork) OriginID(c Cell) string {
	return f.Condition + Cell{Instance: c.Instance, Replicate: f.Origin(c.Replicate)}.Suffix()
}

// Draws returns the replicate number under which answers after the fork are drawn and cached. It
// differs from those of the original, so even a fork without changes draws anew; replicate itself
// if f is nil.
func (f *Fork) Draws(replicate int) int {
	if f == nil {
		return replicate
	}
	return replicate + f.Replicates
}

// Draws returns the replicate number under which the condition's answers are drawn and cached;
// see Fork.Draws. The control same has numbers of its own.
func (c Condition) Draws(replicate int) int {
	if c.Control == Same {
		replicate += MaxCells // that no condition has, however far it is extended
	}
	return c.Fork.Draws(replicate)
}

// Original returns the condition that c is a fork of.
func (c Condition) Original() (Condition, error) {
	f := c.Fork
	keys := Fields(c)
	delete(keys, "fork")
	for key, was := range f.Was {
		if keys[key] = was; string(was) == "null" {
			delete(keys, key)
		}
	}
	var original Condition
	if err := json.Unmarshal(JSON(keys), &original); err != nil {
		return original, fmt.Errorf("the condition %s of %s: %w", f.Condition, f.Campaign, err)
	}
	if id := original.ID(); id != f.Condition {
		return original, fmt.Errorf("the condition %s of %s cannot be made again: what is said of it gives %s",
			f.Condition, f.Campaign, id)
	}
	return original, nil
}

// buildParts builds what drives a session of the condition.
func (c Condition) buildParts(plugins catalogue.Catalogue, agents int, seed uint64,
	stop func(stopping.Rule) stopping.Rule) (by protocol.Parts, err error) {
	if a := c.Agents; a != nil && len(a.Pool) > 0 && len(a.Pool) < agents {
		return by, fmt.Errorf("the pool has %d agents, the group %d", len(a.Pool), agents)
	}
	rule, err := c.BuildRule(plugins)
	if err != nil {
		return by, err
	}
	by.Setting = protocol.Setting{Agents: agents, Rule: rule, Seed: seed, Seats: SeatsOf(c.Seated(agents, seed)),
		Reasoning: c.Asks(), Hears: c.Control.Hears()}
	if by.Protocol, err = buildPlugin("protocol", plugins.Protocols, c.Protocol, by.Setting); err != nil {
		return by, err
	}
	rules, err := buildPlugin[stopping.Rule]("stopping rule", plugins.Stopping, c.Stop, struct{}{})
	if err != nil {
		return by, err
	}
	by.Stop = stop(rules)
	return by, nil
}

// Session starts a collaboration of that many agents; seed is the treatment's.
func (c Condition) Session(plugins catalogue.Catalogue, agents int, seed uint64) (*protocol.Session, error) {
	return c.newSession(plugins, agents, seed, func(stop stopping.Rule) stopping.Rule { return stop })
}

// newSession is Session with other stopping rules.
func (c Condition) newSession(plugins catalogue.Catalogue, agents int, seed uint64,
	stop func(stopping.Rule) stopping.Rule) (*protocol.Session, error) {
	by, err := c.buildParts(plugins, agents, seed, stop)
	if err != nil {
		return nil, err
	}
	f := c.Fork
	if f == nil {
		return protocol.Begin(by.Protocol, by.Setting, by.Stop)
	}
	original, err := c.Original()
	if err != nil {
		return nil, err
	}
	before, err := original.buildParts(plugins, agents, seed, stop)
	if err != nil {
		return nil, err
	}
	return protocol.BeginFork(protocol.Fork{Before: before, Round: f.Round, Entry: f.Entry, Drop: f.Drop,
		Remove: f.Remove, Replace: f.Replace}, by)
}

// Without are the ids of the forked campaign's collaborations that did not succeed. They cannot
// be continued, so their forks are not cells. Only forks have any.
type Without []string

// Set returns the ids as a set.
func (w Without) Set() map[string]bool {
	has := make(map[string]bool, len(w))
	for _, id := range w {
		has[id] = true
	}
	return has
}

// isLeftOut reports whether a cell goes on from one of some collaborations.
func (c Campaign) isLeftOut(without map[string]bool, cell Cell) bool {
	f := c.Conditions[cell.Condition].Fork
	return f != nil && without[f.OriginID(cell)]
}

// countLeftOut returns how many of a condition's cells are none, since what they would go on
// from did not succeed.
func (c Campaign) countLeftOut(condition int) (n int) {
	if len(c.Without) == 0 {
		return 0
	}
	without := c.Without.Set()
	for _, instance := range c.InstancesOf(condition) {
		for replicate := range c.ReplicatesOf(condition) {
			if c.isLeftOut(without, Cell{condition, instance, replicate}) {
				n++
			}
		}
	}
	return n
}

// withoutLeftOut returns the cells of an order but those that are left out.
func (c Campaign) withoutLeftOut(o Order) []Cell {
	without, all := c.Without.Set(), 0
	for i := range c.Conditions {
		all += c.plannedCells(i)
	}
	cells := make([]Cell, 0, all)
	for n := range all {
		if cell := o.cellAt(n); !c.isLeftOut(without, cell) {
			cells = append(cells, cell)
		}
	}
	return cells
}

// Origins returns the ids of the collaborations that a fork's cells continue, each once,
// including those in Without.
func (c Campaign) Origins() []string {
	c.Without = nil
	seen := map[string]bool{}
	var ids []string
	order := c.Order()
	for n := range c.Size() {
		cell := order.Cell(n)
		if f := c.Conditions[cell.Condition].Fork; f != nil && !seen[f.OriginID(cell)] {
			seen[f.OriginID(cell)] = true
			ids = append(ids, f.OriginID(cell))
		}
	}
	return ids
}

// lostOrigins names the collaborations from which cells of the recorded campaign go on
// that are left out now.
func (c Campaign) lostOrigins(recorded Campaign) []string {
	if len(c.Without) == 0 {
		return nil
	}
	was, without := recorded.Without.Set(), c.Without.Set()
	lost := slices.DeleteFunc(recorded.Origins(), func(id string) bool { return !without[id] || was[id] })
	if len(lost) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s did not succeed and would be left out, and the campaign has cells that continue from there", wording.Some(lost))}
}

// Course is what can be asked in collaborations of a condition: the steps of some plays, in
// which all always, never or sometimes agree, and nothing stops early.
type Course struct {
	plays [][]transcript.Entry
}

// Course plays a condition, its fork left out, with made-up acts of this many agents.
func (c Condition) Course(plugins catalogue.Catalogue, agents int) (all Course) {
	c.Fork = nil
	for _, agreement := range []func(entry int) int{
		func(entry int) int { return entry },
		func(int) int { return 0 },
		func(entry int) int { return entry % 2 },
	} {
		s, err := c.newSession(plugins, agents, 0, stopping.WithoutEnd)
		for err == nil && s.Outcome() == nil {
			for _, p := range s.Pending() {
				act := busiestAct(p)
				act.Key = fmt.Sprint(agreement(p.Entry))
				if err = s.Record(p.Entry, act); err != nil {
					break
				}
			}
		}
		if s != nil {
			all.plays = append(all.plays, s.Transcript().Entries)
		}
	}
	return all
}

// With returns what can be asked in c or other.
func (c Course) With(other Course) Course { return Course{slices.Concat(c.plays, other.plays)} }

// Entries returns the most entries of a play.
func (c Course) Entries() (most int) {
	for _, play := range c.plays {
		most = max(most, len(play))
	}
	return most
}

// Has reports whether m picks a message of a play.
func (c Course) Has(m protocol.Message) bool {
	if m.Entry != nil { // which one it is depends on the course
		return *m.Entry >= 0 && *m.Entry < c.Entries()
	}
	return slices.ContainsFunc(c.plays, func(play []transcript.Entry) bool {
		return slices.ContainsFunc(play, func(e transcript.Entry) bool { return m.Picks(e.Index, e.Step) })
	})
}

// Phases returns the phases in which there are messages.
func (c Course) Phases() (names []string) {
	for _, play := range c.plays {
		for _, e := range play {
			if protocol.IsMessage(e.Step) && !slices.Contains(names, e.Phase) {
				names = append(names, e.Phase)
			}
		}
	}
	return names
}
