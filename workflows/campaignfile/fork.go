package campaignfile

import (
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
)

// ForkBlock is the key fork of a campaign file: its collaborations continue those of another
// campaign. Each change makes one condition of each forked one.
type ForkBlock struct {
	Campaign   string       `json:"campaign"`
	At         ForkPoint    `json:"at"`
	Conditions []string     `json:"conditions"` // ids in that campaign; empty means all
	Changes    []ForkChange `json:"changes"`    // empty means one change that changes nothing
}

// ForkPoint is the round or entry at which collaborations diverge from the original.
type ForkPoint struct {
	Round int `json:"round"`
	Entry int `json:"entry"`
}

// ForkChange is what changes from the fork's point on. One that changes nothing is a control: it
// shows chance alone.
type ForkChange struct {
	Label     string            `json:"label"`
	At        *ForkPoint        `json:"at"`  // replaces the block's
	Set       ForkSettings      `json:"set"` // keys of a condition, also dotted ones
	Drop      []string          `json:"drop"`
	Remove    []ForkMessage     `json:"remove"`
	Replace   []ForkReplacement `json:"replace"`
	Instances []int             `json:"instances"` // by number; empty means all of the original's
}

// ForkSettings are new values of keys of a condition.
type ForkSettings map[string]any

// ForkMessage picks messages; a field that is missing matches any.
type ForkMessage struct {
	Round int    `json:"round"`
	Agent string `json:"agent"`
	Phase string `json:"phase"`
	Entry *int   `json:"entry"`
}

// ForkReplacement picks messages, as ForkMessage does, and the text that replaces them.
type ForkReplacement struct {
	Round int    `json:"round"`
	Agent string `json:"agent"`
	Phase string `json:"phase"`
	Entry *int   `json:"entry"`
	Text  string `json:"text"`
}

// Forked is a recorded campaign that a file forks.
type Forked struct {
	Campaign    plan.Campaign
	Data        string // folder of its data set; "" if it has none
	DataFiles   fs.FS  // the data set as it was recorded; nil if it has none
	PrivateData bool
}

// besideFork are the keys that a file with a fork can have.
var besideFork = []string{"name", "fork", "replicates", "limits", "notify", "card", "embedder", "labels", "prices",
	"cost", "cache_scope", "extends"}

// forking makes the conditions of a fork.
type forking struct {
	*expansion
	node       *yaml.Node
	block      ForkBlock
	of         plan.Campaign
	replicates map[string]int // of the original's conditions, when they were first forked
	times      int            // each of these is gone on from
}

// parseFork reads a file whose collaborations go on from another campaign's.
func (p *parser) parseFork(top *yaml.Node, replicates byEnvironment, file *File) {
	n := valueOf(top, "fork")
	for i := 0; i+1 < len(top.Content); i += 2 {
		if key := top.Content[i]; !slices.Contains(besideFork, key.Value) && slices.Contains(Keys(), key.Value) {
			p.errs.add(key, key.Value, "comes from the campaign that is forked; what differs from it stands under "+
				"fork.changes")
		}
	}
	f := forking{node: n, replicates: map[string]int{}, times: 1}
	if len(replicates.named) > 0 {
		p.errs.add(valueOf(top, "replicates"), "replicates",
			"is a mapping; a fork has one number, how often each replicate of the original is gone on from")
	} else if replicates.all != nil {
		f.times = replicates.count[replicates.all]
	}
	decodeNode(n, "fork", reflect.ValueOf(&f.block), &p.errs)
	if len(p.errs) > 0 {
		return
	}
	if f.block.Campaign == "" || p.host.Forked == nil {
		p.errs.add(n, "fork.campaign", "is missing; it is the name of a campaign in the lake")
		return
	}
	of, err := p.host.Forked(f.block.Campaign)
	if err != nil {
		p.errs.add(valueOf(n, "campaign"), "fork.campaign", "%v", err)
		return
	}
	if slices.ContainsFunc(of.Campaign.Conditions, func(c plan.Condition) bool { return c.Fork != nil }) {
		p.errs.add(valueOf(n, "campaign"), "fork.campaign",
			"%s is a fork itself; fork the campaign that it continues, with its changes", f.block.Campaign)
		return
	}
	f.of = of.Campaign
	for j, c := range f.of.Conditions {
		f.replicates[c.ID()] = f.of.ReplicatesOf(j)
	}
	for _, c := range p.recorded {
		if c.Fork != nil {
			f.replicates[c.Fork.Condition] = c.Fork.Replicates
		}
	}
	p.recorded = append(slices.Clone(p.recorded), of.Campaign.Conditions...)
	file.Data, file.PrivateData, file.Fork = of.Data, of.PrivateData, f.block.Campaign
	file.DataFiles, p.data = of.DataFiles, of.DataFiles
	file.Campaign.Seed = of.Campaign.Seed
	f.expansion = &expansion{p: p, campaign: file.Campaign, seen: map[string]int{}}
	f.addAll()
	file.Campaign.Base, file.Campaign.Grid = f.extensionIdentity()
	if len(p.errs) == 0 {
		f.writeTo(file)
	}
}

