package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Scenario is all that a run follows from.
type Scenario struct {
	Seed      uint64
	Content   uint64 // of the questions and what is answered to them
	Cells     int
	Agents    int
	Rounds    int
	AtOnce    int           // cells
	Processes int           // that work for the campaign
	Alone     bool          // they know that there is no other
	Cache     bool          // answers may come from other cells
	Cap       float64       // share of what the campaign costs; 0 is none
	Batched   bool          // calls go into batches of the service, where they are enough,
	Nameless  bool          // which has no names for them
	Cancelled time.Duration // when the campaign is cancelled; 0 if it is not
	Faults    Faults
	Kills     []int // awaits at which the process that waits is killed
	Rivals    Rivals
}

// Faults are probabilities of one request each, or lengths of a time from Begin on.
type Faults struct {
	Lost, Unheard, Late, Slow float64 // of the store: not done; done, but the answer is lost; done later; minutes
	Unlisted                  float64 // answers that other processes than their writer find in no list for a minute

	Begin                  time.Duration
	Full, ReadOnly, Unheld time.Duration // the store takes nothing; refuses; is not reached
	Refused, Busy, Failed  float64       // 429, 529, 500
	Cut, Silent, Locked    float64       // billed without an answer; no answer until the deadline; the key is refused
	Down                   time.Duration // the service is, from Begin on
	Interrupted            float64       // calls are held back for a while, at one activity
	Doubled                float64       // an activity is given up and done again while it is under way

	// Of batches: never end unless cancelled; are refused once they are there; are in no list for a while.
	// Of their requests: not worked on. Of requests to manage them: done, but the answer is lost.
	Hung, Unfit, Unseen, Expired, Mute float64
}

// Content are probabilities of one question each: its answer cannot be read, is a refusal,
// does not tell its usage, or one that cannot be; the call cannot succeed.
type content struct{ malformed, refusal, unpriced, absurd, fails float64 }

// contents are what Scenario.Content chooses from.
var contents = []content{
	{}, {malformed: 0.1}, {malformed: 0.3, refusal: 0.05}, {refusal: 0.1, unpriced: 0.1},
	{unpriced: 0.1, absurd: 0.1}, {malformed: 0.2, fails: 0.02}, {absurd: 0.2, fails: 0.01}, {malformed: 0.1, refusal: 0.05, unpriced: 0.05, absurd: 0.05, fails: 0.01},
}

func (s Scenario) content() content { return contents[s.Content%uint64(len(contents))] }

// ofQuestion draws a number that belongs to a question, not to the run.
func (s Scenario) ofQuestion(question, what string) float64 {
	return Scenario{Seed: s.Content}.chance(question, what)
}

// Draw returns the scenario of a seed.
func Draw(seed uint64) Scenario {
	rng := rand.New(rand.NewPCG(seed, 0x726f756e64))
	pick := func(n ...int) int { return n[rng.IntN(len(n))] }
	rate := func(most float64) float64 { // often none
		return max(0, rng.Float64()*2-1) * most
	}
	length := func(most time.Duration) time.Duration {
		return time.Duration(max(0, rng.Float64()*4-3) * float64(most))
	}
	s := Scenario{
		Seed: seed, Content: rng.Uint64N(24), Cells: pick(1, 1, 2, 3), Agents: pick(2, 2, 3), Rounds: pick(1, 1, 1, 2), AtOnce: pick(1, 2, 3),
		Processes: pick(1, 1, 2), Cache: rng.IntN(3) == 0,
	}
	s.Alone = s.Processes == 1 && rng.IntN(4) > 0
	if rng.IntN(2) == 0 {
		s.Cap = 0.3 + rng.Float64()
	}
	s.Faults = Faults{
		Lost: rate(0.1), Unheard: rate(0.1), Late: rate(0.3), Slow: rate(0.05),
		Begin: time.Duration(rng.Float64() * float64(time.Minute)), Full: length(5 * time.Minute), ReadOnly: length(time.Minute), Unheld: length(time.Minute),
		Refused: rate(0.3), Busy: rate(0.1), Failed: rate(0.1), Cut: rate(0.1), Silent: rate(0.05), Locked: rate(0.02), Down: length(5 * time.Minute),
		Interrupted: rate(0.3),
	}
	if s.Processes > 1 {
		s.Faults.Doubled = rate(0.2)
	}
	for range pick(0, 1, 1, 2, 3, 5) {
		s.Kills = append(s.Kills, 1+rng.IntN(60+60*s.Cells*s.Agents*s.Rounds))
	}
	if s.Batched = rng.IntN(3) == 0; s.Batched {
		s.Nameless, s.AtOnce, s.Cells = rng.IntN(3) == 0, 3, pick(2, 3, 4)
		s.Faults.Hung, s.Faults.Unfit, s.Faults.Unseen = rate(0.3), rate(0.2), rate(0.5)
		s.Faults.Expired, s.Faults.Mute = rate(0.3), rate(0.3)
		s.Faults.Doubled = 0 // who was given up may ask live what the other has in a batch, as it may ask twice
		for range pick(0, 1, 2) {
			s.Kills = append(s.Kills, 1+rng.IntN(600))
		}
		if rng.IntN(3) == 0 { // within the time for which a cancel is tried
			s.Cancelled, s.Faults.Down, s.Faults.Interrupted = 5*time.Second+time.Duration(rng.Float64()*float64(3*time.Minute)), 0, 0
		}
	}
	slices.Sort(s.Kills)
	if late := rate(0.6); !s.Batched { // in batches it is known not to be borne (docs/reliability.md)
		s.Faults.Unlisted = late
	}
	return s
}

// without returns the same campaign in a world without faults: its questions are the same.
func (s Scenario) without() Scenario {
	return Scenario{
		Content: s.Content, Cells: s.Cells, Agents: s.Agents, Rounds: s.Rounds,
		AtOnce: 1, Processes: 1, Alone: true,
	}
}

const campaign = "simulated"

// file returns the campaign file.
func (s Scenario) file() string {
	return fmt.Sprintf(strings.TrimSpace(`
name: %s
replicates: %d
env: {name: exchange, agents: %d}
protocol: {name: roundtable, rounds: %d}
rule: plurality
model: scripted/trader
generate: {max_tokens: 300}
`)+"\n", campaign, s.Cells, s.Agents, s.Rounds)
}
