package consensus

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"roundtable/envs/wording"
)

func (p Params) check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Agents < 2 || p.Agents > mostAgents {
		wrong("agents is %d; it is a number from 2 to %d", p.Agents, mostAgents)
	}
	if p.Dimension < 1 || p.Dimension > mostDimension {
		wrong("dimension is %d; it is a number from 1 to %d", p.Dimension, mostDimension)
	}
	if !isAscending(p.Low, p.High) || p.Integers && math.Floor(p.High) < math.Ceil(p.Low) {
		wrong("low is %v and high %v; low is below high, both within ±%v%s", p.Low, p.High, largest,
			map[bool]string{true: ", with a whole number between them"}[p.Integers])
	}
	if p.Bounds != nil && (len(p.Bounds) != 2 || !isAscending(p.Bounds[0], p.Bounds[1])) {
		wrong("bounds is %v; it is a list of two numbers, low and high, within ±%v", p.Bounds, largest)
	}
	if p.Spread < 0 || p.Spread > largest || p.Spread > 0 && p.Starts == nil {
		wrong("spread is %d; it is a whole number from 0 on, and goes with starts", p.Spread)
	}
	if len(errs) == 0 {
		errs = append(errs, p.checkStarts(), p.checkPersonalities(), p.checkRobot())
	}
	return errors.Join(errs...)
}

func isAscending(low, high float64) bool { return low < high && low >= -largest && high <= largest }

// checkStarts holds given and drawn starts to the form and the bounds of positions.
func (p Params) checkStarts() error {
	within := func(low, high float64) bool { return p.Bounds == nil || low >= p.Bounds[0] && high <= p.Bounds[1] }
	if p.Starts == nil {
		if !within(p.Low, p.High) {
			return fmt.Errorf("bounds is %v; starts are drawn from %v to %v, which is not within it", p.Bounds,
				p.Low, p.High)
		}
		return nil
	}
	if len(p.Starts) != p.Agents {
		return fmt.Errorf("starts is a list of %d; there are %d agents", len(p.Starts), p.Agents)
	}
	for i, s := range p.Starts {
		if len(s) != p.Dimension {
			return fmt.Errorf("starts is wrong for agent %d: it has %d coordinates; there are %d", i+1,
				len(s), p.Dimension)
		}
		for _, v := range s {
			low, high := v-float64(p.Spread), v+float64(p.Spread)
			if low < -largest || high > largest || !within(low, high) {
				return fmt.Errorf("starts is wrong for agent %d: %v (spread %d) is not within the bounds of positions",
					i+1, v, p.Spread)
			}
		}
	}
	return nil
}

func (p Params) checkPersonalities() error {
	if p.Stubborn < 0 || p.Suggestible < 0 || p.Stubborn+p.Suggestible > p.Agents {
		return fmt.Errorf("stubborn is %d and suggestible %d; together they are at most the %d agents", p.Stubborn,
			p.Suggestible, p.Agents)
	}
	if p.Personalities == nil {
		return nil
	}
	if p.Stubborn+p.Suggestible > 0 {
		return errors.New("personalities is given, and so is a count of stubborn or suggestible agents; give one of the two")
	}
	if len(p.Personalities) != p.Agents {
		return fmt.Errorf("personalities is a list of %d; there are %d agents", len(p.Personalities), p.Agents)
	}
	for _, name := range p.Personalities {
		if !slices.Contains([]string{None, Stubborn, Suggestible}, name) {
			return fmt.Errorf("personalities is wrong: unknown %q; expected one of %s, %s, %s", wording.Clip(name),
				None, Stubborn, Suggestible)
		}
	}
	return nil
}

// drawStart returns where one agent begins.
func (p Params) drawStart(rng *rand.Rand, agent int) []float64 {
	x := make([]float64, p.Dimension)
	for k := range x {
		switch low := math.Ceil(p.Low); {
		case p.Starts != nil:
			x[k] = p.Starts[agent][k] + float64(rng.IntN(2*p.Spread+1)-p.Spread)
		case p.Integers:
			x[k] = low + float64(rng.Int64N(int64(math.Floor(p.High)-low)+1))
		default:
			x[k] = p.Low + rng.Float64()*(p.High-p.Low)
		}
		x[k] = roundTo12(x[k])
	}
	return x
}
