package imports

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/transcript"
)

// reader makes rows of transcripts.
type reader struct {
	campaign   string
	speakers   []string // roles of messages that are agents'
	conditions map[string]*condition
	seen       map[string]bool // ids of transcripts
	rows       []record.Rows
	unscored   int // transcripts with a score that could not be read
	undated    int
}

// condition is what transcripts have in common that are replicates of each other.
type condition struct {
	id         string
	instances  []string
	replicates map[string]int32 // by instance
}

// settings are a condition as collaborations.settings_json holds it.
type settings struct {
	Env      plugin `json:"env"`
	Protocol plugin `json:"protocol"`
	Model    plugin `json:"model"`
}

type plugin struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params,omitempty"`
}

func (r *reader) add(fields map[string]any) error {
	id := textOf(fields, "transcript_id")
	if id == "" {
		return errors.New("transcript_id is empty")
	}
	if r.seen[id] {
		return fmt.Errorf("transcript_id %q is there twice", id)
	}
	r.seen[id] = true
	var messages []message
	if err := json.Unmarshal([]byte(textOf(fields, "messages")), &messages); err != nil {
		return fmt.Errorf("messages of %q: %w; expected a JSON list of messages with role and content", id, err)
	}
	c := r.newCollaboration(fields, id)
	rows := record.Rows{}
	t := talk{key: c.Key, model: c.Model, simulated: c.Simulated, speakers: r.speakers, several: countModels(messages) > 1}
	for _, m := range messages {
		t.add(m)
	}
	c.Agents, c.RoundsRun, c.RoundsPlanned, c.Turns = int32(len(t.names)), t.round, t.round, int32(len(t.turns))
	for round := range t.round {
		rows.Rounds = append(rows.Rounds, record.Round{Key: c.Key, Round: round + 1})
	}
	rows.Turns = t.turns
	if c.Status == record.Succeeded {
		t.decide(&c, rows.Rounds)
	}
	rows.Collaborations = []record.Collaboration{c}
	r.rows = append(r.rows, rows)
	return nil
}

// newCollaboration returns the row of a transcript without what its messages say.
func (r *reader) newCollaboration(fields map[string]any, id string) record.Collaboration {
	env, agent := cmp.Or(textOf(fields, "task_set"), "imported"), textOf(fields, "agent")
	model, args := cmp.Or(textOf(fields, "model"), "unknown"), textOf(fields, "agent_args")
	s := settings{Env: plugin{Name: env}, Protocol: plugin{Name: record.Imported}, Model: plugin{Name: model}}
	if agent != "" || args != "" {
		s.Protocol.Params = map[string]any{"agent": agent, "agent_args": parsed(args)}
	}
	text, _ := json.Marshal(s) // texts always marshal
	of := r.condition(string(text))
	instance := cmp.Or(textOf(fields, "task_id"), id)
	n := slices.Index(of.instances, instance)
	if n < 0 {
		n, of.instances = len(of.instances), append(of.instances, instance)
	}
	replicate := of.replicates[instance]
	of.replicates[instance]++
	c := record.Collaboration{
		Key: record.Key{
			SchemaVersion: record.SchemaVersion, CampaignID: r.campaign, ConditionID: of.id,
			CollaborationID: fmt.Sprintf("%s-i%d-r%d", of.id, n, replicate),
		},
		Status: record.Succeeded, EndReason: record.Imported, Protocol: record.Imported, Environment: env,
		InstanceID: instance, Instance: int32(n), Replicate: replicate,
		Model: model, SettingsJSON: string(text), Measure: record.Scored, AnsweredBy: "[]", EngineVersion: record.Imported,
		Label: record.Optional(joinKnown(", ", textOf(fields, "task_set"), agent, textOf(fields, "model"))),
	}
	c.Simulated, _ = fields["simulated"].(bool) // as our own export says it
	if failure := textOf(fields, "error"); failure != "" {
		c.Status, c.EndReason, c.Failure = "failed", "", &failure
	}
	var scored bool
	if c.Score, scored = scoreOf(fields["score"]); !scored {
		r.unscored++
	}
	c.Outcome = c.Worth(c.Score)
	at, dated := timeOf(fields["date"])
	if !dated {
		r.undated++
	}
	c.StartedAt, c.EndedAt = at, at+int64(numberOf(fields["total_time"])*1e6)
	return c
}

func (r *reader) condition(settings string) *condition {
	c := r.conditions[settings]
	if c == nil {
		sum := sha256.Sum256([]byte(settings))
		c = &condition{id: fmt.Sprintf("%s-%x", record.Imported, sum[:4]), replicates: map[string]int32{}}
		r.conditions[settings] = c
	}
	return c
}

// message is one of inspect's, of which Scout's are.
type message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Metadata  map[string]any  `json:"metadata"`
	ToolCalls []struct {
		Function string `json:"function"`
	} `json:"tool_calls"`
}

