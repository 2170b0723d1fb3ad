package prompt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"roundtable/activities/model"
	"roundtable/workflows/transcript"
)

// SystemPrompt is the part of an agent's prompt that is the same in every turn: what
// comes from the environment and the rule. It belongs to one collaboration.
type SystemPrompt struct {
	Task, Background, ProposalForm string

	// AnswerForm is how a free text ends with a proposal; empty if the
	// environment has no words for it.
	AnswerForm string
	// EstimateForm is that of an estimate of the state; empty if there is none.
	EstimateForm string
	Rule         Rule

	messages map[string]string // system messages that no turn changes, by speaker
}

const (
	systemTemplate = "protocol/system.tmpl"
	seatTemplate   = "agent/seat.tmpl" // goes on where the other ends
)

// RenderSystem returns the system prompt of one agent.
func (t *Templates) RenderSystem(observation any) (SystemPrompt, error) {
	system := SystemPrompt{messages: map[string]string{}}
	for _, part := range []struct {
		name string
		to   *string
	}{
		{"env/task.tmpl", &system.Task}, {"env/background.tmpl", &system.Background},
		{"env/proposal.tmpl", &system.ProposalForm},
		{"env/answer.tmpl", &system.AnswerForm}, {"env/estimate.tmpl", &system.EstimateForm},
		{"rule/name.tmpl", &system.Rule.Name}, {"rule/explanation.tmpl", &system.Rule.Explanation},
		{"rule/ballot.tmpl", &system.Rule.Ballot},
	} {
		optional := part.name == "env/answer.tmpl" || part.name == "env/estimate.tmpl"
		if optional && t.set.Lookup(part.name) == nil {
			continue
		}
		var err error
		if *part.to, err = t.executeTemplate(part.name, observation); err != nil {
			return SystemPrompt{}, err
		}
	}
	return system, nil
}

// RenderRoleSystem returns the system prompt of a speaker that is not an agent: what everybody is
// told, without what only one agent knows.
func (t *Templates) RenderRoleSystem(observation any) (SystemPrompt, error) {
	system, err := t.RenderSystem(observation)
	system.Background = ""
	return system, err
}

// Render returns the prompt of step: the system message with the task, the rules and the agent's
// background, unless its template is empty; then what the agent sees and is to do. Where the
// protocol is a chat, what the agent was asked and answered before comes in between.
func (t *Templates) Render(s Source, shared SystemPrompt, step transcript.Step) ([]model.Message, error) {
	v := s.viewOf(step)
	if len(v.unshown) > 0 { // an agent would lack what its protocol shows it
		e := v.unshown[0]
		return nil, fmt.Errorf("entry %d (%s of %s, format %q) is seen by the step %s of %s, and no prompt can show it; "+
			"prompts show agents' proposals, and of roles and the environment texts, messages and answers",
			e.Index, e.Phase, name(v.Agents, e.Speaker), e.Payload.Format, step.Phase, v.Me)
	}
	v.SystemPrompt = shared
	system, err := t.systemMessage(v)
	if err != nil {
		return nil, err
	}
	var messages []model.Message
	say := func(role, text string, ends []int) {
		messages = append(messages, model.Message{Role: role, Content: text, Ends: ends})
	}
	again := s.Protocol.Rounds() > 1 // else nobody would read what a service is told to keep
	if system != "" {
		say("system", system, endOf(system, again || len(v.Agents) > 1)) // others begin so in this round
	}
	asked, said := "", []int(nil) // and not answered yet
	ask := func(step transcript.Step, v View) error {
		v.ends = &partEnds{}
		text, err := t.executeTemplate("protocol/"+cmp.Or(step.Payload.Prompt, step.Phase)+".tmpl", v)
		if said = v.ends.at; asked != "" || !again || v.Seat.Forgets() {
			said = nil
		}
		asked = strings.TrimSpace(asked + "\n\n" + text)
		return err
	}
	for _, e := range s.chatHistory(step) {
		earlier := s.viewOf(e.Step)
		earlier.SystemPrompt = shared
		if err := ask(e.Step, earlier); err != nil {
			return nil, err
		}
		if answer := s.Said(e.Index).Text; answer != "" { // else the next question follows at once
			say("user", asked, endOf(asked, true))
			say("assistant", answer, nil)
			asked = ""
		}
	}
	if err := ask(step, v); err != nil {
		return nil, err
	}
	if s.Protocol.Traits().Chat && step.Round < s.Protocol.Rounds() && step.Speaker.Role == "" {
		said = endOf(asked, true)
	}
	say("user", asked, said)
	return messages, nil
}

// endOf returns the end of a text of which the next prompt repeats all, if it does.
func endOf(text string, again bool) []int {
	if !again {
		return nil
	}
	return []int{len(text)}
}

// systemMessage renders the system message, once if no turn changes it.
func (t *Templates) systemMessage(v View) (string, error) {
	if text, ok := v.messages[v.Me]; ok {
		return text, nil
	}
	text, err := t.executeTemplate(systemTemplate, v)
	if err == nil && t.set.Lookup(seatTemplate) != nil {
		var seat string
		seat, err = t.executeTemplate(seatTemplate, v)
		text = strings.TrimSpace(text + "\n\n" + seat)
	}
	if err == nil && t.steady && v.messages != nil {
		v.messages[v.Me] = text
	}
	return text, err
}

// chatHistory returns the speaker's own earlier answers among what a step sees, oldest
// first, if its protocol is a chat.
func (s Source) chatHistory(step transcript.Step) []transcript.Entry {
	if !s.Protocol.Traits().Chat || step.Speaker.Role != "" {
		return nil
	}
	var own []transcript.Entry
	s.visitVisible(step, func(e transcript.Entry) {
		if e.Speaker == step.Speaker && e.Payload.Format == transcript.FormatAnswer {
			own = append(own, e)
		}
	})
	return own
}

// Hash returns a hash that identifies the messages of a prompt.
func Hash(messages []model.Message) string {
	data, err := json.Marshal(messages)
	if err != nil {
		panic("prompt: " + err.Error()) // strings always marshal
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
