package protocoltest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"roundtable/workflows/protocol"
	"roundtable/workflows/ruletest"
	"roundtable/workflows/transcript"
)

// mostPlans is after how many plans a talk counts as endless.
const mostPlans = 100_000

// checkTalk plays one talk over random answers, some of which are skipped or
// unusable, and the same once more.
func (g Game) checkTalk(talk uint64) error {
	instance, err := g.instance()
	if err != nil {
		return err
	}
	agents := len(instance.Agents())
	s, err := g.session(agents)
	if err != nil {
		return err
	}
	again, err := g.session(agents)
	if err != nil {
		return err
	}
	draw := rand.New(rand.NewPCG(seed, talk))
	for plans := 0; s.Outcome() == nil; plans++ {
		if plans == mostPlans {
			return fmt.Errorf("no end after %d plans", plans)
		}
		pending := s.Pending()
		if !reflect.DeepEqual(pending, again.Pending()) {
			return fmt.Errorf("the same answers lead to other steps at entry %d", pending[0].Entry)
		}
		if err := checkPlan(s, pending); err != nil {
			return err
		}
		if err := checkNext(s); err != nil {
			return err
		}
		for _, i := range draw.Perm(len(pending)) { // answers come in any order
			p := pending[i]
			if err := s.Record(p.Entry, randomAct(p, draw)); err != nil {
				return err
			}
		}
		for _, p := range pending {
			if err := again.Record(p.Entry, actOf(s, p.Entry)); err != nil {
				return fmt.Errorf("replayed: %w", err)
			}
		}
	}
	if !reflect.DeepEqual(s.Outcome(), again.Outcome()) || !reflect.DeepEqual(s.Transcript(), again.Transcript()) {
		return fmt.Errorf("the same answers end as %+v and as %+v", s.Outcome(), again.Outcome())
	}
	return checkEnd(s)
}

// actOf an entry that was recorded.
func actOf(s *protocol.Session, entry int) transcript.Act {
	for _, e := range s.Entries() {
		if e.Index == entry {
			return e.Act
		}
	}
	return s.Transcript().Entries[entry].Act
}

// checkNext holds Next to the transcript alone, which it must not change.
func checkNext(s *protocol.Session) error {
	t := s.Transcript()
	before := transcript.Transcript{Agents: t.Agents, Entries: slices.Clone(t.Entries)}
	first, second := s.Protocol().Next(t), s.Protocol().Next(t)
	if !reflect.DeepEqual(first, second) {
		return fmt.Errorf("Next gives other steps the second time, after %d entries", len(t.Entries))
	}
	if !reflect.DeepEqual(*t, before) {
		return fmt.Errorf("Next changes the transcript of %d entries", len(t.Entries))
	}
	return nil
}

// checkPlan returns what is wrong with the pending steps of a plan.
func checkPlan(s *protocol.Session, pending []protocol.Pending) error {
	if len(pending) == 0 {
		return errors.New("nothing is pending, and there is no end")
	}
	entries := s.Transcript().Entries
	for _, p := range pending {
		if err := checkStep(s, p); err != nil {
			return fmt.Errorf("entry %d (%s of %s): %w", p.Entry, p.Phase, nameOf(p.Speaker), err)
		}
	}
	if len(entries) > 0 && pending[0].Round < entries[len(entries)-1].Round {
		return fmt.Errorf("entry %d goes back from round %d to %d", pending[0].Entry, entries[len(entries)-1].Round,
			pending[0].Round)
	}
	for _, e := range entries[max(0, len(entries)-2):] { // decisions make themselves: their steps are never pending
		if err := checkDecision(s, e); err != nil {
			return fmt.Errorf("entry %d (%s): %w", e.Index, e.Phase, err)
		}
	}
	return nil
}

func checkStep(s *protocol.Session, p protocol.Pending) error {
	made, traits := len(s.Transcript().Entries), s.Protocol().Traits()
	switch {
	case p.Phase == "":
		return errors.New("it has no phase")
	case p.Round < 1 || p.Round > s.Protocol().Rounds():
		return fmt.Errorf("it is in round %d of %d", p.Round, s.Protocol().Rounds())
	case p.Speaker.Role == "" && (p.Speaker.Index < 0 || p.Speaker.Index >= s.Transcript().Agents):
		return fmt.Errorf("there are %d agents", s.Transcript().Agents)
	case p.Kind == transcript.Ask && p.Speaker.Role != "" && !slices.Contains(traits.Roles, p.Speaker.Role):
		return fmt.Errorf("the role is not among those of Traits, %q", traits.Roles)
	case p.Kind == transcript.Ask && p.Payload.Format == "":
		return errors.New("an answer has a format")
	case p.Payload.Standing >= made:
		return fmt.Errorf("entry %d cannot stand yet", p.Payload.Standing)
	case p.Payload.Format == transcript.FormatBallot && p.Payload.Ballot.N != len(p.Payload.Candidates):
		return fmt.Errorf("a ballot over %d has %d candidates", p.Payload.Ballot.N, len(p.Payload.Candidates))
	}
	return checkIndices(made, p.Step)
}

