package numeric

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/regression"
)

// influence is how much of the final value comes from where one agent started.
type influence struct {
	Coefficient float64
	SE          float64 // classical; 0 for an exact fit
}

// meanEnds returns a path from the mean of the paths' first states to the mean of
// their last ones, such as of the replicates of one instance: all have the same agents.
func meanEnds(paths []Path) Path {
	return Path{States: []State{
		meanState(paths, Path.First),
		meanState(paths, Path.Last),
	}}
}

func meanState(paths []Path, of func(Path) State) State {
	mean := make(State, len(of(paths[0])))
	for agent, x := range of(paths[0]) {
		mean[agent] = make([]float64, len(x))
		for k := range x {
			for _, p := range paths {
				mean[agent][k] += of(p)[agent][k] / float64(len(paths))
			}
		}
	}
	return mean
}

// Lead regresses the mean position at the end on the agents' starts, with an intercept: least squares over
// independent paths, every coordinate an observation. In a group of averagers the coefficients are the weights
// of the DeGroot limit. It is undefined without more observations than coefficients, or if the starts do not
// vary enough.
func Lead(paths []Path) (byAgent []influence, r2 float64, ok bool) {
	if len(paths) == 0 {
		return nil, 0, false
	}
	agents, dimension := len(paths[0].First()), len(paths[0].First()[0])
	x, names := mat.NewDense(len(paths)*dimension, agents, nil), make([]string, agents)
	for a := range names {
		names[a] = fmt.Sprint("agent ", a)
	}
	var y []float64
	for _, p := range paths {
		final := p.Last().Mean()
		for d := range dimension {
			for a, start := range p.First() {
				x.Set(len(y), a, start[d])
			}
			y = append(y, final[d])
		}
	}
	fit, err := regression.LeastSquares(names, x, y)
	if err != nil || fit.DOF == 0 || len(fit.Aliased) > 0 {
		return nil, 0, false
	}
	for _, t := range fit.Terms[1:] {
		one := influence{Coefficient: t.Beta}
		if t.Test != nil {
			one.SE = t.Test.SE
		}
		byAgent = append(byAgent, one)
	}
	return byAgent, 1 - fit.RSS/(float64(fit.N-1)*stat.Variance(y, nil)), true
}
