package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"roundtable/analysis/lake/record"
)

// plot is a small picture of a collaboration, in the units of its SVG.
type plot struct {
	Label         string // what it shows, for who does not see it
	Width, Height int
	Lines         []polyline
	Marks         []mark
	Texts         []label
	Agents        []shownAgent
	Rounds        int // it can be played if there are several
}

// shownAgent is an agent of a plot's legend.
type shownAgent struct{ Name, Class string }

type polyline struct {
	Points string
	Class  string
}

// mark is a place at a round.
type mark struct {
	X, Y  float64
	Round int32
	Class string
	Title string
}

type label struct {
	X, Y float64
	Text string
	End  bool // it ends there
}

// Of a plot: its size, and what is left free at its sides.
const (
	plotWidth, plotHeight = 360, 120
	planeSize             = 268 // inside
	sideLeft, sideRight   = 44, 12
	sideAbove, sideBelow  = 12, 20
)

// span maps values to places.
type span struct{ low, high, from, to float64 }

func (s span) placeAt(v float64) float64 {
	if s.high == s.low {
		return (s.from + s.to) / 2
	}
	return s.from + (v-s.low)/(s.high-s.low)*(s.to-s.from)
}

func rangeOf(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// scorePlot draws the score of what stands, round by round; nil where there are no two.
func scorePlot(rounds []record.Round, share bool) *plot {
	var values []float64
	for _, r := range rounds {
		if r.Score != nil {
			values = append(values, *r.Score)
		}
	}
	if len(values) < 2 {
		return nil
	}
	low, high := rangeOf(values)
	if share {
		low, high = 0, 1
	}
	p := &plot{Label: "Score of what stands, by round", Width: plotWidth, Height: plotHeight}
	x := span{float64(rounds[0].Round), float64(rounds[len(rounds)-1].Round), sideLeft, plotWidth - sideRight}
	y := span{low, high, plotHeight - sideBelow, sideAbove}
	var points []string
	for _, r := range rounds {
		if r.Score == nil {
			continue
		}
		m := mark{X: x.placeAt(float64(r.Round)), Y: y.placeAt(*r.Score), Class: "score",
			Title: fmt.Sprintf("round %d: %.4g", r.Round, roundForPeople(*r.Score))}
		points = append(points, fmt.Sprintf("%.1f,%.1f", m.X, m.Y))
		p.Marks = append(p.Marks, m)
	}
	p.Lines = []polyline{{strings.Join(points, " "), "score"}}
	p.drawFrame(x, y, "round", "score")
	return p
}

// drawFrame draws both axes, with their ends and names.
func (p *plot) drawFrame(x, y span, across, up string) {
	for _, v := range []float64{y.low, y.high} {
		p.Texts = append(p.Texts, label{X: sideLeft - 6, Y: y.placeAt(v) + 4,
			Text: fmt.Sprintf("%.3g", roundForPeople(v)), End: true})
	}
	below := float64(p.Height) - 4
	p.Texts = append(p.Texts, label{X: sideLeft + 6, Y: 10, Text: up},
		label{X: (x.from+x.to)/2 - 3*float64(len(across)), Y: below, Text: across},
		label{X: x.from, Y: below, Text: fmt.Sprintf("%.3g", roundForPeople(x.low))},
		label{X: x.to, Y: below, Text: fmt.Sprintf("%.3g", roundForPeople(x.high)), End: true})
	p.Lines = append(p.Lines, polyline{fmt.Sprintf("%.1f,%.1f %.1f,%.1f %.1f,%.1f", x.from, y.to, x.from, y.from, x.to,
		y.from), "axis"})
}

// place is where an agent is after a round.
type place struct {
	agent, round int32
	name         string
	at           []float64
}

// plotMotion draws agents that move: over rounds on a line, or in the plane; nil if none do.
func plotMotion(turns []record.Turn) *plot {
	var all []place
	dimensions := 0
	for _, t := range turns {
		if t.Kind != "env" || t.Agent == nil || t.ProposalJSON == nil {
			continue
		}
		at := parseCoordinates(*t.ProposalJSON)
		if len(at) == 0 || len(at) > 2 || dimensions > 0 && len(at) != dimensions {
			return nil
		}
		dimensions = len(at)
		all = append(all, place{*t.Agent, t.Round, t.AgentName, at})
	}
	if len(all) < 2 {
		return nil
	}
	if dimensions == 1 {
		return onLine(all)
	}
	return inPlane(all)
}

// parseCoordinates of a place in JSON: a number, or a list of some.
func parseCoordinates(text string) []float64 {
	var one float64
	if json.Unmarshal([]byte(text), &one) == nil {
		return []float64{one}
	}
	var list []float64
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// onLine draws places on a line over rounds; nil if there are none.
func onLine(all []place) *plot {
	if len(all) < 2 {
		return nil
	}
	p := &plot{Label: "Positions of the agents on the line, by round", Width: plotWidth, Height: 2 * plotHeight}
	var values, rounds []float64
	for _, a := range all {
		values, rounds = append(values, a.at[0]), append(rounds, float64(a.round))
	}
	var x, y span
	x.low, x.high = rangeOf(rounds)
	y.low, y.high = rangeOf(values)
	x.from, x.to, y.from, y.to = sideLeft, plotWidth-sideRight, 2*plotHeight-sideBelow, sideAbove
	p.trace(all, func(a place) (float64, float64) { return x.placeAt(float64(a.round)), y.placeAt(a.at[0]) })
	p.drawFrame(x, y, "round", "position")
	return p
}

func inPlane(all []place) *plot {
	p := &plot{Label: "Paths of the agents in the plane", Width: planeSize + sideLeft + sideRight,
		Height: planeSize + sideAbove + sideBelow}
	var xs, ys []float64
	for _, a := range all {
		xs, ys = append(xs, a.at[0]), append(ys, a.at[1])
	}
	lowX, highX := rangeOf(xs)
	lowY, highY := rangeOf(ys)
	half := max(highX-lowX, highY-lowY) / 2
	midX, midY := (lowX+highX)/2, (lowY+highY)/2
	x := span{midX - half, midX + half, sideLeft, sideLeft + planeSize}
	y := span{midY - half, midY + half, sideAbove + planeSize, sideAbove}
	p.trace(all, func(a place) (float64, float64) { return x.placeAt(a.at[0]), y.placeAt(a.at[1]) })
	if len(p.Agents) <= colours {
		p.nameStarts(all, x, y)
	}
	p.drawFrame(x, y, "first coordinate", "second coordinate")
	return p
}

// nameStarts names agents where their paths start, on the side away from the middle.
func (p *plot) nameStarts(all []place, x, y span) {
	named := map[int32]bool{}
	for _, a := range all {
		if named[a.agent] {
			continue
		}
		named[a.agent] = true
		at := label{X: x.placeAt(a.at[0]) + 7, Y: y.placeAt(a.at[1]) - 6, Text: a.name}
		if at.End = at.X < (x.from+x.to)/2; at.End {
			at.X -= 14
		}
		at.Y = max(at.Y, y.to+10)
		p.Texts = append(p.Texts, at)
	}
}

// colours is how many classes of agents the style sheet has.
const colours = 8

// classOf returns the classes of an agent: those after the first eight are hollow and dashed.
func classOf(agent int32) string {
	class := fmt.Sprint("agent", agent%colours)
	if agent >= colours {
		class += " more"
	}
	return class
}

// trace draws each agent's way and where it is after each round.
func (p *plot) trace(all []place, to func(place) (x, y float64)) {
	ways, order := map[int32][]string{}, []int32{}
	for _, a := range all {
		x, y := to(a)
		if ways[a.agent] == nil {
			order = append(order, a.agent)
			p.Agents = append(p.Agents, shownAgent{a.name, classOf(a.agent)})
		}
		ways[a.agent] = append(ways[a.agent], fmt.Sprintf("%.1f,%.1f", x, y))
		p.Marks = append(p.Marks, mark{X: x, Y: y, Round: a.round, Class: classOf(a.agent),
			Title: fmt.Sprintf("%s, round %d: %s", a.name, a.round, joinNumbers(a.at))})
		p.Rounds = max(p.Rounds, int(a.round))
	}
	for _, agent := range order {
		p.Lines = append(p.Lines, polyline{strings.Join(ways[agent], " "), classOf(agent)})
	}
}

func joinNumbers(values []float64) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, figureText(v))
	}
	return strings.Join(parts, ", ")
}
