package collaboration

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

var errNotPending = errors.New("is not pending: answers before it are missing from the store")

// Ask renders the question of a pending entry; if the entry is finished, it returns its turn
// instead.
func (c *Collaboration) Ask(entry int) (calls.Question, *answers.Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.Turns[entry]; ok {
		return calls.Question{}, &t, nil
	}
	step, ok := c.pendingStep(entry)
	if !ok || step.Kind == transcript.Env {
		return calls.Question{}, nil, c.missingEntry(entry)
	}
	q, err := c.renderQuestion(entry, step)
	return q, nil, err
}

// Askable returns the pending entries that can be asked now, without those of speakers in
// elsewhere, whose turns are taken elsewhere; none if the collaboration is over or waits for those.
func (c *Collaboration) Askable(elsewhere []string) (entries []int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.Session.Pending() {
		_, instead := c.Session.Instead(p.Entry)
		switch {
		case instead || p.Kind == transcript.Env:
			return nil, c.missingEntry(p.Entry)
		case !slices.Contains(elsewhere, task.Speaker(p.Speaker)):
			entries = append(entries, p.Entry)
		}
	}
	return entries, nil
}

// renderQuestion renders. The caller holds mu.
func (c *Collaboration) renderQuestion(entry int, step transcript.Step) (calls.Question, error) {
	if _, instead := c.Session.Instead(entry); instead { // its text cannot be used, or it would have been given
		return calls.Question{}, c.missingEntry(entry)
	}
	if step.Kind == transcript.Annotate {
		return c.annotationQuestion(entry, step)
	}
	if step.Kind != transcript.Ask {
		return calls.Question{}, failure.Fail(fmt.Errorf("entry %d: this version cannot take %s steps of %q", entry,
			step.Kind, step.Speaker.Role))
	}
	source, instance, cell := c.promptSource(), c.Instance, c.Ref.Cell
	spoken, generate, provider := entry, c.generateOf(step.Speaker), c.ProviderOf(step.Speaker)
	for _, e := range c.Session.Transcript().Entries { // agents draw the same whether these are there or not
		if e.Kind == transcript.Annotate || e.Speaker.Role == protocol.Stranger {
			spoken--
		}
	}
	system, err := c.systemPrompt(step.Speaker)
	speaker := step.Speaker.Role
	if speaker == protocol.Stranger { // asked as the agent that it stands for is asked first, of another instance
		cell.Instance = c.Campaign.Campaign.StrangersInstance(cell, entry, c.Condition.Environment.Instances())
		if instance, err = c.Condition.Environment.Instance(c.Campaign.Campaign.Seed, cell.Instance); err != nil {
			return calls.Question{}, failure.Fail(err)
		}
		step.Speaker.Role, step.Phase, step.Round = "", step.Payload.Prompt, 1
		source.Instance, spoken = instance, step.Speaker.Index
		system, err = c.Condition.Templates.RenderSystem(instance.Observe(step.Speaker.Index))
	}
	if err != nil {
		return calls.Question{}, failure.Fail(err)
	}
	q := calls.Question{Order: calls.Order{Run: c.Run, Entry: entry, Longest: generate.MaxTokens},
		Reasks: c.Condition.Reasks, Reask: c.Condition.Reask}
	if q.Messages, err = c.Condition.Templates.Render(source, system, step); err != nil {
		return calls.Question{}, failure.Fail(err)
	}
	q.Hash, q.Form = prompt.Hash(q.Messages), prompt.FormOf(step, instance, system)
	names := prompt.Names(instance.Agents())
	if q.Speaker = speaker; q.Speaker == "" {
		q.Speaker = names[step.Speaker.Index]
	}
	q.Provider = provider
	scene := source.Scene(step, nil)
	at := func(ask int) *model.Scene {
		s := *scene
		// The condition is left out: two rules are compared on the same draws.
		s.Situation.Rand = envs.Stream(c.Campaign.Campaign.Seed, "agent",
			cell.Instance, c.Condition.Draws(cell.Replicate), step.Speaker.Role, step.Speaker.Index, step.Round,
			step.Phase, spoken, ask)
		s.Turn = model.Turn{
			Campaign: c.Ref.Campaign, Condition: c.Condition.ConditionID, Collaboration: c.Run.Collaboration,
			Agent: q.Speaker, Role: speaker, Phase: step.Phase,
			Instance: cell.Instance, Replicate: cell.Replicate, Round: step.Round, Entry: entry, Ask: ask,
		}
		if speaker != "" {
			s.Turn.Agent = ""
		}
		return &s
	}
	q.Request = func(before []answers.Answer) model.Request {
		r := q.After(before, model.Parameters(generate), string(step.Payload.Format))
		r.Scene = at(len(before))
		return r
	}
	q.Read = func(raw []byte, t *answers.Turn) error {
		reply := prompt.Reply{Raw: raw}
		if n := len(t.Asks); n > 0 {
			reply.Thinking, reply.Cut = t.Asks[n-1].Thinking, prompt.IsCut(t.Asks[n-1].FinishReason)
		}
		parsed, invalid := prompt.ParseReply(reply, step, instance)
		t.Thinking, t.ReadAs = parsed.Thinking, parsed.ReadAs
		if !q.Form.Text && invalid == nil {
			var reasonless bool
			if reasonless, invalid = prompt.CheckCopied(raw, q.Messages, q.Form); reasonless {
				parsed.Reason = ""
			}
		}
		if t.Text = parsed.Text; invalid == nil { // a text without a usable answer can still be shown
			t.Act, t.Reason, t.Proposal = parsed.Act, parsed.Reason, string(parsed.Proposal)
		}
		return invalid
	}
	q.CacheKey = func(r model.Request, mode string, ask int) (string, error) {
		return c.cacheKey(q.Provider, cell, step.Speaker, r, mode, ask)
	}
	return q, nil
}

