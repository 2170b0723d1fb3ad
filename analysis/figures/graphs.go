package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/dialogue"
	"roundtable/envs/wording"
)

// Graphs is a figure of transitions between dialogue acts: one graph for each environment, or for
// each condition of one.
type Graphs struct {
	Name    string       `json:"name"` // as analyze --figure takes it
	Title   string       `json:"title"`
	Reading acts.Reading `json:"reading"` // of Equation 1
	// Labeller is whose labels the acts are.
	Labeller string   `json:"labeller"`
	Graphs   []Graph  `json:"graphs"`
	Notes    []string `json:"notes,omitempty"`

	simulated string // what the picture itself says of scripted agents
	print     vg.Length
}

// Fit returns the figure laid out for print at this width; 0 lays it out for a screen.
func (f Graphs) Fit(width vg.Length) Graphs {
	f.print = width
	return f
}

// Graph is all transitions of some collaborations, with those that are drawn.
type Graph struct {
	Title string      `json:"title"`
	N     int         `json:"n"`   // collaborations
	Drawn []acts.Edge `json:"top"` // of each act the most probable edge to another one
	acts.Graph
}

// TransitionNames returns the names of the figures of dialogue acts, which need labels.
func TransitionNames() []string {
	return []string{"transitions", "exchange-transitions", "recsys-transitions"}
}

// Formats returns the formats in which the figure of this name can be written; the first is the
// default.
func Formats(name string) []string {
	if slices.Contains(TransitionNames(), name) {
		return append(SheetFormats(), "dot")
	}
	return SheetFormats()
}

// flows says of each of TransitionNames what it is about.
var flows = map[string]struct{ title, environment string }{
	"transitions": {"Transitions between dialogue acts, by environment (Figure 22)", ""},
	"exchange-transitions": {"Transitions between dialogue acts in the exchange economy, by condition (Figure 23)",
		campaign.Exchange},
	"recsys-transitions": {"Transitions between dialogue acts in the recommendation system, by condition (Figure 24)",
		campaign.Recsys},
}

// MakeGraphs returns the figure of this name, one of TransitionNames, from the labels l under a
// reading of Equation 1; the error says why there is none.
func MakeGraphs(c campaign.Campaign, l dialogue.Labels, name string, reading acts.Reading) (Graphs, error) {
	flow, ok := flows[name]
	if !ok || !slices.Contains(acts.Readings(), reading) {
		return Graphs{}, fmt.Errorf("unknown figure %q of transitions in the reading %q; expected %s, each for %s",
			name, reading, wording.Or(TransitionNames()), wording.Or(acts.Readings()))
	}
	f := Graphs{Name: name, Title: flow.title, Reading: reading, Labeller: l.Labeller}
	conditions, varying := c.Conditions(flow.environment)
	unlabelled := 0
	byTitle := map[string][]acts.ActsByRound{}
	var titles []string
	for _, condition := range conditions {
		title := wording.SafeLine(condition.Shown("env"))
		if flow.environment != "" {
			title = cmp.Or(strings.Join(describeSettings(condition, varying), ", "),
				"rule "+wording.SafeLine(condition.Shown("rule")))
		}
		talks, missing := l.Of(condition.Runs)
		unlabelled += missing
		if len(talks) > 0 && !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
		byTitle[title] = append(byTitle[title], talks...)
	}
	for _, title := range titles {
		g := acts.Transitions(byTitle[title], reading)
		f.Graphs = append(f.Graphs, Graph{title, len(byTitle[title]), g.Top(), g})
	}
	if len(f.Graphs) == 0 {
		return f, fmt.Errorf("figure %s shows labelled messages of %s; campaign %s has none by %s that succeeded", name,
			cmp.Or(flow.environment, "any environment"), c.Name, l.Labeller)
	}
	f.addRemarks(c.Remarks(flow.environment), l.Remarks(unlabelled))
	return f, nil
}

// StackGraphs joins figures of several campaigns into one, in which each graph has its campaign's
// name, from names.
func StackGraphs(names []string, all []Graphs) Graphs {
	f := all[0]
	if len(all) == 1 {
		return f
	}
	f.Graphs, f.Notes = nil, nil
	for i, from := range all {
		for _, g := range from.Graphs {
			g.Title = wording.SafeLine(names[i]) + ", " + g.Title
			f.Graphs = append(f.Graphs, g)
		}
		for _, note := range from.Notes {
			if !slices.Contains(f.Notes, note) {
				f.Notes = append(f.Notes, note)
			}
		}
		if from.Labeller != f.Labeller {
			f.Labeller += ", " + from.Labeller
		}
		f.simulated = cmp.Or(f.simulated, from.simulated)
	}
	return f
}

func (f *Graphs) addRemarks(campaign, labels []string) {
	for _, remark := range slices.Concat(campaign[:min(1, len(campaign))], labels[:1]) {
		if strings.HasPrefix(remark, "SIMULATED") && f.simulated == "" {
			f.simulated = remark
		}
	}
	f.Notes = slices.Concat(labels, []string{
		"Drawn: of each act the most probable edge to another one; of two alike the first act's. Of the agents that " +
			"show an act in a round, the share " + counted[f.Reading] + " in the next.",
	}, campaign)
}

var counted = map[acts.Reading]string{
	acts.Anyone: "whom any other agent answers with the other act",
	acts.Each:   "of their pairs with other agents in which the other shows the other act",
}

// AllGraphs returns the figures of dialogue acts that a campaign has data for; l are its labels.
func AllGraphs(c campaign.Campaign, l dialogue.Labels) []Graphs {
	var all []Graphs
	for _, name := range TransitionNames() {
		if f, err := MakeGraphs(c, l, name, acts.Anyone); err == nil && (name == "transitions" || len(f.Graphs) > 1) {
			all = append(all, f)
		}
	}
	return all
}
