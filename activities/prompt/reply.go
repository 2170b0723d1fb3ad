package prompt

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/envs"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// Tags of a reply.
const (
	TagAgree    = "agree"
	TagDisagree = "disagree"
)

var tags = regexp.MustCompile(`(?i)\[\s*(agree|disagree)\s*\]`)

// refuses are texts that say "agree" and do not.
var refuses = regexp.MustCompile(`(?i)(?:\bnot|n['’]t|\bcannot|\bnever|\bunable to|\bhard to|\bwould|\bcould|\bif (?:i|we))\s+(?:\w+\s+){0,2}agree`)

// stanceOf returns a reply's first tag; without one, a text that says "agree" and
// nowhere "disagree" agrees, as in the code of paper 2's authors, unless it says that it
// does not.
func stanceOf(text string) string {
	if m := tags.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1])
	}
	text = strings.ToLower(text)
	if strings.Contains(text, TagAgree) && !strings.Contains(text, TagDisagree) && !refuses.MatchString(text) {
		return TagAgree
	}
	return TagDisagree
}

// parseReply reads a message of a discussion. Where there is a draft, it agrees
// with it, which is a vote for it, or not; what answer it ends with is kept, but
// it needs none.
func parseReply(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
	a, err := parseText(text, cut, step, inst)
	if err != nil {
		return a, err
	}
	if len(step.Payload.Candidates) > 0 {
		a.Act.Tags = []string{stanceOf(a.Text)}
		if a.Act.Tags[0] == TagAgree {
			a.Act.Ballot = &transcript.Ballot{}
		}
	}
	if p, readAs, err := finalAnswer(tags.ReplaceAllString(a.Text, "\n"), cut, inst); err == nil {
		a.Proposal, a.ReadAs, a.Act.Key = p, readAs, Key(p)
	}
	return a, nil
}

const mostPersona = 2000 // bytes of a description

// parsePersona reads a persona; its text is what agents are told.
func parsePersona(object jsontext.Value, _ transcript.Step, _ envs.Instance) (Answer, error) {
	var p protocol.Persona
	if err := json.Unmarshal(object, &p); err != nil || strings.TrimSpace(p.Role) == "" ||
		strings.TrimSpace(p.Description) == "" {
		return Answer{}, errors.New(`it needs "role" and "description", each a text`)
	}
	text := personaText(p)
	switch {
	case strings.ContainsRune(text, 0):
		return Answer{}, errNUL
	case len(text) > mostPersona:
		return Answer{}, errors.New("it is too long; one sentence of description is enough")
	}
	return Answer{Act: transcript.Act{Status: transcript.Said}, Text: text}, nil
}

// personaText returns a role and what it is in brackets, on one line.
func personaText(p protocol.Persona) string {
	text := strings.TrimSpace(p.Role)
	if p.Description != "" {
		text += " (" + strings.TrimSpace(p.Description) + ")"
	}
	return strings.Join(strings.Fields(text), " ")
}

// Persona is the role that an agent is told to play.
type Persona struct {
	Agent string
	Text  string // role (description)
}

// personasShown returns the personas that the step's speaker is shown, its own first: written
// in the transcript, or given by the campaign.
func (s Source) personasShown(step transcript.Step) (own string, all []Persona) {
	names := s.agentNames()
	authored := s.Protocol.Traits().Authored // for whom the n-th was written
	s.visitVisible(step, func(e transcript.Entry) {
		if e.Payload.Format != transcript.FormatPersona || e.Act.Status != transcript.Said || e.Index >= len(authored) {
			return
		}
		all = append(all, Persona{Agent: names[authored[e.Index]], Text: s.Said(e.Index).Text})
		if step.Speaker.Role == "" && step.Speaker.Index == authored[e.Index] {
			own = s.Said(e.Index).Text
		}
	})
	for i, p := range listPersonas(s.Protocol, names) {
		if p.Text == "" {
			continue
		}
		all = append(all, p)
		if step.Speaker == (transcript.Speaker{Index: i}) {
			own = p.Text
		}
	}
	slices.SortStableFunc(all, func(a, b Persona) int { return slices.Index(names, a.Agent) - slices.Index(names, b.Agent) })
	return own, all
}

// ListPersonas returns the personas that a campaign's file gives, by agent; nil if it gives none.
func ListPersonas(p protocol.Protocol, inst envs.Instance) []Persona {
	return slices.DeleteFunc(listPersonas(p, Names(inst.Agents())), func(p Persona) bool { return p.Text == "" })
}

// listPersonas has an empty text for an agent without a persona.
func listPersonas(p protocol.Protocol, names []string) []Persona {
	given := p.Traits().Persona
	if given == nil {
		return nil
	}
	all := make([]Persona, len(names))
	for i, name := range names {
		all[i].Agent = name
		if one, ok := given(i); ok && one.Role != "" {
			all[i].Text = personaText(one)
		}
	}
	return all
}
