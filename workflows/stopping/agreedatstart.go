package stopping

import (
	"fmt"

	"roundtable/workflows/transcript"
)

// AgreedAtStartParams are the parameters of NewAgreedAtStart.
type AgreedAtStartParams struct {
	Share float64 `json:"share"` // of the agents that hold the same answer, at least: 1
}

// DefaultAgreedAtStart returns parameters that stop if all agents give the same answer.
func DefaultAgreedAtStart() AgreedAtStartParams { return AgreedAtStartParams{Share: 1} }

// ConfidentAtStartParams are the parameters of NewConfidentAtStart.
type ConfidentAtStartParams struct {
	Share      float64 `json:"share"`      // of the agents, at least: 1
	Confidence float64 `json:"confidence"` // that each of them states, from 0 to 1, at least: 0.8
}

// DefaultConfidentAtStart returns parameters that stop if all agents give the same answer with a
// confidence of at least 0.8.
func DefaultConfidentAtStart() ConfidentAtStartParams {
	return ConfidentAtStartParams{Share: 1, Confidence: 0.8}
}

// atStart lets a group talk only if its first answers make talk worth its price.
type atStart struct{ share, confidence float64 }

// NewAgreedAtStart returns the rule that stops after the first round if a decision was made in it
// and at least p.Share of the agents hold the same answer. Agents who agree before they talk
// seldom change: paying for the talk buys little (Eo et al. 2025 gate a debate in this way, by
// confidence).
func NewAgreedAtStart(p AgreedAtStartParams) (Rule, error) {
	return atStart{share: p.Share}, checkShare(p.Share)
}

// NewConfidentAtStart returns the rule of NewAgreedAtStart, but counts only agents that state at
// least p.Confidence in that answer.
func NewConfidentAtStart(p ConfidentAtStartParams) (Rule, error) {
	if !(p.Confidence > 0 && p.Confidence <= 1) {
		return nil, fmt.Errorf("confidence is %v; expected more than 0 and at most 1", p.Confidence)
	}
	return atStart{p.Share, p.Confidence}, checkShare(p.Share)
}

func checkShare(share float64) error {
	if !(share > 0 && share <= 1) {
		return fmt.Errorf("share is %v; expected more than 0 and at most 1", share)
	}
	return nil
}

// Stop is never true of a round after the first.
func (r atStart) Stop(t *transcript.Transcript, round int) bool {
	if round != 1 || !RoundsOf(t, round)[0].Agreed {
		return false
	}
	agreement, ok := agreementIn(t, round,
		func(agent int) bool { return r.confidence == 0 || confidenceOf(t, round, agent) >= r.confidence })
	return ok && agreement >= r.share-rounding
}

// rounding is what 2/3 written with six digits may lack.
const rounding = 1e-6

// Agreement returns the greatest share, from 0 to 1, of the agents who may vote that hold the same proposal or
// answer at the last count of a round; false if nothing was counted.
func Agreement(t *transcript.Transcript, round int) (float64, bool) {
	return agreementIn(t, round, isAnyone)
}

func isAnyone(int) bool { return true }

// agreementIn is Agreement that counts some holders only, out of all agents that could hold one.
func agreementIn(t *transcript.Transcript, round int, counts func(agent int) bool) (share float64, ok bool) {
	for _, e := range t.Entries {
		if e.Round == round && e.Kind == transcript.Decide {
			if last, counted := agreementOf(t, e, counts); counted {
				share, ok = last, true
			}
		}
	}
	return share, ok
}

// agreementOf a count; false if it had nothing to count. Candidates that are the same
// proposal, as where a vote is on each agent's text, are one here.
func agreementOf(t *transcript.Transcript, count transcript.Entry, counts func(agent int) bool) (float64, bool) {
	most, all := 0, count.Payload.Electorate
	if all == 0 {
		all = t.Agents
	}
	holders := map[string]int{} // by key
	for _, c := range count.Payload.Candidates {
		for _, agent := range c.Agents {
			if counts(agent) {
				holders[c.Key]++
			}
		}
		most = max(most, holders[c.Key])
	}
	return float64(most) / float64(all), len(count.Payload.Candidates) > 0
}

// confidenceOf an agent in the answer that it gave in a round, from 0 to 1; 0 if it states none.
func confidenceOf(t *transcript.Transcript, round, agent int) float64 {
	e, ok := t.Last(func(e transcript.Entry) bool {
		return e.Round == round && e.Payload.Confidence && e.Speaker == (transcript.Speaker{Index: agent})
	})
	if !ok || len(e.Act.Values) == 0 {
		return 0
	}
	return e.Act.Values[0]
}
