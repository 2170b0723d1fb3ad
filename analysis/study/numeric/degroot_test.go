package numeric_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/referencetest"
	"roundtable/analysis/study/numeric"
)

// played is the paths of a campaign of scripted agents, run by the engine.
func played(t *testing.T, campaign string) []numeric.Path {
	t.Helper()
	ctx := context.Background()
	store, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := laketest.Play(ctx, store, campaign, 0); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(campaign, "name: "), "\n")
	markers, err := lake.Committed(ctx, store, name)
	if err != nil {
		t.Fatal(err)
	}
	var paths []numeric.Path
	for _, m := range markers {
		own, err := lake.ReadRows[record.Collaboration](ctx, store, m)
		if err != nil || own[0].Status != "succeeded" {
			t.Fatalf("%+v, %v", own, err)
		}
		turns, err := lake.ReadRows[record.Turn](ctx, store, m)
		if err != nil {
			t.Fatal(err)
		}
		path, err := numeric.FromTurns(turns, int(own[0].Agents))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// line is a campaign of agents on a line with given starts.
func line(starts []float64, model, network string, rounds int) string {
	var points [][]float64
	for _, x := range starts {
		points = append(points, []float64{x})
	}
	return fmt.Sprintf("name: line\nenv: {name: consensus, agents: %d, starts: %s}\nprotocol: {name: consensus, rounds: %d, network: %s, memory: current}\nmodel: %s\n",
		len(starts), asJSON(points), rounds, network, model)
}

func nearly(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// TestDeGroot: on every named network averagers come to the mean of the starts
// weighted by the stationary distribution: (degree + 1) on mutual networks,
// the leader alone on directed ones (DeGroot 1974).
func TestDeGroot(t *testing.T) {
	starts := []float64{10, 40, 100, 70}
	for network, weights := range map[string][]float64{
		"full":         {1, 1, 1, 1},
		"star":         {4, 2, 2, 2},
		"line":         {2, 3, 3, 2},
		"ring":         {1, 1, 1, 1},
		"leader":       {1, 0, 0, 0},
		"chain":        {1, 0, 0, 0},
		"[full, line]": {1, 1, 1, 1}, // the first round makes all equal
	} {
		sum, limit := 0.0, 0.0
		for i, w := range weights {
			sum, limit = sum+w, limit+w*starts[i]
		}
		limit /= sum
		p := played(t, line(starts, "scripted/average", network, 100))[0]
		nearly(t, network+": the limit", p.Last().Mean()[0], limit, 1e-6)
		if r, ok := p.Reached(1); !ok || r > 60 {
			t.Errorf("%s: within 1 from round %d on (%v)", network, r, ok)
		}
	}
}

// TestReference: the limits, trajectories and rounds of convergence of the
// reference figures, where they are.
func TestReference(t *testing.T) {
	var reference struct {
		DeGroot map[string]struct {
			Adjacency   json.RawMessage `json:"adjacency_row_listens_to_col"`
			IncludeSelf bool            `json:"include_self"`
			X0          []float64       `json:"x0"`
			Limit       float64         `json:"limit"`
			First6      [][]float64     `json:"trajectory_first6"`
			Eps1        measured        `json:"eps_1"`
			Eps01       measured        `json:"eps_0_1"`
			Oscillates  bool            `json:"oscillates"`
		} `json:"degroot"`
		Trajectories []struct {
			States [][]float64 `json:"states"`
			measured
			Clusters int  `json:"clusters_gap5"`
			Period2  bool `json:"oscillation_period2"`
		} `json:"consensus_trajectories"`
	}
	referencetest.Read(t, "other_papers.json", &reference)
	if len(reference.DeGroot) != 6 || len(reference.Trajectories) != 4 {
		t.Fatalf("%d networks, %d trajectories", len(reference.DeGroot), len(reference.Trajectories))
	}
	for name, c := range reference.DeGroot {
		model := "scripted/average"
		if !c.IncludeSelf {
			model = "scripted/average_without_self"
		}
		p := played(t, line(c.X0, model, string(c.Adjacency), 40))[0]
		for time, want := range c.First6 {
			for i, x := range want {
				nearly(t, fmt.Sprintf("%s: agent %d at time %d", name, i, time), p.States[time][i][0], x, 1e-9)
			}
		}
		nearly(t, name+": the end", p.Last().Mean()[0], c.Limit, 1e-8)
		c.Eps1.check(t, name, p, 1)
		c.Eps01.check(t, name, p, 0.1)
		if got := p.Period(1e-6) >= 2; got != c.Oscillates {
			t.Errorf("%s: oscillates is %v", name, got)
		}
	}
	for i, c := range reference.Trajectories {
		p, name := onLine(c.States), fmt.Sprint("trajectory ", i)
		c.check(t, name, p, 1)
		if got := p.Last().Clusters(5); got != c.Clusters {
			t.Errorf("%s: %d clusters, want %d", name, got, c.Clusters)
		}
		if got := p.Period(1e-6) == 2; got != c.Period2 {
			t.Errorf("%s: period 2 is %v", name, got)
		}
	}
}

func onLine(states [][]float64) numeric.Path {
	var p numeric.Path
	for _, row := range states {
		var s numeric.State
		for _, x := range row {
			s = append(s, []float64{x})
		}
		p.States = append(p.States, s)
	}
	return p
}

type measured struct {
	Round      *int     `json:"convergence_round"`
	Spread     float64  `json:"final_spread"`
	Bias       float64  `json:"bias"`
	Normalised *float64 `json:"normalised_bias"`
}

func (m measured) check(t *testing.T, name string, p numeric.Path, epsilon float64) {
	t.Helper()
	round, ok := p.Reached(epsilon)
	if ok != (m.Round != nil) || ok && round != *m.Round {
		t.Errorf("%s: within %v from round %d on (%v), want %v", name, epsilon, round, ok, m.Round)
	}
	nearly(t, name+": the width at the end", p.Last().Width(), m.Spread, 1e-9)
	nearly(t, name+": the bias", p.Bias()[0], m.Bias, 1e-9)
	share, ok := p.NormalisedBias()
	if ok != (m.Normalised != nil) {
		t.Errorf("%s: a normalised bias %v", name, share)
	} else if ok {
		nearly(t, name+": the normalised bias", share, *m.Normalised, 1e-9)
	}
}
