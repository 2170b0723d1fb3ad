// Package seats says who the agents are: each one's role, memory, number of votes, tools, and any
// aim that the others do not know of. Draws depend only on a seed.
package seats

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/envs/wording"
)

// Prompts holds seat.tmpl, what a system message says of an agent and of the others.
//
//go:embed prompts
var Prompts embed.FS

// Seat is a campaign's description of one agent. The zero value says nothing.
type Seat struct {
	// Role is who the agent is, in a few words; all agents read it.
	Role string `json:"role,omitempty"`
	// Description says more of it, Instructions what it is to do; only the agent itself reads both.
	Description  string `json:"description,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	// Style is how it talks, Language the language in which it does.
	Style    string `json:"style,omitempty"`
	Language string `json:"language,omitempty"`
	// Memory is the number of earlier rounds of which it still sees what agents said; nil is all.
	Memory *int `json:"memory,omitempty"`
	// Votes is how many votes it has, which all agents read; nil is one.
	Votes *int `json:"votes,omitempty"`
	// Stance is an aim of its own: see Stances.
	Stance string `json:"stance,omitempty"`
	// Tools are those that it has, in order, of the protocol's; nil means those that the protocol
	// gives to all.
	Tools *[]string `json:"tools,omitempty"`
}

// Values of Seat.Stance.
const (
	Stubborn    = "stubborn"    // keeps to its first answer, whatever it hears
	Wrong       = "wrong"       // argues for an answer that it holds to be wrong
	Adversarial = "adversarial" // wants the group to decide badly, and hides it
)

// Stances returns all stances.
func Stances() []string { return []string{Stubborn, Wrong, Adversarial} }

const (
	mostVotes  = 1000
	mostMemory = 1000
	mostText   = 20_000 // characters of a text
)

// Check returns the errors of a seat, each starting with the key.
func (s Seat) Check() (errs []error) {
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Memory != nil && (*s.Memory < 0 || *s.Memory > mostMemory) {
		wrong("memory is %d; expected 0 to %d rounds", *s.Memory, mostMemory)
	}
	if s.Votes != nil && (*s.Votes < 0 || *s.Votes > mostVotes) {
		wrong("votes is %d; expected 0 to %d", *s.Votes, mostVotes)
	}
	if s.Stance != "" && !slices.Contains(Stances(), s.Stance) {
		wrong("stance is %q; expected %s", s.Stance, wording.Or(Stances()))
	}
	for _, text := range [][2]string{
		{"role", s.Role}, {"description", s.Description}, {"instructions", s.Instructions}, {"style", s.Style},
		{"language", s.Language},
	} {
		if len(text[1]) > mostText {
			wrong("%s is a text of %d characters; expected at most %d", text[0], len(text[1]), mostText)
		}
	}
	if s.Description != "" && s.Role == "" {
		wrong("description is given without a role")
	}
	return errs
}

// Draw returns the indices of n seats drawn by seed without replacement from a pool of this size,
// in the order of the agents.
func Draw(pool, n int, seed uint64) []int {
	order := make([]int, pool)
	for i := range order {
		order[i] = i
	}
	envs.Stream(seed, "seats").Shuffle(pool, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order[:n]
}

// CheckShares returns an error if shares, by stance, are invalid.
func CheckShares(shares map[string]float64) error {
	total := 0.
	for _, stance := range slices.Sorted(maps.Keys(shares)) {
		share := shares[stance]
		if !slices.Contains(Stances(), stance) {
			return fmt.Errorf("%q is not a stance; expected %s", stance, wording.Or(Stances()))
		}
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("the share of %s is %v; expected 0 to 1", stance, share)
		}
		total += share
	}
	if total > 1+1e-9 {
		return fmt.Errorf("the shares add up to %v; expected at most 1", total)
	}
	return nil
}

// Share returns the seats with each stance given to its share of all seats, rounded half up. The
// seed draws who has it among those without a stance; with a greater share, those who had it keep
// it.
func Share(all []Seat, shares map[string]float64, seed uint64) []Seat {
	all = slices.Clone(all)
	free := Draw(len(all), len(all), envs.Stream(seed, "stances").Uint64())
	free = slices.DeleteFunc(free, func(i int) bool { return all[i].Stance != "" })
	for _, stance := range slices.Sorted(maps.Keys(shares)) {
		n := min(int(math.Floor(shares[stance]*float64(len(all))+0.5)), len(free))
		for _, i := range free[:n] {
			all[i].Stance = stance
		}
		free = free[n:]
	}
	return all
}

// String describes the seat in words, for readers of a campaign.
func (s Seat) String() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if s.Role != "" {
		add("%s", s.Role)
	}
	if s.Description != "" {
		add("%s", s.Description)
	}
	if s.Stance != "" {
		add("%s", s.Stance)
	}
	if s.Instructions != "" {
		add("instructed: %s", s.Instructions)
	}
	if s.Style != "" {
		add("style: %s", s.Style)
	}
	if s.Language != "" {
		add("language: %s", s.Language)
	}
	if s.Memory != nil {
		add("remembers %d rounds", *s.Memory)
	}
	if s.Votes != nil {
		add("%s", VotesInWords(*s.Votes))
	}
	if s.Tools != nil {
		add("tools: %s", cmp.Or(strings.Join(*s.Tools, ", "), "none"))
	}
	return strings.Join(parts, "; ")
}

// Forgets reports whether Memory is set, so that the agent does not see all rounds.
func (s Seat) Forgets() bool { return s.Memory != nil }

// Window returns the number of earlier rounds that an agent sees which Forgets; it panics for
// others.
func (s Seat) Window() int { return *s.Memory }

// Personal reports whether the seat has anything but votes and tools, so that its agent must be
// told.
func (s Seat) Personal() bool {
	public := Seat{Votes: s.Votes, Tools: s.Tools}
	return s != public
}