// extensionIdentity returns what an extension of the fork must keep, and the grid of its changes.
func (f forking) extensionIdentity() ([]byte, []plan.Axis) {
	most := 0
	for _, j := range f.forkedConditions() {
		most = max(most, f.replicates[f.of.Conditions[j].ID()])
	}
	base := plan.JSON(map[string]any{"fork": map[string]any{
		"campaign": f.block.Campaign, "at": f.block.At, "conditions": f.block.Conditions, "replicates": most,
	}})
	change, origin := plan.Axis{Key: plan.ForkChangeAxis}, plan.Axis{Key: plan.ForkOriginAxis}
	for i := range f.listChanges() {
		change.Values = append(change.Values, f.canonicalChange(i))
	}
	for _, j := range f.forkedConditions() {
		origin.Values = append(origin.Values, plan.JSON(f.of.Conditions[j].ID()))
	}
	return base, []plan.Axis{origin, change}
}

// canonicalChange returns what a change is, without what is only shown, and without the
// instances, which may grow.
func (f forking) canonicalChange(change int) []byte {
	c := f.listChanges()[change]
	object := map[string]any{}
	for key, given := range map[string]any{"set": c.Set, "drop": c.Drop, "remove": c.Remove,
		"replace": c.Replace, "at": c.At} {
		if v := reflect.ValueOf(given); !v.IsZero() {
			object[key] = given
		}
	}
	return plan.JSON(object)
}

// listChanges returns the changes of the file; one that changes nothing if it names none.
func (f forking) listChanges() []ForkChange {
	if len(f.block.Changes) == 0 {
		return []ForkChange{{}}
	}
	return f.block.Changes
}

// forkedConditions returns which conditions of the original are forked.
func (f forking) forkedConditions() []int {
	var all []int
	for j, c := range f.of.Conditions {
		if len(f.block.Conditions) == 0 || slices.Contains(f.block.Conditions, c.ID()) {
			all = append(all, j)
		}
	}
	return all
}

// addAll makes each change of each condition that is forked a condition.
func (f forking) addAll() {
	for i, id := range f.block.Conditions {
		if !slices.ContainsFunc(f.of.Conditions, func(c plan.Condition) bool { return c.ID() == id }) {
			f.p.errs.add(f.node, fmt.Sprintf("fork.conditions[%d]", i), "%s has no condition %s; it has %s", f.of.Name,
				id, wording.Some(idsOf(f.of)))
		}
	}
	source := f.p.newSource("the campaign " + f.of.Name)
	for i, change := range f.listChanges() {
		for _, j := range f.forkedConditions() {
			f.addChange(i, change, j, source)
		}
	}
}

// nodeOf returns the node and the key of a change.
func (f forking) nodeOf(change int) (*yaml.Node, string) {
	if list := valueOf(f.node, "changes"); list != nil && change < len(list.Content) {
		return list.Content[change], fmt.Sprintf("fork.changes[%d]", change)
	}
	return f.node, "fork"
}

