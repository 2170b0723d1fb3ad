package protocol

import (
	"fmt"
	"slices"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Parts are the protocol, setting and stopping rule that drive a session.
type Parts struct {
	Protocol Protocol
	Setting  Setting
	Stop     stopping.Rule
}

// Fork says where and how a session diverges from the original one. Up to there it is driven by
// Before and has the original's answers: the prefix. With neither Round nor Entry it diverges
// after the first turn that is removed or replaced.
type Fork struct {
	Before Parts
	// Round is the first round that differs; 0 if Entry or a message says where.
	Round int
	// Entry is the first entry that may differ; within a plan, the fork begins with the next plan. 0
	// if Round or a message says where.
	Entry int
	// Drop are agents that take no further part: their turns are skipped and their ballots are
	// abstentions, without a call.
	Drop []int
	// Remove are messages that nobody sees.
	Remove []Message
	// Replace are messages with the texts that others see instead.
	Replace []Replacement
}

// Message picks messages: turns of agents that others see, but not ballots. A field that is zero
// or nil matches any.
type Message struct {
	Round int    `json:"round,omitempty"`
	Agent *int   `json:"agent,omitempty"`
	Phase string `json:"phase,omitempty"`
	Entry *int   `json:"entry,omitempty"`
}

// Replacement picks messages and gives the text that replaces them: an answer as a model would
// write it.
type Replacement struct {
	Message
	Text string `json:"text"`
}

// Picks reports whether step, with index entry, is one of the messages.
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

// BeginFork starts a session that f forks from another and that after drives from there on; it
// returns a panic as ErrPanic.
func BeginFork(f Fork, after Parts) (s *Session, err error) {
	defer restoreOnPanic(&err, func() { s = nil })
	s = newSession(f.Before)
	s.fork = &fork{Fork: f, after: after, hidden: map[int]bool{}, given: map[int]string{}}
	s.advanceSession()
	return s, nil
}

// InPrefix reports whether the pending entries still belong to a fork's prefix, so their answers
// are known. It is false once the session has ended.
func (s *Session) InPrefix() bool { return s.fork != nil && !s.fork.begun && s.outcome == nil }

// Prefix returns how many entries are the original session's: all so far, until this one
// diverges; 0 without a fork.
func (s *Session) Prefix() int {
	switch {
	case s.fork == nil:
		return 0
	case s.fork.begun:
		return s.fork.from
	}
	return len(s.t.Entries)
}

// IsTaken reports whether an entry has the original session's answer: it is in the prefix and not
// replaced.
func (s *Session) IsTaken(entry int) bool {
	_, given := s.Instead(entry)
	return entry < s.Prefix() && !given
}

// Instead returns the text that a fork puts in place of an entry's answer; false if there is
// none.
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
		panic(unreadableError(fmt.Sprintf("what is changed cannot continue from these turns: after %d entries round "+
			"%d would follow, and with the change %s does", f.from, was[0].Round, follows)))
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
