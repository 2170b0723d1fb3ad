package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/numeric"
	"roundtable/envs/wording"
)

// ofStates are the figures of paper 5.
var ofStates = map[string]func(campaign.Campaign) (Figure, error){
	"bias": drawBias, "variance": drawVariance, "trajectories": drawTrajectories, "paths": drawPaths,
}

// errNothing says that a campaign has not what a figure shows.
func errNothing(c campaign.Campaign, what string) error {
	return fmt.Errorf("this figure needs %s; what has ended of campaign %s gives it nothing to draw", what, c.Name)
}

// drawBias returns Figure 4: every final value, as its distance from the mean of the
// starts, by the number of agents.
func drawBias(c campaign.Campaign) (Figure, error) {
	f := Figure{
		Title: "Final value minus mean of the starts, by number of agents (paper 5, Figure 4)",
		reading: "Dots: instances whose groups reached a consensus, each the mean of its replicates (replicates " +
			"where there is one instance), side by side for legibility. Marks: mean ± standard deviation.",
	}
	p := Panel{X: "agents", Y: "bias", Levels: []Level{{"mean of the starts", 0}}}
	families, varying := numeric.Families(c)
	for i, family := range families {
		line := Line{Name: nameBySettings(family.Condition, varying)}
		sizes := family.Sized(numeric.FinalBias)
		room := nearestSizes(sizes) * 0.8 / float64(len(families))
		line.beside = room * (float64(i) - float64(len(families)-1)/2)
		for _, size := range sizes {
			line.Points = append(line.Points, deviationPoint(size))
			for j, v := range size.Values {
				line.Dots = append(line.Dots, Spot{float64(size.Agents) + line.beside + 0.8*room*(spread(j)-0.5), v})
			}
		}
		if len(line.Dots) > 0 {
			p.Lines = append(p.Lines, line)
		}
	}
	if len(p.Lines) == 0 {
		return f, errNothing(c, needsOf("bias"))
	}
	f.Panels = []Panel{p}
	f.addRemarks(c.Remarks(""), "Bias: mean of the agents at the end minus mean of their starts, of groups on a line "+
		"that end within protocol.epsilon.", f.reading)
	return f, nil
}

// nearestSizes returns the least difference between numbers of agents.
func nearestSizes(sizes []numeric.Sized) float64 {
	least := 2.0
	for i := 1; i < len(sizes); i++ {
		least = min(least, float64(sizes[i].Agents-sizes[i-1].Agents))
	}
	return max(least, 1)
}

// deviationPoint returns the mean, one standard deviation to either side.
func deviationPoint(size numeric.Sized) Point {
	p := Point{Agents: size.Agents, N: len(size.Values)}
	e, ok := averageOf(size.Values)
	if !ok {
		return p
	}
	p.Value = &e.mean
	if v, _, ok := numeric.Variance(size.Values); ok {
		low, high := e.mean-math.Sqrt(v), e.mean+math.Sqrt(v)
		p.Low, p.High = &low, &high
	}
	return p
}

// drawVariance returns how the spread of Figure 4 falls with the number of agents.
func drawVariance(c campaign.Campaign) (Figure, error) {
	f := Figure{
		Title: "Variance of final values, by number of agents (paper 5, Figure 4)",
		reading: "Marks: variance with 95 % interval (χ²). Lines: fit of (variance of one) · agents^exponent; see " +
			"the table variance.",
	}
	p := Panel{X: "agents", Y: "variance"}
	families, varying := numeric.Families(c)
	for _, family := range families {
		sizes := family.Sized(numeric.Final)
		line := Line{Name: nameBySettings(family.Condition, varying)}
		for _, size := range sizes {
			if v, within, ok := numeric.Variance(size.Values); ok {
				line.Points = append(line.Points,
					Point{Agents: size.Agents, Value: &v, Low: &within.Low, High: &within.High, N: len(size.Values)})
			}
		}
		if fit, ok := numeric.Scale(sizes); ok {
			least, most := float64(slices.Min(fit.Agents)), float64(slices.Max(fit.Agents))
			for i := range 41 {
				n := least + (most-least)*float64(i)/40
				line.Track = append(line.Track, Spot{n, fit.Single.Value * math.Pow(n, fit.Exponent.Value)})
			}
		}
		if len(line.Track) > 0 {
			p.Lines = append(p.Lines, line)
		}
	}
	if len(p.Lines) == 0 {
		return f, errNothing(c, needsOf("variance"))
	}
	f.Panels = []Panel{p}
	f.addRemarks(c.Remarks(""), f.reading+
		" Over groups on a line that end within protocol.epsilon: instances, each the mean of its replicates, or "+
		"replicates where there is one instance.")
	return f, nil
}

// nameBySettings returns a line's or a panel's name by the settings that tell it apart.
func nameBySettings(c campaign.Condition, varying []string) string {
	names, texts := c.Named(varying)
	var parts []string
	for i, name := range names {
		if text := wording.SafeLine(texts[i]); text != "" {
			parts = append(parts, name+" "+text)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "all")
}
