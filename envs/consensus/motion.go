package consensus

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"roundtable/envs"
	"roundtable/envs/wording"
)

// Robot are the constants of a robot's controller and motion (paper 5 §4 and
// its code), in kilograms, metres, seconds and newtons. The error is target
// minus position; the controller's force is KP·error + KD·d(error)/dt, cut to
// MaxForce; then v += a·Step, v cut to MaxSpeed, x += v·Step + a·Step²/2, and x
// is rounded to Decimals. The error before the first step is 0, and a new
// target enters its derivative at once, as in that code.
type Robot struct {
	KP       float64 `json:"kp"`
	KD       float64 `json:"kd"`
	Mass     float64 `json:"mass"`
	MaxForce float64 `json:"max_force"`
	MaxSpeed float64 `json:"max_speed"`
	Step     float64 `json:"step"`  // of the controller
	Round    float64 `json:"round"` // between two plans
	Decimals int     `json:"decimals"`
}

// DefaultRobot has the constants of the paper's code: its integral gain and
// its friction are 0 and left out.
func DefaultRobot() Robot {
	return Robot{KP: 1.2, KD: 6, Mass: 15, MaxForce: 50, MaxSpeed: 3, Step: 0.1, Round: 2, Decimals: 2}
}

// UnmarshalJSON takes the constants of DefaultRobot for keys that are missing.
func (r *Robot) UnmarshalJSON(data []byte) error {
	type plain Robot
	p := plain(DefaultRobot())
	if string(data) == "null" || envs.DecodeStrict(data)(&p) != nil {
		return errors.New("robot is a mapping of numbers: kp, kd, mass, max_force, max_speed, step, round, decimals " +
			"(a whole number); {} for the usual ones")
	}
	*r = Robot(p)
	return nil
}

// mostSteps of the controller in a round.
const mostSteps = 10_000

func (p Params) checkRobot() error {
	if p.Robot == nil {
		return nil
	}
	r := *p.Robot
	for _, c := range []struct {
		name  string
		value float64
	}{{"mass", r.Mass}, {"max_force", r.MaxForce}, {"max_speed", r.MaxSpeed}, {"step", r.Step}, {"round", r.Round}} {
		if !(c.value > 0 && c.value <= largest) {
			return fmt.Errorf("robot is wrong: %s is %v; it is more than 0 and at most %v", c.name, c.value, largest)
		}
	}
	for _, v := range []float64{r.KP, r.KD} {
		if !(v >= 0 && v <= largest) {
			return fmt.Errorf("robot is wrong: kp is %v and kd %v; they are from 0 to %v", r.KP, r.KD, largest)
		}
	}
	if r.Decimals < 0 || r.Decimals > 12 || r.Round/r.Step > mostSteps {
		return fmt.Errorf("robot is wrong: decimals is %d and a round has %.0f steps; expected 0 to 12 and at most %d",
			r.Decimals, r.Round/r.Step, mostSteps)
	}
	return nil
}

// Start has velocity and error 0.
func (g *gathering) Start(agent int) envs.State {
	s := envs.State{Position: formatPosition(g.starts[agent]), At: slices.Clone(g.starts[agent])}
	if g.params.Robot != nil {
		s.Rest = make([]float64, 2*g.params.Dimension)
	}
	return s
}

// Move arrives at once, or drives a robot for one round; Rest is its velocity
// and its last error. Without a target it makes for where it is.
func (g *gathering) Move(agent int, from envs.State, target envs.Proposal) (envs.State, error) {
	d, rest := g.params.Dimension, 0
	if g.params.Robot != nil {
		rest = 2 * d
	}
	if agent < 0 || agent >= len(g.starts) || len(from.At) != d || len(from.Rest) != rest {
		return envs.State{}, fmt.Errorf("consensus: agent %d of %d is to move from %d and %d values; it has %d and %d",
			agent, len(g.starts), len(from.At), len(from.Rest), d, rest)
	}
	to := from.At
	if target != "" {
		var ok bool
		if to, ok = readPosition(target); !ok || len(to) != d {
			return envs.State{}, fmt.Errorf("consensus: %s is not a position", wording.Clip(string(target)))
		}
	}
	if g.params.Robot == nil {
		return envs.State{Position: formatPosition(to), At: slices.Clone(to)}, nil
	}
	s := motion{position: slices.Clone(from.At), velocity: slices.Clone(from.Rest[:d]),
		err: slices.Clone(from.Rest[d:])}
	return g.params.Robot.driveRound(s, to), nil
}

type motion struct{ position, velocity, err []float64 }

// driveRound runs the controller for one round; the path is the position after each step.
func (r Robot) driveRound(s motion, target []float64) envs.State {
	path := []byte("[")
	for step := range int(math.Round(r.Round / r.Step)) {
		r.moveStep(&s, target)
		if step > 0 {
			path = append(path, ',')
		}
		path = append(path, formatPosition(s.position)...)
	}
	rest := slices.Concat(s.velocity, s.err)
	for k := range rest {
		rest[k] = roundTo12(rest[k])
	}
	return envs.State{Position: formatPosition(s.position), At: s.position, Rest: rest, Path: string(path) + "]"}
}

func (r Robot) moveStep(s *motion, target []float64) {
	force := make([]float64, len(target))
	for k := range target {
		e := target[k] - s.position[k]
		force[k] = r.KP*e + r.KD*(e-s.err[k])/r.Step
		s.err[k] = e
	}
	shortenTo(force, r.MaxForce)
	for k := range force {
		s.velocity[k] += force[k] / r.Mass * r.Step
	}
	shortenTo(s.velocity, r.MaxSpeed)
	unit := math.Pow10(r.Decimals)
	for k := range s.position {
		x := s.position[k] + s.velocity[k]*r.Step + force[k]/r.Mass*r.Step*r.Step/2
		s.position[k] = math.RoundToEven(x*unit) / unit // as numpy does
	}
}

// shortenTo shortens a vector to a length.
func shortenTo(v []float64, length float64) {
	if norm := distanceBetween(v, make([]float64, len(v))); norm > length {
		for k := range v {
			v[k] *= length / norm
		}
	}
}
