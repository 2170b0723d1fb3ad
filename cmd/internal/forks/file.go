// Package forks writes the campaign files of forks. A fork, which continues another campaign's collaborations,
// is an ordinary campaign: it is run and read like any other.
package forks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Request says which campaign is forked, at which point, and what is changed there.
type Request struct {
	Campaign   string
	Name       string // of the fork; "" for the campaign's with -fork
	At         string // round=N or entry=N
	Conditions []string
	Replicates int
	Set        []string // KEY=VALUE; together with Drop, Remove and Replace it makes one change
	Drop       []string
	Remove     []string // round=N,agent=NAME,phase=WORD,entry=N
	Replace    []string // likewise, each with its Text
	Text       []string
	Changes    []string // each a change as in a campaign file
	Control    bool     // adds a control: a fork without a change
	CostUSD    *float64 // cap; nil is none
}

// File is the campaign file of a fork.
type File struct {
	Name       string                    `json:"name"`
	Replicates int                       `json:"replicates,omitempty"`
	Fork       Block                     `json:"fork"`
	Limits     plan.Limits               `json:"limits,omitzero"`
	Prices     map[string]campaign.Price `json:"prices,omitempty"`
	Cost       string                    `json:"cost,omitempty"`
}

// Block is the value of the key fork in a campaign file.
type Block struct {
	Campaign   string         `json:"campaign"`
	At         map[string]int `json:"at,omitempty"`
	Conditions []string       `json:"conditions,omitempty"`
	Changes    []any          `json:"changes,omitempty"`
}

// NewFile returns the file of the requested fork, given the plan and the manifest of the original campaign.
func (r Request) NewFile(p campaign.Plan, m campaign.Manifest) (File, error) {
	f := Begin(r.Campaign, p, m)
	if f.Name = r.Campaign + "-fork"; r.Name != "" {
		f.Name = r.Name
	}
	if r.Replicates > 1 {
		f.Replicates = r.Replicates
	}
	if usd := r.CostUSD; usd != nil && !(*usd > 0 && *usd <= 1e9) { // not a number is neither
		return f, fmt.Errorf("--cost-usd %v: expected US dollars, above 0 and at most 1000000000", *usd)
	}
	f.Limits.CostUSD = r.CostUSD
	var err error
	if r.At != "" {
		if f.Fork.At, err = readPoint(r.At); err != nil {
			return f, err
		}
	}
	if f.Fork.Conditions, err = r.chooseConditions(p, m, f.Fork.At["round"]); err != nil {
		return f, err
	}
	own, err := r.ownChange()
	if err != nil {
		return f, err
	}
	if r.Control && r.At == "" && len(r.Remove)+len(r.Replace) > 0 {
		return f, errors.New("--control continues from a point, and --remove and --replace name a message: give " +
			"--at, as entry=6 for the first entry after the message")
	}
	if r.Control || len(own) == 0 && len(r.Changes) == 0 {
		f.Fork.Changes = append(f.Fork.Changes, map[string]any{})
	}
	if len(own) > 0 {
		f.Fork.Changes = append(f.Fork.Changes, own)
	}
	for _, text := range r.Changes {
		var change map[string]any
		if err := yaml.Unmarshal([]byte(text), &change); err != nil {
			return f, fmt.Errorf("--change %s: expected a mapping, as {set: {rule: ranked}} or {drop: [Alex]}", text)
		}
		f.Fork.Changes = append(f.Fork.Changes, change)
	}
	return f, nil
}

// chooseConditions returns the ids of the conditions that are named by id or label; none is all. Where
// none is named and some have too few rounds, it is the only group that has enough.
func (r Request) chooseConditions(p campaign.Plan, m campaign.Manifest, round int) ([]string, error) {
	var all, groups, ids []string
	byName, short, longest := map[string][]string{}, false, 0
	for i, c := range p.Campaign.Conditions {
		id, label := c.ID(), m.Label(c.ID())
		byName[id], byName[label] = append(byName[id], id), append(byName[label], id)
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", id, inParentheses(label, p.Rounds[i]))))
		short, longest = short || p.Rounds[i] < round, max(longest, p.Rounds[i])
		if p.Rounds[i] >= round && c.Control == "" && m.AxisLabels[id]["baseline"] == "" {
			groups = append(groups, id)
		}
	}
	var names []string
	for _, text := range r.Conditions {
		if byName[text] != nil { // a label may have a comma
			names = append(names, text)
		} else {
			names = append(names, strings.Split(text, ",")...)
		}
	}
	for _, name := range names {
		found := byName[name]
		if len(found) != 1 {
			return nil, fmt.Errorf("--condition %s: expected the id of one condition, or a label that only it has:\n  %s", name, strings.Join(all, "\n  "))
		}
		ids = append(ids, found[0])
	}
	switch {
	case len(ids) > 0 || !short:
		return ids, nil
	case len(groups) == 1:
		return groups, nil
	case longest < round:
		return nil, fmt.Errorf("no condition has a round %d; the longest has %s", round,
			wording.Count(longest, "round"))
	}
	return nil, fmt.Errorf("not every condition has a round %d: name those to fork with --condition:\n  %s", round,
		strings.Join(all, "\n  "))
}

func inParentheses(label string, rounds int) string {
	if label != "" {
		label += ", "
	}
	return "(" + label + wording.Count(rounds, "round") + ")"
}