// texts returns what others could see, and what the model thought.
func (m message) texts() (text, thinking string) {
	var said, thought []string
	var parts []struct{ Type, Text, Reasoning string }
	switch {
	case json.Unmarshal(m.Content, &text) == nil:
		said = append(said, text)
	case json.Unmarshal(m.Content, &parts) == nil:
		for _, p := range parts {
			switch p.Type {
			case "text":
				said = append(said, p.Text)
			case "reasoning":
				thought = append(thought, p.Reasoning)
			default:
				said = append(said, "["+p.Type+"]")
			}
		}
	}
	for _, call := range m.ToolCalls {
		said = append(said, "[calls "+call.Function+"]")
	}
	return joinKnown("\n", said...), joinKnown("\n", thought...)
}

// joinKnown joins the texts that are not blank.
func joinKnown(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), separator)
}

// countModels returns how many models the messages name.
func countModels(messages []message) int {
	models := map[string]bool{}
	for _, m := range messages {
		if m.Model != "" {
			models[m.Model] = true
		}
	}
	return len(models)
}

// talk makes turns of messages. A round ends when somebody speaks again.
type talk struct {
	key       record.Key
	model     string
	simulated bool
	speakers  []string
	several   bool // models speak, and tell agents apart
	names     []string
	turns     []record.Turn
	round     int32
	spoken    []int32 // agents, in this round
}

func (t *talk) add(m message) {
	text, thinking := m.texts()
	if text == "" && thinking == "" {
		return
	}
	turn := record.Turn{
		Key: t.key, Entry: int32(len(t.turns)), Phase: "talk", Kind: transcript.Env.String(), Role: "environment",
		AgentName: m.Role, Status: string(transcript.Said), Text: record.Optional(text), Thinking: record.Optional(thinking), SeesJSON: "[]",
	}
	if slices.Contains(t.speakers, m.Role) {
		agent := t.agent(t.nameOf(m))
		if slices.Contains(t.spoken, agent) {
			t.round, t.spoken = t.round+1, nil
		}
		t.spoken = append(t.spoken, agent)
		turn.Kind, turn.Format = transcript.Ask.String(), string(transcript.FormatText)
		turn.Role, turn.Agent, turn.AgentName = "", &agent, t.names[agent]
		if m.Role == "assistant" {
			turn.Asks, turn.Model, turn.ModelSimulated = 1, new(cmp.Or(m.Model, t.model)), t.simulated
		}
	}
	t.round = max(t.round, 1)
	turn.Round = t.round
	t.turns = append(t.turns, turn)
}

// decide takes the last message of a speaker for the decision: it is what a score is of.
func (t *talk) decide(c *record.Collaboration, rounds []record.Round) {
	i := len(t.turns) - 1
	for i >= 0 && (t.turns[i].Agent == nil || t.turns[i].Text == nil) {
		i--
	}
	if i < 0 {
		return
	}
	text, _ := json.Marshal(*t.turns[i].Text) // a text always marshals
	sum := sha256.Sum256(text)
	key, decision, at := fmt.Sprintf("%x", sum[:8]), string(text), t.turns[i].Round
	c.DecisionKey, c.DecisionJSON, c.DecidedRound = &key, &decision, &at
	for j := range rounds[at-1:] {
		round := &rounds[int(at)-1+j]
		round.DecisionKey, round.DecisionJSON, round.Changed = &key, &decision, j == 0
		round.Score, round.Outcome = c.Score, c.Outcome
	}
}

// nameOf returns who speaks: whom the message names, else its model where several speak, else its role.
func (t *talk) nameOf(m message) string {
	if name, _ := m.Metadata["agent"].(string); name != "" {
		return name
	}
	if t.several && m.Model != "" {
		return m.Model
	}
	return m.Role
}

func (t *talk) agent(name string) int32 {
	i := slices.Index(t.names, name)
	if i < 0 {
		i, t.names = len(t.names), append(t.names, name)
	}
	return int32(i)
}

// parsed returns what a JSON text holds, or the text.
func parsed(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

func textOf(fields map[string]any, name string) string {
	switch v := fields[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		text, _ := json.Marshal(v) // plain values always marshal
		return string(text)
	}
}

func numberOf(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

// scoreOf reads a score, which Scout keeps as JSON: a share, a truth value or inspect's letters for
// correct, partial, incorrect and no answer. False says that there is one and that it is none of these.
func scoreOf(v any) (*float64, bool) {
	if text, ok := v.(string); ok {
		v = parsed(text)
	}
	switch s := v.(type) {
	case nil:
		return nil, true
	case bool:
		if s {
			return new(1.0), true
		}
		return new(0.0), true
	case string:
		if worth, ok := map[string]float64{"C": 1, "P": 0.5, "I": 0, "N": 0}[s]; ok {
			return &worth, true
		}
		return nil, s == ""
	case float64, int64:
		if n := numberOf(s); n >= 0 && n <= 1 {
			return &n, true
		}
	}
	return nil, false
}

// timeOf returns a time in microseconds; 0 for none. False says that there is one and cannot be read.
func timeOf(v any) (int64, bool) {
	text, ok := v.(string)
	if !ok || text == "" {
		return 0, v == nil || text == "" && ok
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999", time.DateOnly,
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UnixMicro(), true
		}
	}
	return 0, false
}
