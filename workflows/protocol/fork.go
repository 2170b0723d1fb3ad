package protocol

import (
	"fmt"
	"slices"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Parts are what a session is driven by.
type Parts struct {
	Protocol Protocol
	Setting  Setting
	Stop     stopping.Rule
}

// Fork says where a session leaves the course of another one, and how. Until there it is
// driven by Before, and its answers are those of the other session: the prefix. With
// neither Round nor Entry it leaves after the first turn that is removed or replaced.
type Fork struct {
	Before Parts
	// Round is the first round that is another one; 0 if it does not begin with a round.
	Round int
	// Entry is the first entry that can be another one, or the first after it that begins a
	// plan; 0 if it does not begin with an entry.
	Entry int
	// Drop are agents that take no further part: their turns are skipped, their ballots
	// abstentions, and nobody is asked.
	Drop []int
	// Remove are messages that nobody gets to see.
	Remove []Message
	// Replace are messages in whose place others see a given text.
	Replace []Replacement
}

// Message picks messages: turns of agents that others see, but not ballots. What is zero
// or nil picks any.
type Message struct {
	Round int    `json:"round,omitempty"`
	Agent *int   `json:"agent,omitempty"`
	Phase string `json:"phase,omitempty"`
	Entry *int   `json:"entry,omitempty"`
}

// Replacement is a message with what stands in its place: the answer as a model would give it.
type Replacement struct {
	Message
	Text string `json:"text"`
}

// Picks reports whether a step is one of the messages.
func (m Message) Picks(entry int, step transcript.Step) bool {
	return IsMessage(step) && (m.Round == 0 || m.Round == step.Round) &&
		(m.Agent == nil || *m.Agent == step.Speaker.Index) &&
		(m.Phase == "" || m.Phase == step.Phase) && (m.Entry == nil || *m.Entry == entry)
}

// IsMessage reports whether a step is an agent's turn that another speaker may see, and no ballot.
func IsMessage(step transcript.Step) bool {
	if step.Kind != transcript.Ask || step.Speaker.Role != "" || step.Payload.Format == transcript.FormatBallot {
		return false
	}
	others := func(s transcript.Speaker) bool { return s != step.Speaker }
	return step.Audience.Everybody || slices.ContainsFunc(step.Audience.Speakers, others)
}

// fork is a session's way of leaving another one's course.
type fork struct {
	Fork
	after  Parts
	begun  bool         // the prefix is over
	leaves bool         // the prefix is over once the present plan is
	from   int          // first entry after the prefix, once it is over
	hidden map[int]bool // entries that nobody sees
	given  map[int]string
}

// BeginFork starts a session that goes on from another one's course, with a panic
// returned as ErrPanic.
func BeginFork(f Fork, after Parts) (s *Session, err error) {
	defer restoreOnPanic(&err, func() { s = nil })
	s = newSession(f.Before)
	s.fork = &fork{Fork: f, after: after, hidden: map[int]bool{}, given: map[int]string{}}
	s.advanceSession()
	return s, nil
}

// InPrefix reports whether the pending entries are of a course that the session has still
// to leave: their answers are known. It is false once the session is over.
func (s *Session) InPrefix() bool { return s.fork != nil && !s.fork.begun && s.outcome == nil }

// Prefix returns how many entries come from another course; 0 without a fork. A session
// that has ended without leaving it has no others.
func (s *Session) Prefix() int {
	switch {
	case s.fork == nil:
		return 0
	case s.fork.begun:
		return s.fork.from
	}
	return len(s.t.Entries)
}

// IsTaken reports whether an entry is the other session's: it is before the point where this
// one leaves its course, and no text stands in its place.
func (s *Session) IsTaken(entry int) bool {
	_, given := s.Instead(entry)
	return entry < s.Prefix() && !given
}

// Instead returns what stands in place of an entry's answer; false if it is to be asked.
func (s *Session) Instead(entry int) (string, bool) {
	if s.fork == nil {
		return "", false
	}
	text, ok := s.fork.given[entry]
	return text, ok
}

// isReached reports whether a plan that follows so many entries is beyond the prefix. A
// count stays with the ballots that it counts.
func (f *fork) isReached(p Plan, entries int) bool {
	if p.Steps[0].Kind == transcript.Decide {
		return false
	}
	return f.Round > 0 && p.Steps[0].Round >= f.Round || f.Entry > 0 && entries >= f.Entry
}

// leave ends the prefix and returns the plan that follows it under what is changed. was is
// what would have followed; nil if nothing would.
func (s *Session) leave(was []transcript.Step) Plan {
	f := s.fork
	f.begun, f.from = true, len(s.t.Entries)
	s.t.Earlier = f.from
	s.protocol, s.setting, s.stop = f.after.Protocol, f.after.Setting, f.after.Stop
	p := s.protocol.Next(&s.t)
	if len(was) == 0 || f.from == 0 {
		return p
	}
	if len(p.Steps) == 0 || p.Steps[0].Round != was[0].Round {
		follows := "the end"
		if len(p.Steps) > 0 {
			follows = fmt.Sprintf("round %d", p.Steps[0].Round)
		}
		panic(unreadableError(fmt.Sprintf("what is changed cannot continue from these turns: after %d entries round %d would follow, and with the change %s does", f.from, was[0].Round, follows)))
	}
	return p
}

// unreadableError is a transcript that a changed protocol or rule cannot go on from. As
// after ErrPanic, nothing can follow.
type unreadableError string

func (e unreadableError) Error() string { return string(e) }

func (e unreadableError) Is(target error) bool { return target == ErrPanic }

// decide gives a step of the present plan its act where the fork says what it is.
func (f *fork) decide(entry int, step transcript.Step) *transcript.Act {
	dropped := f.begun && step.Speaker.Role == "" && slices.Contains(f.Drop, step.Speaker.Index)
	switch {
	case step.Kind != transcript.Ask:
		return nil
	case dropped && step.Payload.Format == transcript.FormatBallot:
		return &transcript.Act{Status: transcript.Abstained, Ballot: &transcript.Ballot{Abstain: true}}
	case dropped:
		f.hidden[entry] = true
		return &transcript.Act{Status: transcript.Skipped}
	}
	for _, m := range f.Remove {
		if m.Picks(entry, step) {
			f.hidden[entry], f.leaves = true, true
			return &transcript.Act{Status: transcript.Skipped}
		}
	}
	for _, r := range f.Replace {
		if r.Picks(entry, step) {
			f.given[entry], f.leaves = r.Text, true
		}
	}
	return nil
}

// visibleRanges returns the entries of some ranges without those that nobody sees.
func (f *fork) visibleRanges(sees []transcript.Range) []transcript.Range {
	if len(f.hidden) == 0 {
		return sees
	}
	var kept []int
	for _, r := range sees {
		for i := r.From; i < r.To; i++ {
			if !f.hidden[i] {
				kept = append(kept, i)
			}
		}
	}
	return joinRanges(kept)
}