// addChange adds the condition that a change makes of one of the original's.
func (f forking) addChange(i int, change ForkChange, j, source int) {
	n, key := f.nodeOf(i)
	original := f.of.Conditions[j]
	keys := nodesOf(original, source)
	same, errs := f.check(keys)
	if len(errs) == 0 && same.ID() != original.ID() {
		errs.add(n, key, "the condition %s of %s means something else in this version of the program and cannot be forked", original.ID(), f.of.Name)
	}
	if len(errs) > 0 {
		f.p.errs = f.p.errs.mergedWith(errs)
		return
	}
	fork, ok := f.read(n, key, change, original)
	if !ok {
		return
	}
	if fork.Round > same.rounds {
		f.p.errs.add(n, key, "begins with round %d, and %s has %s; name the conditions to fork, in fork.conditions "+
			"or with --condition", fork.Round, original.ID(), wording.Count(same.rounds, "round"))
		return
	}
	set := valueOf(n, "set")
	for k := 0; set != nil && k+1 < len(set.Content); k += 2 {
		f.p.setPath(keys, set.Content[k].Value, set.Content[k+1])
	}
	made, errs := f.check(keys)
	if len(errs) > 0 {
		f.p.errs = f.p.errs.mergedWith(errs)
		return
	}
	if made.Protocol.Name != original.Protocol.Name {
		f.p.errs.add(n, key+".set.protocol",
			"is %s; a collaboration keeps its protocol (%s), of which parameters can be changed", made.Protocol.Name,
			original.Protocol.Name)
		return
	}
	fork.Was = fork.Was.Changed(made.Condition)
	if !f.checkMessages(n, key, fork, same, made) {
		return
	}
	made.Fork = fork
	f.finish(n, key, change, i, j, made)
}

// checkMessages refuses a point and messages that no collaboration can have; false if there
// are some.
func (f forking) checkMessages(n *yaml.Node, key string, fork *plan.Fork, original, made expanded) bool {
	before := len(f.p.errs)
	was := original.Course(f.p.host.Catalogue, original.agents)
	if most := was.Entries(); fork.Entry > 0 && fork.Entry >= most {
		f.p.errs.add(n, key, "begins with entry %d, and %s has %s at most, from 0", fork.Entry, original.ID(),
			wording.Count(most, "entry"))
	}
	all := made.Course(f.p.host.Catalogue, made.agents).With(was)
	check := func(key string, m protocol.Message) {
		if !all.Has(m) {
			f.p.errs.add(n, key, "picks no message: %s has messages in rounds 1 to %d, phases %s, among entries 0 to %d", original.ID(), max(original.rounds, made.rounds), wording.And(all.Phases()), all.Entries()-1)
		}
	}
	for k, m := range fork.Remove {
		check(fmt.Sprintf("%s.remove[%d]", key, k), m)
	}
	for k, r := range fork.Replace {
		check(fmt.Sprintf("%s.replace[%d]", key, k), r.Message)
	}
	return len(f.p.errs) == before
}

// finish adds a condition once it can be played.
func (f forking) finish(n *yaml.Node, key string, change ForkChange, i, j int, made expanded) {
	if _, err := made.MostCalls(f.p.host.Catalogue, made.agents); err != nil {
		f.p.errs.add(n, key, "%v", err)
		return
	}
	made.count, made.chosen = f.countInstances(n, key, change, j)
	made.replicates = made.Fork.Replicates * f.times
	made.name = f.label(change)
	made.values = []plan.Value{
		{Axis: plan.ForkOriginAxis, Value: plan.JSON(f.of.Conditions[j].ID())},
		{Axis: plan.ForkChangeAxis, Value: f.canonicalChange(i), Label: made.name},
	}
	if other, twice := f.seen[made.ID()]; twice {
		f.p.errs.add(n, key, "%s is the same as %s", made.name, f.added[other].name)
		return
	}
	f.add(made)
}