// checkIndices holds what a step refers to before the entries that are made.
func checkIndices(made int, step transcript.Step) error {
	for _, r := range slices.Concat(step.Sees, step.Payload.Ballots) {
		if r.From < 0 || r.From > r.To || r.To > made {
			return fmt.Errorf("entries %d to %d are not among the %d that there are", r.From, r.To, made)
		}
	}
	for _, c := range step.Payload.Candidates {
		if c.Entry >= made {
			return fmt.Errorf("candidate %q of entry %d is not there yet", c.Key, c.Entry)
		}
	}
	return nil
}

// checkDecision holds a decision to what verify needs to find it again: the way
// of breaking ties and the electorate that Traits promise.
func checkDecision(s *protocol.Session, e transcript.Entry) error {
	if e.Kind != transcript.Decide {
		return nil
	}
	traits := s.Protocol().Traits()
	if traits.Ruleless {
		return errors.New("a protocol that is ruleless by its Traits decides by a rule")
	}
	if got, want := e.Payload.Ties, traits.TieBreak(e.Round, e.Phase); got != want &&
		!(got == "" && want == transcript.TiesKeep) {
		return fmt.Errorf("ties are %q, by Traits %q", got, want)
	}
	votes := 0
	for _, r := range e.Payload.Ballots {
		for _, v := range s.Transcript().Entries[r.From:r.To] {
			if v.Payload.Format == transcript.FormatBallot && v.Kind == transcript.Ask {
				votes++
			}
		}
	}
	electorate := s.Transcript().Agents
	if e.Payload.Electorate > 0 {
		electorate = e.Payload.Electorate
	}
	if want := map[bool]int{true: votes, false: s.Transcript().Agents}[traits.AskedVote]; votes > 0 &&
		electorate != want {
		return fmt.Errorf("the electorate is %d, by Traits %d", electorate, want)
	}
	return checkIndices(e.Index, e.Step)
}

// checkEnd holds the outcome to the transcript.
func checkEnd(s *protocol.Session) error {
	o, entries := s.Outcome(), s.Transcript().Entries
	switch {
	case o.Reason == "":
		return errors.New("the end has no reason")
	case o.Round < 1 || o.Round > s.Protocol().Rounds():
		return fmt.Errorf("the end is in round %d of %d", o.Round, s.Protocol().Rounds())
	case o.Standing >= len(entries) || o.Standing < -1:
		return fmt.Errorf("entry %d of %d stands at the end", o.Standing, len(entries))
	case o.Standing >= 0 && entries[o.Standing].Act.Key == "":
		return fmt.Errorf("entry %d stands at the end and proposes nothing", o.Standing)
	}
	return nil
}

// randomAct returns an answer that a model may come to: one of four is none.
func randomAct(p protocol.Pending, draw *rand.Rand) transcript.Act {
	none := map[transcript.Format]transcript.Status{transcript.FormatProposal: transcript.Skipped,
		transcript.FormatBallot: transcript.Abstained}
	if p.Kind == transcript.Ask && draw.IntN(4) == 0 {
		if status, ok := none[p.Payload.Format]; ok && draw.IntN(2) == 0 {
			return transcript.Act{Status: status}
		}
		return transcript.Act{Status: transcript.Invalid}
	}
	a := transcript.Act{Status: transcript.Said, Values: []float64{float64(draw.IntN(3))}}
	switch {
	case p.Payload.Format == transcript.FormatBallot:
		form := p.Payload.Ballot
		ballots := rapid.Custom(func(t *rapid.T) transcript.Ballot { return ruletest.Ballot(t, form) })
		b := ballots.Example(int(draw.Int32()))
		a.Ballot = &b
	case p.Payload.Format == transcript.FormatReply && len(p.Payload.Candidates) > 0 && draw.IntN(2) == 0:
		a.Ballot = &transcript.Ballot{}
	case p.Payload.Format == transcript.FormatMessage, p.Payload.Format == transcript.FormatText,
		p.Payload.Format == transcript.FormatPersona,
		p.Payload.Format == transcript.FormatEstimate:
		if p.Kind == transcript.Env {
			a.Key = fmt.Sprint("k", draw.IntN(3))
		}
	default:
		a.Key = fmt.Sprint("k", draw.IntN(3))
	}
	return a
}