// systemPrompt renders once what an agent is system in every turn. The caller holds mu.
func (c *Collaboration) systemPrompt(s transcript.Speaker) (prompt.SystemPrompt, error) {
	if s.Role != "" {
		return c.Condition.Templates.RenderRoleSystem(c.Instance.Observe(0))
	}
	if c.systems[s.Index] == nil {
		system, err := c.Condition.Templates.RenderSystem(c.Instance.Observe(s.Index))
		if err != nil {
			return prompt.SystemPrompt{}, err
		}
		c.systems[s.Index] = &system
	}
	return *c.systems[s.Index], nil
}

func (c *Collaboration) cacheKey(p model.Provider, cell plan.Cell, speaker transcript.Speaker, r model.Request,
	mode string, ask int) (string, error) {
	camp := c.Campaign.Campaign
	scope, err := answers.Scope(camp.CacheScope, camp.Name, c.Condition.ConditionID)
	if err != nil {
		return "", failure.Fail(err)
	}
	return answers.CacheKey(answers.Question{
		Model: p.Name,
		Sent:  r, Mode: mode,
		Seed: int64(camp.Seed), Instance: cell.Instance, Replicate: c.Condition.Draws(cell.Replicate),
		Speaker: speaker, Ask: ask, Scope: scope,
	})
}

// annotationQuestion renders the question of an entry that a stopping rule needs. The caller
// holds mu.
func (c *Collaboration) annotationQuestion(entry int, step transcript.Step) (q calls.Question, err error) {
	by := c.Condition.Annotator
	if by == nil {
		return q, failure.Fail(fmt.Errorf("entry %d: the stopping rule needs a %s, and its fit names no model", entry,
			step.Speaker.Role))
	}
	order := calls.Order{Run: c.Run, Entry: entry, Provider: by.Provider}
	switch step.Payload.Format {
	case transcript.FormatActs:
		q = labels.AboutLast(c.messagesSeen(step)).Turn(order, by.Words, by.Generate, by.Reasks)
	case transcript.FormatDistance:
		q, err = c.distanceQuestion(order, step)
	default:
		err = fmt.Errorf("this version makes no annotations of the format %q", step.Payload.Format)
	}
	q.Speaker = step.Speaker.Role
	if err != nil {
		return q, failure.Fail(fmt.Errorf("entry %d: %w", entry, err))
	}
	return q, nil
}

// messagesSeen returns the messages that a step sees, with the names of their agents.
func (c *Collaboration) messagesSeen(step transcript.Step) []labels.Said {
	names := prompt.Names(c.Instance.Agents())
	var all []labels.Said
	for _, e := range c.entriesSeen(step) {
		all = append(all, labels.Said{From: names[e.Speaker.Index], Text: c.Turns[e.Index].Text})
	}
	return all
}