// Begin returns the file of a fork of campaign name without changes: concurrency limits and prices are the
// campaign's, caps are not taken over.
func Begin(name string, p campaign.Plan, m campaign.Manifest) File {
	f := File{Fork: Block{Campaign: name},
		Limits: plan.Limits{Collaborations: m.Limits.Collaborations, Calls: m.Limits.Calls, Models: m.Limits.Models}}
	f.Prices = map[string]campaign.Price{}
	for _, c := range p.Campaign.Conditions {
		for _, model := range c.AllModels() {
			price, known := m.Prices[model.Name]
			if known {
				f.Prices[model.Name] = price
			} else if runs.IsChecked(model.Name) { // else nobody is paid for it
				f.Cost = "unknown"
			}
		}
	}
	return f
}

// readPoint reads round=N or entry=N.
func readPoint(text string) (map[string]int, error) {
	key, value, _ := strings.Cut(text, "=")
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || key != "round" && key != "entry" {
		return nil, fmt.Errorf("--at %s: expected round=N or entry=N, N at least 1", text)
	}
	return map[string]int{key: n}, nil
}

// ownChange returns the change of the flags that make one; none if none is given.
func (r Request) ownChange() (map[string]any, error) {
	change := map[string]any{}
	set := map[string]any{}
	for _, text := range r.Set {
		key, value, ok := strings.Cut(text, "=")
		var v any
		if !ok || key == "" || yaml.Unmarshal([]byte(value), &v) != nil {
			return nil, fmt.Errorf("--set %s: expected KEY=VALUE, as rule=ranked or protocol.rounds=8", text)
		}
		if _, twice := set[key]; twice {
			return nil, fmt.Errorf("--set %s: %s is set twice; give each change with --change, as {set: {%s: %s}}",
				text, key, key, value)
		}
		set[key] = v
	}
	if len(set) > 0 {
		change["set"] = set
	}
	if len(r.Drop) > 0 {
		change["drop"] = r.Drop
	}
	var removed []any
	for _, text := range r.Remove {
		m, err := readMessage("--remove", text)
		if err != nil {
			return nil, err
		}
		removed = append(removed, m)
	}
	if len(removed) > 0 {
		change["remove"] = removed
	}
	if len(r.Replace) != len(r.Text) {
		return nil, fmt.Errorf("--replace and --text go together, which message and what stands in its place: "+
			"expected as many of each, got %d and %d", len(r.Replace), len(r.Text))
	}
	var replaced []any
	for i, text := range r.Replace {
		m, err := readMessage("--replace", text)
		if err != nil {
			return nil, err
		}
		m["text"] = r.Text[i]
		replaced = append(replaced, m)
	}
	if len(replaced) > 0 {
		change["replace"] = replaced
	}
	return change, nil
}

// readMessage reads round=2,agent=Alex.
func readMessage(flag, text string) (map[string]any, error) {
	m := map[string]any{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || value == "" || !slices.Contains([]string{"round", "agent", "phase", "entry"}, key) {
			return nil, fmt.Errorf("%s %s: expected round=N, agent=NAME, phase=WORD, entry=N or several of them with commas", flag, text)
		}
		if m[key] != nil {
			return nil, fmt.Errorf("%s %s: %s is given twice", flag, text, key)
		}
		if m[key] = value; key == "agent" || key == "phase" {
			continue
		}
		n, err := strconv.Atoi(value)
		if m[key] = n; err != nil || n < 0 || n == 0 && key == "round" {
			return nil, fmt.Errorf("%s %s: %s is %s; rounds are counted from 1, entries from 0", flag, text, key, value)
		}
	}
	return m, nil
}

// YAML returns the file as YAML, its keys in the usual order.
func (f File) YAML() ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil { // JSON is YAML, in its order
		return nil, err
	}
	styleByHand(&doc)
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	err = e.Encode(&doc)
	return text.Bytes(), err
}

// styleByHand gives nodes the style of a file that is written by hand.
func styleByHand(n *yaml.Node) {
	if n.Style &^= yaml.FlowStyle; n.Kind == yaml.ScalarNode {
		n.Style = 0
	}
	if len(n.Content) == 0 && n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	for _, inner := range n.Content {
		styleByHand(inner)
	}
}

// ownHeader begins files that attribute writes again as it goes on.
const ownHeader = "# Written by roundtable attribute, which rewrites it when it continues.\n"

// WriteOwn writes the file to path, and replaces one that attribute wrote earlier; another file is an error.
func (f File) WriteOwn(path string) error {
	text, err := f.YAML()
	if err != nil {
		return err
	}
	there, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(there) > 0 && !bytes.HasPrefix(there, []byte(ownHeader)) {
		return cli.UsageError(fmt.Errorf("%s is there and was not written by attribute; give --name NAME", path))
	}
	return cli.WriteFile(path, append([]byte(ownHeader), text...))
}

// Write writes the file to path; isNew is false if the same file is already there. Another file there is an
// error.
func (f File) Write(path string) (isNew bool, err error) {
	text, err := f.YAML()
	if err != nil {
		return false, err
	}
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := cli.WriteFile(path, text); err != nil {
			return false, cli.UsageError(fmt.Errorf("the campaign file of the fork cannot be written: %w; give "+
				"--name NAME or -o FILE", err))
		}
		return true, nil
	case err != nil:
		return false, err
	case !bytes.Equal(there, text):
		return false, cli.UsageError(fmt.Errorf("%s is there and says something else; run it with `roundtable run "+
			"%s`, or give --name NAME or -o FILE", path, path))
	}
	return false, nil
}
