package calls

import (
	"fmt"
	"strings"
	"time"

	"roundtable/activities/throttle"
	"roundtable/envs/wording"
)

// What turns wait for, apart from the reasons of package throttle.
const (
	WaitsAnswer = "answer"            // a call is under way
	WaitsPerson = "a person's answer" // a person is to take the turn
	WaitsBudget = "budget"            // others' calls hold the rest of it
	// TriesAgain begins what a round or turn waits for whose last call failed; the error follows.
	TriesAgain = "provider: trying again after "
)

// ResumeTries says how the operator ends a wait for a service.
const ResumeTries = "roundtable resume NAME tries at once"

// Wait is what turns wait for, and how many of them.
type Wait struct {
	For   string    `json:"for"` // provider, budget, calls at once, workers, requests per minute, …; answer if nothing binds
	Turns int       `json:"turns"`
	Since time.Time `json:"since,omitzero"` // the one that waits longest
	Until time.Time `json:"until,omitzero"` // when the next may go; zero if that depends on others
	Ends  string    `json:"ends,omitempty"` // what ends it, in words
}

// String returns the wait for people, without its turns: what, since when, until when and
// what ends it.
func (w Wait) String() string {
	const clock = "15:04:05"
	var when []string
	if !w.Since.IsZero() {
		when = append(when, "since "+w.Since.UTC().Format(clock))
	}
	if !w.Until.IsZero() {
		when = append(when, "until "+w.Until.UTC().Format(clock))
	}
	text := w.For
	if len(when) > 0 {
		text += ", " + strings.Join(when, ", ") + " UTC"
	}
	if w.Ends != "" {
		text += "; " + w.Ends
	}
	return text
}

// DescribeTurns returns the wait with the number of its turns.
func (w Wait) DescribeTurns() string {
	turns := wording.Count(int64(w.Turns), "turn") + " waits for "
	if w.Turns != 1 {
		turns = strings.Replace(turns, "waits", "wait", 1)
	}
	return turns + w.String()
}

// Waits are what the turns of an activity or of a process wait for.
type Waits []Wait

// Of returns how many turns wait for something.
func (all Waits) Of(what string) (turns int) {
	for _, w := range all {
		if w.For == what {
			turns += w.Turns
		}
	}
	return turns
}

// Add returns the waits with one more; turns that wait for the same are one.
func (all Waits) Add(w Wait) Waits {
	for i := range all {
		one := &all[i]
		if one.For != w.For || one.Ends != w.Ends {
			continue
		}
		one.Turns += w.Turns
		one.Since, one.Until = earlierOf(one.Since, w.Since), earlierOf(one.Until, w.Until)
		return all
	}
	return append(all, w)
}

func earlierOf(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// gateWait describes why calls are queued before the gate of an account or of a campaign.
func gateWait(w throttle.Wait) Wait {
	is := Wait{For: string(w.For), Since: w.Since}
	if w.Limit > 0 {
		is.For = fmt.Sprintf("%s (%d)", w.For, w.Limit)
	}
	switch {
	case w.Told:
		is.Until, is.Ends = w.Until, "the service has asked for this pause; "+ResumeTries
	case !w.Since.IsZero():
		is.Until, is.Ends = w.Until, "the service refused every call; "+ResumeTries
	case w.For == throttle.Requests || w.For == throttle.Tokens:
		is.Ends = "the minute's limit frees it"
	case w.For == throttle.Concurrency:
		is.Ends = "the next answer frees a place"
	case w.For == throttle.Provider:
		is.Ends = "it grows with the answers"
	}
	return is
}