// entriesSeen returns the entries that a step sees.
func (c *Collaboration) entriesSeen(step transcript.Step) (all []transcript.Entry) {
	for _, r := range step.Sees {
		all = append(all, c.Session.Transcript().Entries[r.From:r.To]...)
	}
	return all
}

// Heard is the question to an annotator that measures a distance: all that was said up to a round,
// by round.
type Heard struct {
	Rounds [][]string `json:"rounds"`
}

// distanceQuestion asks how far the messages of the round are from those before it.
func (c *Collaboration) distanceQuestion(order calls.Order, step transcript.Step) (q calls.Question, err error) {
	heard := Heard{Rounds: make([][]string, step.Round)}
	for _, e := range c.entriesSeen(step) {
		heard.Rounds[e.Round-1] = append(heard.Rounds[e.Round-1], c.Turns[e.Index].Text)
	}
	text, err := json.Marshal(heard)
	if err != nil {
		return q, err
	}
	order.Messages = []model.Message{{Role: "user", Content: string(text)}}
	q = calls.Question{Order: order, Read: readDistance, Hash: prompt.Hash(order.Messages)}
	q.Request = func(before []answers.Answer) model.Request {
		return q.After(before, model.Parameters{}, string(transcript.FormatDistance))
	}
	q.CacheKey = func(r model.Request, mode string, ask int) (string, error) {
		return answers.CacheKey(answers.Question{Model: order.Provider.Name, Sent: r, Mode: mode,
			Speaker: step.Speaker, Ask: ask})
	}
	return q, nil
}

// readDistance fills a turn from {"distance": 0.25}; null is a round without one.
func readDistance(raw []byte, t *answers.Turn) error {
	var answer struct {
		Distance *float64 `json:"distance"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf(`it needs {"distance": a number or null}: %w`, err)
	}
	t.Act = transcript.Act{Status: transcript.Said}
	if d := answer.Distance; d != nil {
		if math.IsNaN(*d) || math.IsInf(*d, 0) {
			return fmt.Errorf("the distance is %v", *d)
		}
		t.Act.Values, t.Text = []float64{*d}, fmt.Sprint(*d)
	}
	return nil
}

// leastAlike is from how many bytes on a beginning that prompts share is worth an answer's time: services
// keep 1,024 tokens and more, of about four bytes.
const leastAlike = 4 * 1024

var beginningSeed = maphash.MakeSeed()

// BeginAlike reports whether the prompts of the first and the last of these pending entries begin
// with the same long text, other than that of the last call, and returns the model they are for.
func (c *Collaboration) BeginAlike(entries []int) (model string, alike bool, err error) {
	first, done, err := c.Ask(entries[0])
	if err != nil || done != nil {
		return "", false, err
	}
	last, done, err := c.Ask(entries[len(entries)-1])
	if err != nil || done != nil || first.Provider.Name != last.Provider.Name {
		return "", false, err
	}
	shared := sharedBeginning(first, last)
	if len(shared) < leastAlike {
		return "", false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.beginning
	c.beginning = maphash.String(beginningSeed, shared)
	return first.Provider.Name, c.beginning != before, nil
}

// sharedBeginning returns the text with which two prompts begin.
func sharedBeginning(a, b calls.Question) string {
	one, other := textOf(a.Messages), textOf(b.Messages)
	return one[:lengthAlike(one, other)]
}

// lengthAlike returns for how many bytes two texts are the same.
func lengthAlike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func textOf(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + "\n" + m.Content + "\n")
	}
	return b.String()
}

// beginnings are the last prompts of a model.
type beginnings []string

// mostBeginnings is how many prompts are looked at: more than agents speak before one speaks again.
const mostBeginnings = 128

// repeat returns how much of a prompt repeats the beginning of one of these, and them with it.
func (b beginnings) repeat(q calls.Question) (Repeat, beginnings) {
	text, longest := textOf(q.Messages), 0
	for _, earlier := range b {
		longest = max(longest, lengthAlike(text, earlier))
	}
	fixed := min(longest, len(textOf(q.Messages[:1])))
	if b = append(b, text); len(b) > mostBeginnings {
		b = b[1:]
	}
	return Repeat{fixed, longest - fixed}, b
}
