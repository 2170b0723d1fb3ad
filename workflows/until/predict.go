package until

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	predicted     = 200  // simulated campaigns
	mostSimulated = 2000 // units of each; a question that is open then counts as open to the end
	share         = 0.95 // of them lie within an interval
)

// Draw returns one simulated unit: an observation for each contrast.
type Draw func(r *rand.Rand) []Observation

// Prediction is how many cells a question needs in simulated campaigns.
type Prediction struct {
	Low      int     `json:"low"` // Low to High covers 95 % of them
	Mean     float64 `json:"mean"`
	High     int     `json:"high"`
	Answered float64 `json:"answered"` // share in which every comparison is decided within the plan
}

// Predict simulates campaigns whose units come from draw. The same seed gives the same
// prediction.
func (d *Design) Predict(draw Draw, seed uint64) (Prediction, error) {
	var p Prediction
	var cells []int
	answered := 0
	for i := range predicted {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		c, err := NewCourse(d.question)
		if err != nil {
			return p, err
		}
		for c.Units() < min(len(d.units), mostSimulated) && !c.IsAnswered() {
			if err := c.Add(draw(r)); err != nil {
				return p, err
			}
		}
		if c.IsAnswered() {
			answered++
		}
		n := d.countNeeded(c)
		cells = append(cells, n)
		p.Mean += float64(n) / predicted
	}
	p.Answered = float64(answered) / predicted
	slices.Sort(cells)
	tail := int((1 - share) / 2 * predicted)
	p.Low, p.High = cells[tail], cells[predicted-1-tail]
	return p, nil
}

// countNeeded returns how many cells a question needs; what is open at the end of a
// simulation needs all that follow.
func (d *Design) countNeeded(c *Course) int {
	n := 0
	for u := range d.units {
		levels, ok := c.Needs(u)
		if !ok {
			levels = c.needed[c.Units()]
		}
		more := len(d.Cells(u, levels))
		if n += more; more == 0 {
			break
		}
	}
	return n
}

// Complete returns, for each unit whose cells have all ended, its observation of each contrast;
// other units are left out.
func (d *Design) Complete(ended Ended) [][]Observation {
	var all [][]Observation
	levels := slices.Repeat([]bool{true}, len(d.levels))
	for _, u := range d.units {
		if unit, complete := d.observeUnit(u, levels, ended); complete {
			all = append(all, unit)
		}
	}
	return all
}

// Resample returns a Draw of whole units from these, with replacement.
func Resample(units [][]Observation) Draw {
	return func(r *rand.Rand) []Observation { return units[r.IntN(len(units))] }
}

// Differences returns the observations of a unit with one cell for each level, given the cells'
// values by level.
func (q Question) Differences(values []float64) []Observation {
	var unit []Observation
	for _, pair := range q.Contrasts() {
		unit = append(unit, Observation{Difference: new(values[pair[0]] - values[pair[1]])})
	}
	return unit
}

// Best returns the index of the level that Worst makes better than the others: the reference, or
// the first if all pairs are compared.
func (q Question) Best() int {
	return max(0, slices.IndexFunc(q.Levels, func(l Level) bool { return l.Name == q.Reference }))
}

// Worst returns a Draw of the most variable values: independent and at either bound or, for
// asymptotic, normal. The level Best is better than the others by effect, in standard deviations
// of the difference.
func (q Question) Worst(effect float64) Draw {
	// Two values of 0 and 1 with means (1±δ)/2 differ by δ, with variance (1-δ²)/2.
	delta := effect * math.Sqrt(.5/(1+effect*effect/2))
	best := q.Best()
	return func(r *rand.Rand) []Observation {
		values := make([]float64, len(q.Levels))
		for l := range values {
			sign := -1.
			if l == best {
				sign = 1
			}
			switch {
			case q.Method == Asymptotic:
				values[l] = r.NormFloat64() + sign*effect/math.Sqrt2
			case r.Float64() < (1+sign*delta)/2:
				values[l] = q.High
			default:
				values[l] = q.Low
			}
		}
		return q.Differences(values)
	}
}