// countInstances returns how many instances a change runs, and which if it chooses them.
func (f forking) countInstances(n *yaml.Node, key string, change ForkChange, j int) (int, []int) {
	all := f.of.InstancesOf(j)
	if len(change.Instances) > 0 {
		for _, i := range change.Instances {
			if !slices.Contains(all, i) {
				f.p.errs.add(valueOf(n, "instances"), key+".instances", "has %d; %s runs %s", i,
					f.of.Conditions[j].ID(), wording.Count(len(all), "instance"))
			}
		}
		all = slices.Compact(slices.Sorted(slices.Values(change.Instances)))
	}
	if f.p.limit > 0 {
		all = all[:min(len(all), f.p.limit)]
	}
	return len(all), all
}

// read returns what a change says of a condition; false if something is wrong with it.
func (f forking) read(n *yaml.Node, key string, change ForkChange, original plan.Condition) (*plan.Fork, bool) {
	before := len(f.p.errs)
	at := f.block.At
	if change.At != nil {
		at = *change.At
	}
	fork := &plan.Fork{Campaign: f.of.Name, Condition: original.ID(), Replicates: f.replicates[original.ID()],
		Round: at.Round, Entry: at.Entry}
	switch {
	case at.Round < 0 || at.Entry < 0 || at.Round > 0 && at.Entry > 0:
		f.p.errs.add(n, key, "at is a round from 1, or an entry from 1: {round: 3} or {entry: 12}")
	case at.Round+at.Entry == 0 && len(change.Remove)+len(change.Replace) == 0:
		f.p.errs.add(n, "fork.at", "is missing; it is the first round that is run again, {round: 3}, or the first "+
			"entry, {entry: 12}")
	}
	f.readSet(n, key, fork, original)
	names := f.agentsOf(original)
	agent := func(name, key string) int {
		i := slices.Index(names, name)
		if i < 0 {
			f.p.errs.add(n, key, "unknown agent %q; expected %s", name, wording.Or(names))
		}
		return i
	}
	for _, name := range change.Drop {
		fork.Drop = append(fork.Drop, agent(name, key+".drop"))
	}
	slices.Sort(fork.Drop)
	if fork.Drop = slices.Compact(fork.Drop); len(fork.Drop) == len(names) && (at.Round > 1 || at.Entry > 0) {
		f.p.errs.add(n, key+".drop", "leaves nobody at the table")
	}
	picked := func(m ForkMessage, key string) protocol.Message {
		x := protocol.Message{Round: m.Round, Phase: m.Phase, Entry: m.Entry}
		if m.Agent != "" {
			x.Agent = new(agent(m.Agent, key+".agent"))
		}
		if m == (ForkMessage{}) {
			f.p.errs.add(n, key, "picks no message; say its round, agent, phase or entry")
		}
		return x
	}
	for k, m := range change.Remove {
		fork.Remove = append(fork.Remove, picked(m, fmt.Sprintf("%s.remove[%d]", key, k)))
	}
	for k, r := range change.Replace {
		name := fmt.Sprintf("%s.replace[%d]", key, k)
		if r.Text == "" {
			f.p.errs.add(n, name+".text", "is missing; it is what stands in place of the message")
		}
		fork.Replace = append(fork.Replace,
			protocol.Replacement{Message: picked(ForkMessage{r.Round, r.Agent, r.Phase, r.Entry}, name), Text: r.Text})
	}
	return fork, len(f.p.errs) == before
}

// readSet notes the keys that a change sets as they were, and refuses what cannot be changed.
func (f forking) readSet(n *yaml.Node, key string, fork *plan.Fork, original plan.Condition) {
	set := valueOf(n, "set")
	if set == nil {
		return
	}
	was := plan.Fields(original)
	for k := 0; k+1 < len(set.Content); k += 2 {
		path := set.Content[k].Value
		root, _, _ := strings.Cut(path, ".")
		if root == "env" || !slices.Contains(conditionKeys, root) {
			f.p.errs.add(set.Content[k], key+".set."+path,
				"cannot be changed in a fork; %s and keys within them (as protocol.rounds) can",
				wording.And(slices.DeleteFunc(plan.ConditionKeys(), func(k string) bool { return k == "env" })))
			continue
		}
		if fork.Was == nil {
			fork.Was = plan.ForkedKeys{}
		}
		if fork.Was[root] = was[root]; was[root] == nil {
			fork.Was[root] = []byte("null")
		}
	}
}

