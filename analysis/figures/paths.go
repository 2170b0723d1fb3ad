package figures

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/numeric"
)

// example is one run of a condition, and what tells it from the others.
type example struct {
	campaign.Run
	states numeric.States
	title  string
}

// firstExamples are, of each condition, the first run that reached a consensus and
// the first that did not.
func firstExamples(c campaign.Campaign) []example {
	var list []example
	conditions, varying := c.Conditions("")
	for _, condition := range conditions {
		shown := map[bool]bool{}
		for _, r := range condition.Runs {
			states := numeric.StatesOf(r)
			if len(states.States) == 0 {
				continue
			}
			_, reached := states.Reached(states.Epsilon)
			if shown[reached] {
				continue
			}
			shown[reached] = true
			parts := []string{fmt.Sprint("instance ", r.Instance)}
			if len(varying) > 0 {
				parts = slices.Insert(parts, 0, nameBySettings(condition, varying))
			}
			if r.Replicate > 0 {
				parts = append(parts, fmt.Sprint("replicate ", r.Replicate))
			}
			if !reached {
				parts = append(parts, "no consensus")
			}
			list = append(list, example{r, states, strings.Join(parts, ", ")})
		}
	}
	return list
}

// agentName returns a line's name; of more agents than colours all are alike.
func agentName(i, of int) string {
	if of > mostLines {
		return "an agent"
	}
	return fmt.Sprint("agent ", i+1)
}

// drawTrajectories returns Figures 2, 3, 6 to 9 and 11: states by round.
func drawTrajectories(c campaign.Campaign) (Figure, error) {
	f := Figure{
		Title: "States of agents by round (paper 5, Figures 2, 3, 6 to 9 and 11)",
		reading: "Of each condition the first collaboration that reached a consensus and the first that did not. " +
			"Lines: states; dots: plans that were not arrived at.",
	}
	for _, e := range firstExamples(c) {
		for k := range e.states.First()[0] {
			f.Panels = append(f.Panels, e.overRounds(k))
		}
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("trajectories"))
	}
	f.addRemarks(c.Remarks(""), f.reading, "Round 0: the starts.")
	return f, nil
}

// overRounds returns the states of all agents in one coordinate.
func (e example) overRounds(k int) Panel {
	first := e.states.First()
	p := Panel{Title: e.title, X: "round", Y: "state", Levels: []Level{{"mean of the starts", first.Mean()[k]}}}
	if len(first[0]) > 1 {
		p.Title += fmt.Sprint(", coordinate ", k+1)
	}
	for a := range first {
		line := Line{Name: agentName(a, len(first))}
		for time, s := range e.states.States {
			line.Track = append(line.Track, Spot{float64(time), s[a][k]})
		}
		for _, m := range e.states.Moves {
			if m.Agent == a && m.Round < len(e.states.States) && e.states.States[m.Round][a][k] != m.To[k] {
				line.Dots = append(line.Dots, Spot{float64(m.Round), m.To[k]})
			}
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// drawPaths returns Figure 10: of each condition the first collaboration in a plane,
// and its coordinates over time.
func drawPaths(c campaign.Campaign) (Figure, error) {
	f := Figure{
		Title: "Planned and actual positions in the plane (paper 5, Figure 10)",
		reading: "Of each condition the first collaboration. In the plane: ways from the ring to the disc, plans as " +
			"crosses. Over time: lines are positions, dashes plans.",
		columns: 3,
	}
	var last string
	for _, e := range firstExamples(c) {
		if len(e.states.First()[0]) != 2 || e.ConditionID == last {
			continue
		}
		last = e.ConditionID
		f.Panels = append(f.Panels, e.planePanel())
		for k := range 2 {
			f.Panels = append(f.Panels, e.overTime(k))
		}
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("paths"))
	}
	f.addRemarks(c.Remarks(""), f.reading)
	return f, nil
}

// wayOf returns where an agent is at all times, with the time between two of them: steps of its motion, or rounds.
func (e example) wayOf(agent int) (way [][]float64, apart float64) {
	if len(e.states.Steps) == 0 {
		for _, s := range e.states.States {
			way = append(way, s[agent])
		}
		return way, 1
	}
	way = [][]float64{e.states.First()[agent]}
	for _, byAgent := range e.states.Steps {
		way = append(way, byAgent[agent]...)
	}
	return way, e.states.Step
}

func (e example) plansOf(agent int) []numeric.Move {
	var list []numeric.Move
	for _, m := range e.states.Moves {
		if m.Agent == agent {
			list = append(list, m)
		}
	}
	return list
}

func (e example) planePanel() Panel {
	p := Panel{Title: e.title, X: "coordinate 1", Y: "coordinate 2", Plane: true}
	agents := len(e.states.First())
	for a := range agents {
		line := Line{Name: agentName(a, agents)}
		way, _ := e.wayOf(a)
		for _, x := range way {
			line.Track = append(line.Track, Spot{x[0], x[1]})
		}
		for _, m := range e.plansOf(a) {
			line.Dots = append(line.Dots, Spot{m.To[0], m.To[1]})
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// overTime is one coordinate: plans are discontinuous, positions follow them.
func (e example) overTime(k int) Panel {
	p := Panel{Title: e.title, X: "round", Y: fmt.Sprint("coordinate ", k+1)}
	if len(e.states.Steps) > 0 {
		p.X = "seconds"
	}
	agents, rounds := len(e.states.First()), float64(len(e.states.States)-1)
	for a := range agents {
		line := Line{Name: agentName(a, agents)}
		way, apart := e.wayOf(a)
		for i, x := range way {
			line.Track = append(line.Track, Spot{float64(i) * apart, x[k]})
		}
		round := float64(len(way)-1) * apart / rounds
		for _, m := range e.plansOf(a) {
			line.Dashes = append(line.Dashes, Spot{float64(m.Round-1) * round, m.To[k]},
				Spot{float64(m.Round) * round, m.To[k]})
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}
