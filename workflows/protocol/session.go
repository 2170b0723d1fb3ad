package protocol

import (
	"errors"
	"fmt"
	"slices"

	"roundtable/envs"
	"roundtable/workflows/seats"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Session drives a Protocol over a growing transcript. Workflow, activities
// and verification all use it, so they agree on every index, on what is
// pending and on every decision.
type Session struct {
	protocol Protocol
	setting  Setting
	stop     stopping.Rule
	t        transcript.Transcript
	plan     []transcript.Step
	acts     []*transcript.Act // by step of the plan; nil is pending
	outcome  *Outcome
	fork     *fork // nil if it goes on from no other session
}

// Pending is a step that waits for its act, with the index that its entry will have.
type Pending struct {
	Entry int
	transcript.Step
}

// NewSession starts a session with an empty transcript.
func NewSession(p Protocol, set Setting, stop stopping.Rule) *Session {
	s := newSession(Parts{p, set, stop})
	s.advanceSession()
	return s
}

func newSession(by Parts) *Session {
	return &Session{protocol: by.Protocol, setting: by.Setting, stop: by.Stop,
		t: transcript.Transcript{Agents: by.Setting.Agents}}
}

// Begin starts an empty session, as NewSession does, and returns a panic as ErrPanic.
func Begin(p Protocol, set Setting, stop stopping.Rule) (s *Session, err error) {
	defer restoreOnPanic(&err, func() { s = nil })
	return NewSession(p, set, stop), nil
}

// Transcript returns the transcript so far; the entries of a plan appear together once all have
// acts.
func (s *Session) Transcript() *transcript.Transcript { return &s.t }

// Protocol returns the protocol that the session drives.
func (s *Session) Protocol() Protocol { return s.protocol }

// Seats returns who the agents are, by index; nil if the campaign does not describe them.
func (s *Session) Seats() []seats.Seat { return s.setting.Seats }

// Outcome returns how the session ended; nil while steps are pending.
func (s *Session) Outcome() *Outcome { return s.outcome }

// Round returns the round of the pending steps, or the last round if none are pending.
func (s *Session) Round() int {
	if len(s.plan) > 0 {
		return s.plan[0].Round
	}
	return s.outcome.Round
}

// Pending returns the steps of the present plan that have no act yet, in order.
func (s *Session) Pending() []Pending {
	var pending []Pending
	for i, step := range s.plan {
		if s.acts[i] == nil {
			pending = append(pending, Pending{Entry: len(s.t.Entries) + i, Step: step})
		}
	}
	return pending
}

// mostOutlined bounds the calls of an outline: a protocol may go on with a round for ever if
// nobody ever answers otherwise.
const mostOutlined = 10000

// Outline returns the phases of the pending round that make calls, in order, and an estimate of
// the number of calls, as if everybody proposed something new. A fork's replaced texts count as
// calls.
func (s *Session) Outline() (phases []string, calls int) {
	t := s.t
	t.Entries = slices.Clone(t.Entries)
	steps, round := s.plan, s.Round()
	defer func() { _ = recover() }() // a protocol that fails at made-up acts has told what it could
	for len(steps) > 0 && steps[0].Round == round && calls < mostOutlined {
		for _, step := range steps {
			if step.Kind == transcript.Ask || step.Kind == transcript.Annotate {
				calls++
				if !slices.Contains(phases, step.Phase) {
					phases = append(phases, step.Phase)
				}
			}
			act := transcript.Act{Status: transcript.Said, Key: fmt.Sprint(len(t.Entries)),
				Ballot: &transcript.Ballot{Abstain: true}}
			if step.Kind == transcript.Decide {
				act = Decide(&t, step, s.setting)
			}
			t.Append(step, act)
		}
		steps = s.protocol.Next(&t).Steps
	}
	return phases, calls
}

// Entries returns the transcript's entries and those of the present plan that already have acts.
func (s *Session) Entries() []transcript.Entry {
	entries := slices.Clone(s.t.Entries)
	for i, step := range s.plan {
		if s.acts[i] != nil {
			entries = append(entries, transcript.Entry{Index: len(s.t.Entries) + i, Step: step, Act: *s.acts[i]})
		}
	}
	return entries
}

// HasAct reports whether an entry has its act.
func (s *Session) HasAct(entry int) bool {
	i := entry - len(s.t.Entries)
	return i < 0 || i < len(s.plan) && s.acts[i] != nil
}

// Record sets the act of a pending entry. After ErrPanic the act is recorded, but the session
// cannot continue.
func (s *Session) Record(entry int, act transcript.Act) (err error) {
	i := entry - len(s.t.Entries)
	if i < 0 || i >= len(s.plan) || s.acts[i] != nil {
		return fmt.Errorf("entry %d is not pending", entry)
	}
	s.acts[i] = &act
	defer restoreOnPanic(&err, func() { s.plan, s.acts = nil, nil }) // the plan that was full is in the transcript
	s.advanceSession()
	return nil
}

// ErrPanic reports a panic of a protocol, a decision rule or a stopping rule. An uncaught panic
// would make the workflow retry without end.
var ErrPanic = errors.New("a bug in the program: panic in the protocol or a rule")

func restoreOnPanic(err *error, restore func()) {
	if p := recover(); p != nil {
		restore()
		if unreadable, ok := p.(unreadableError); ok {
			*err = unreadable
			return
		}
		*err = fmt.Errorf("%w: %v", ErrPanic, p)
	}
}

// advanceSession closes full plans, counts ballots and asks for the next plan, until
// another agent has to act or the collaboration ends.
func (s *Session) advanceSession() {
	for s.outcome == nil && !slices.Contains(s.acts, nil) {
		for i, step := range s.plan {
			s.t.Append(step, *s.acts[i])
		}
		if s.fork != nil && s.fork.leaves && !s.fork.begun {
			s.open(s.leave(nil))
		} else {
			s.open(s.protocol.Next(&s.t))
		}
	}
}

func (s *Session) open(p Plan) {
	if (p.End == nil) == (len(p.Steps) == 0) {
		panic("protocol: a plan is steps or an end, exactly one of the two")
	}
	s.plan, s.acts = p.Steps, make([]*transcript.Act, len(p.Steps))
	if s.outcome = p.End; s.outcome != nil {
		return
	}
	if last := len(s.t.Entries) - 1; last >= 0 {
		if r := s.t.Entries[last].Round; p.Steps[0].Round > r && s.endsRound(r) {
			return
		}
	}
	if s.fork != nil && !s.fork.begun && s.fork.isReached(p, len(s.t.Entries)) {
		s.open(s.leave(p.Steps))
		return
	}
	for i, step := range s.plan {
		step = s.setting.withReasons(step)
		s.plan[i] = step
		s.plan[i].Sees = s.setting.rangesHeard(&s.t, step, s.setting.rangesRemembered(&s.t, step))
		if s.fork != nil {
			s.plan[i].Sees = s.fork.visibleRanges(s.plan[i].Sees)
			s.acts[i] = s.fork.decide(len(s.t.Entries)+i, step)
		}
		if step.Kind == transcript.Decide {
			act := Decide(&s.t, step, s.setting)
			s.acts[i] = &act
		}
	}
}

// endsRound asks the stopping rule at the end of a round, and reports whether something
// else comes of that than the next round: the end, or first the annotations that the
// rule needs. When these have acts the protocol is asked again.
func (s *Session) endsRound(round int) bool {
	if a, ok := s.stop.(stopping.Annotator); ok {
		if steps := a.Annotations(&s.t, round); len(steps) > 0 {
			s.plan, s.acts = steps, make([]*transcript.Act, len(steps))
			return true
		}
	}
	if !s.stop.Stop(&s.t, round) {
		return false
	}
	s.plan, s.acts = nil, nil
	s.outcome = &Outcome{Standing: s.standingCandidate(), Reason: "stopped", Round: round}
	return true
}

// standingCandidate returns what stands now, by the protocol's own word or by the last vote.
func (s *Session) standingCandidate() int {
	if standing := s.protocol.Traits().Standing; standing != nil {
		return standing(&s.t)
	}
	return Standing(&s.t)
}

// Standing returns the entry whose proposal stands after the last vote; -1 if none.
func Standing(t *transcript.Transcript) int {
	e, ok := t.Last(func(e transcript.Entry) bool { return e.Kind == transcript.Decide })
	if !ok {
		return -1
	}
	return e.Act.Decision.Standing
}

// Decide counts the ballots of a Decide step and returns its act: the winners, the one selected
// and what stands now.
func Decide(t *transcript.Transcript, step transcript.Step, set Setting) transcript.Act {
	d := transcript.Decision{Selected: -1, Standing: step.Payload.Standing}
	if len(step.Payload.Candidates) > 0 {
		d.Winners = set.Rule.Tally(set.Profile(t, step)).Winners
		d.Selected = BreakTie(d.Winners, step.Payload.Ties, set.Seed, step.Round, step.Phase)
	}
	if d.Selected >= 0 && step.Payload.Candidates[d.Selected].Key != "" { // words alone do not stand
		d.Standing = step.Payload.Candidates[d.Selected].Entry
	}
	if d.Standing >= 0 {
		d.Key = t.Entries[d.Standing].Act.Key
	}
	return transcript.Act{Status: transcript.Said, Decision: &d}
}

// BreakTie returns the selected one of the winners of a vote, or -1 for none. TiesLottery draws
// by seed, round and phase.
func BreakTie(winners []int, ties transcript.TieBreak, seed uint64, round int, phase string) int {
	switch {
	case len(winners) == 1:
		return winners[0]
	case ties == transcript.TiesSettle:
		return 0
	case len(winners) == 0:
		return -1
	case ties == transcript.TiesFirst:
		return winners[0]
	case ties == transcript.TiesLottery:
		return winners[envs.Stream(seed, "ties", round, phase).IntN(len(winners))]
	}
	return -1
}