// agentsOf returns the names of a condition's agents.
func (f forking) agentsOf(c plan.Condition) []string {
	env := f.p.environmentOf(f.campaign.Name, c, nil)
	if env == nil {
		return nil
	}
	instance, err := env.Instance(f.campaign.Seed, 0)
	if err != nil {
		return nil
	}
	var names []string
	for _, a := range instance.Agents() {
		names = append(names, a.Name)
	}
	return names
}

// controlLabel is what a change is called that changes nothing.
const controlLabel = "as it was"

// label returns what a change is called: by the file, or by what it does.
func (f forking) label(c ForkChange) string {
	if c.Label != "" {
		return c.Label
	}
	var words []string
	for _, path := range slices.Sorted(maps.Keys(c.Set)) {
		words = append(words, path+" "+strings.Trim(string(plan.JSON(c.Set[path])), `"`))
	}
	if len(c.Drop) > 0 {
		words = append(words, "without "+wording.And(c.Drop))
	}
	for _, m := range c.Remove {
		words = append(words, m.String()+" removed")
	}
	for _, r := range c.Replace {
		words = append(words, ForkMessage{r.Round, r.Agent, r.Phase, r.Entry}.String()+" replaced")
	}
	if len(words) == 0 {
		words = []string{controlLabel}
	}
	if c.At != nil && c.At.Round > 0 {
		words = append(words, fmt.Sprintf("from round %d", c.At.Round))
	} else if c.At != nil && c.At.Entry > 0 {
		words = append(words, fmt.Sprintf("from entry %d", c.At.Entry))
	}
	return wording.Shorten(strings.Join(words, ", "))
}

// String says in words which messages are picked.
func (m ForkMessage) String() string {
	var words []string
	if m.Entry != nil {
		words = append(words, fmt.Sprintf("entry %d", *m.Entry))
	}
	if m.Phase != "" {
		words = append(words, m.Phase)
	}
	if m.Round > 0 {
		words = append(words, fmt.Sprintf("round %d", m.Round))
	}
	if m.Agent != "" {
		words = append(words, "of "+m.Agent)
	}
	return strings.Join(words, " ")
}

// idsOf returns the ids of a campaign's conditions.
func idsOf(c plan.Campaign) []string {
	var all []string
	for _, condition := range c.Conditions {
		all = append(all, condition.ID())
	}
	return all
}

// nodesOf returns a recorded condition as a file would say it, at a source without lines.
func nodesOf(c plan.Condition, source int) map[string]*yaml.Node {
	keys := map[string]*yaml.Node{}
	for key, value := range plan.Fields(c) {
		var doc yaml.Node
		if err := yaml.Unmarshal(value, &doc); err != nil {
			panic("plan: " + err.Error()) // JSON is YAML
		}
		n := plainNode(doc.Content[0])
		atSource(n, source)
		if name := valueOf(n, "name"); slices.Contains(choiceKeys, key) && (name == nil || name.Value == "") {
			continue // a protocol without a rule
		}
		keys[key] = n
	}
	return keys
}

// plainNode returns the node of a recorded value as a file has it: the parameters of a
// plug-in stand next to its name.
func plainNode(n *yaml.Node) *yaml.Node {
	params := valueOf(n, "params")
	if n.Kind == yaml.MappingNode && valueOf(n, "name") != nil && params != nil && len(n.Content) == 4 {
		n = &yaml.Node{Kind: yaml.MappingNode,
			Content: append([]*yaml.Node{keyNode(n, "name"), valueOf(n, "name")}, params.Content...)}
	}
	for i, inner := range n.Content {
		n.Content[i] = plainNode(inner)
	}
	return n
}
