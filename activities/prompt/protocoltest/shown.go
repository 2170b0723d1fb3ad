package protocoltest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// marked is a talk in which everything that is said has its own mark.
type marked struct {
	*protocol.Session
	env       envs.Environment
	instance  envs.Instance
	templates *prompt.Templates
	hears     protocol.Hearing
}

// checkPrompts plays a talk in which everybody says something, and holds every
// prompt to what its step sees.
func (g Game) checkPrompts() (err error) {
	m := marked{env: g.Env, hears: g.Hears}
	if m.instance, err = g.instance(); err == nil {
		if m.templates, err = g.templates(); err == nil {
			m.Session, err = g.session(len(m.instance.Agents()))
		}
	}
	if err != nil {
		return err
	}
	var wrong []error
	for m.Outcome() == nil {
		pending := m.Pending()
		for _, p := range pending {
			if p.Kind == transcript.Ask {
				wrong = append(wrong, m.check(p))
			}
		}
		for _, p := range pending {
			if err := m.Record(p.Entry, markedAct(p)); err != nil {
				return err
			}
		}
	}
	return errors.Join(wrong...)
}

func mark(part string, entry int) string { return fmt.Sprintf("<%s %d>", part, entry) }

func said(entry int) prompt.Said {
	return prompt.Said{Text: mark("text", entry), Reason: mark("reason", entry),
		Proposal: envs.Proposal(mark("proposal", entry))}
}

func markedAct(p protocol.Pending) transcript.Act {
	a := transcript.Act{Status: transcript.Said, Key: fmt.Sprint(p.Entry), Values: []float64{float64(p.Entry)}}
	if p.Payload.Format == transcript.FormatBallot {
		a.Key, a.Ballot = "", &transcript.Ballot{Choice: p.Speaker.Index % len(p.Payload.Candidates)}
	}
	return a
}

// render returns the prompt of a step as one text.
func (m marked) render(p protocol.Pending) (string, error) {
	system, err := m.templates.RenderSystem(m.instance.Observe(p.Speaker.Index))
	if p.Speaker.Role != "" {
		system, err = m.templates.RenderRoleSystem(m.instance.Observe(0))
	}
	if err != nil {
		return "", err
	}
	source := prompt.Source{Env: m.env, Instance: m.instance, Protocol: m.Protocol(),
		Transcript: m.Transcript(), Said: said}
	messages, err := m.templates.Render(source, system, p.Step)
	var text strings.Builder
	for _, message := range messages {
		text.WriteString(message.Content)
	}
	return text.String(), err
}

// check returns how the prompt of a step differs from what the step sees.
func (m marked) check(p protocol.Pending) error {
	text, err := m.render(p)
	if err != nil {
		return err
	}
	must, may := m.shown(p.Step)
	for i, e := range m.Transcript().Entries {
		for _, part := range []string{"text", "reason", "proposal"} {
			there := strings.Contains(text, mark(part, i))
			switch own := e.Speaker == p.Speaker; {
			case must[i] == part && !there && !isListed(p.Step, i, text):
				return fmt.Errorf("entry %d (%s of %s, format %q) stands in Sees of entry %d (%s of %s), but no template shows its %s",
					i, e.Phase, nameOf(e.Speaker), e.Payload.Format, p.Entry, p.Phase, nameOf(p.Speaker), part)
			case there && !may[i]:
				return fmt.Errorf("entry %d (%s of %s) does not stand in Sees of entry %d (%s of %s), whose prompt shows its %s",
					i, e.Phase, nameOf(e.Speaker), p.Entry, p.Phase, nameOf(p.Speaker), part)
			case there && m.hears == protocol.HearsNobody && isOfPeer(e, p.Step) &&
				p.Payload.Format != transcript.FormatBallot:
				return fmt.Errorf("agents hear nobody, and the prompt of entry %d (%s of %s) shows the %s of %s",
					p.Entry, p.Phase, nameOf(p.Speaker), part, nameOf(e.Speaker))
			case there && part == "reason" && !own:
				return fmt.Errorf("the prompt of entry %d (%s of %s) shows the private reason of %s", p.Entry, p.Phase,
					nameOf(p.Speaker), nameOf(e.Speaker))
			}
		}
	}
	return nil
}

// isOfPeer reports whether an entry is another agent's, to an agent.
func isOfPeer(e transcript.Entry, step transcript.Step) bool {
	return step.Speaker.Role == "" && e.Speaker.Role == "" && e.Speaker != step.Speaker
}

// isListed reports whether a prompt shows an entry as a candidate, by its proposal.
func isListed(step transcript.Step, entry int, text string) bool {
	return slices.ContainsFunc(step.Payload.Candidates,
		func(c transcript.Candidate) bool { return c.Entry == entry }) &&
		strings.Contains(text, mark("proposal", entry))
}

// remembersPrompts reports whether a step's prompt repeats what its speaker was
// asked before: in a chat, what an earlier step saw is seen again.
func (m marked) remembersPrompts(step transcript.Step) bool {
	return m.Protocol().Traits().Chat && step.Speaker.Role == ""
}

// shown returns which part of an entry a step's prompt must show, and of which
// entries it may show something: what is seen, its candidates, and what a
// decision that is seen was about. Of proposals and states of one speaker the
// latest counts.
func (m marked) shown(step transcript.Step) (must map[int]string, may map[int]bool) {
	must, may = map[int]string{}, map[int]bool{}
	latest := map[string]int{}
	candidates := func(list []transcript.Candidate) {
		for _, c := range list {
			may[c.Entry] = true
		}
	}
	candidates(step.Payload.Candidates)
	for _, r := range step.Sees {
		for i, e := range m.Transcript().Entries[r.From:r.To] {
			entry := r.From + i
			if !e.Audience.Hears(step.Speaker) {
				continue
			}
			may[entry] = true
			if e.Speaker == step.Speaker && m.remembersPrompts(step) {
				_, before := m.shown(e.Step)
				maps.Copy(may, before)
			}
			isState := e.Kind == transcript.Env && e.Speaker.Role == ""
			switch {
			case e.Payload.Format == transcript.FormatBallot:
			case e.Payload.Format == transcript.FormatPersona && entry != step.Speaker.Index: // others' may be left out
			case isState, e.Payload.Format == transcript.FormatProposal:
				key := e.Kind.String() + nameOf(e.Speaker)
				if before, again := latest[key]; again {
					delete(must, before)
				}
				latest[key], must[entry] = entry, "proposal"
			case e.Kind == transcript.Decide:
				candidates(e.Payload.Candidates)
				if d := e.Act.Decision; d.Standing >= 0 {
					may[d.Standing], must[d.Standing] = true, "proposal"
				}
			default:
				must[entry] = "text"
			}
		}
	}
	return must, may
}
