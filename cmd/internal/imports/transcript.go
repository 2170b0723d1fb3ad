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
	instances  map[string]map[string]int32 // by task set, so that conditions are paired by them
	seen       map[string]bool             // ids of transcripts
	roles      map[string]bool             // of messages
	rows       []record.Rows
	unused     map[string]bool
	unscored   int // transcripts with a score that could not be read
	undated    int
	untimed    int
	unread     int // parts of messages
	misread    int // answers with a score that could not be read
	answers    int // with a score
}

func newReader(campaign string, speakers []string) reader {
	return reader{
		campaign: campaign, speakers: speakers, conditions: map[string]*condition{},
		instances: map[string]map[string]int32{}, seen: map[string]bool{}, roles: map[string]bool{},
		unused: map[string]bool{},
	}
}

// condition is what transcripts have in common that are replicates of each other.
type condition struct {
	id    string
	taken map[cell]bool
	next  map[int32]int32 // replicate that may be free, by instance
}

type cell struct{ instance, replicate int32 }

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
		return errors.New("column transcript_id is empty: give each transcript an id of its own")
	}
	if r.seen[id] {
		return fmt.Errorf("column transcript_id has %q twice: give each transcript an id of its own", id)
	}
	r.seen[id] = true
	var messages []message
	if err := json.Unmarshal([]byte(textOf(fields, "messages")), &messages); err != nil {
		return fmt.Errorf("column messages of %q: %w; expected a JSON list, as"+
			` [{"role": "assistant", "content": "Yes."}]`, id, err)
	}
	c := r.newCollaboration(fields, id)
	rows := record.Rows{}
	t := talk{key: c.Key, model: c.Model, simulated: c.Simulated, speakers: r.speakers,
		several: countModels(messages) > 1,
		agents:  map[string]int32{}, spoke: map[int32]int32{}}
	for _, m := range messages {
		r.roles[m.Role] = true
		t.add(m)
		r.noteUnused("messages.metadata.", m.Metadata, usedMetadata)
	}
	if len(t.turns) > 0 {
		about, _ := json.Marshal(map[string]string{"transcript_id": id}) // texts always marshal
		t.turns[0].DataJSON = new(string(about))
	}
	r.unread, r.misread, r.answers = r.unread+t.unread, r.misread+t.unscored, r.answers+t.answers
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
		s.Protocol.Params = map[string]any{"agent": agent, "agent_args": parseValue(args)}
	}
	text, _ := json.Marshal(s) // texts always marshal
	of := r.conditionOf(string(text))
	instance := cmp.Or(textOf(fields, "task_id"), id)
	n := r.numberOf(env, instance)
	replicate := of.take(n, numberOf(fields["task_repeat"]))
	c := record.Collaboration{
		Key: record.Key{
			SchemaVersion: record.SchemaVersion, CampaignID: r.campaign, ConditionID: of.id,
			CollaborationID: fmt.Sprintf("%s-i%d-r%d", of.id, n, replicate),
		},
		Status: record.Succeeded, EndReason: record.Imported, Protocol: record.Imported, Environment: env,
		InstanceID: instance, Instance: n, Replicate: replicate,
		Model: model, SettingsJSON: string(text), Measure: record.Scored, AnsweredBy: "[]",
		EngineVersion: record.Imported,
		Label:         record.Optional(joinKnown(", ", textOf(fields, "task_set"), agent, textOf(fields, "model"))),
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
	seconds := numberOf(fields["total_time"])
	if !(seconds >= 0 && seconds <= yearSeconds) { // not a number is neither
		seconds, r.untimed = 0, r.untimed+1
	}
	if at > 0 { // without a date nobody knows when it ended
		c.StartedAt, c.EndedAt = at, at+int64(seconds*1e6)
	}
	return c
}

// yearSeconds is the longest that a transcript is believed to have taken.
const yearSeconds = 365 * 24 * 60 * 60

// numberOf returns the number of an instance among those of its task set.
func (r *reader) numberOf(set, instance string) int32 {
	of := r.instances[set]
	if of == nil {
		of = map[string]int32{}
		r.instances[set] = of
	}
	n, known := of[instance]
	if !known {
		n = int32(len(of))
		of[instance] = n
	}
	return n
}

// take returns the replicate of an instance that a repetition, counted from 1, is; the next
// free one if it names none, or one that is taken.
func (c *condition) take(instance int32, repetition float64) int32 {
	at := cell{instance, c.next[instance]}
	if wanted := repetition - 1; wanted >= 0 && wanted < 1<<31 && !c.taken[cell{instance, int32(wanted)}] {
		at.replicate = int32(wanted)
	}
	for c.taken[at] {
		at.replicate++
		c.next[instance] = at.replicate
	}
	c.taken[at] = true
	return at.replicate
}

func (r *reader) conditionOf(settings string) *condition {
	c := r.conditions[settings]
	if c == nil {
		sum := sha256.Sum256([]byte(settings))
		c = &condition{id: fmt.Sprintf("%s-%x", record.Imported, sum[:8]), taken: map[cell]bool{},
			next: map[int32]int32{}}
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

// readTexts returns what others could see, what the model thought, and how many parts could not be read.
func (m message) readTexts() (text, thinking string, unread int) {
	var said, thought []string
	for _, raw := range m.listParts() {
		var alone string
		var p struct {
			Type            string
			Text, Reasoning *string
		}
		switch isText := json.Unmarshal(raw, &alone) == nil; {
		case isText:
			said = append(said, alone)
		case json.Unmarshal(raw, &p) != nil:
			unread++
		case p.Type == "reasoning" && p.Reasoning != nil:
			thought = append(thought, *p.Reasoning)
		case p.Text != nil:
			said = append(said, *p.Text)
		case p.Type == "" || p.Type == "text" || p.Type == "reasoning":
			unread++
		default:
			said = append(said, "["+p.Type+"]")
		}
	}
	for _, call := range m.ToolCalls {
		said = append(said, "[calls "+call.Function+"]")
	}
	return joinKnown("\n", said...), joinKnown("\n", thought...), unread
}

// listParts returns the parts of a message; one that is no list is one part.
func (m message) listParts() []json.RawMessage {
	var parts []json.RawMessage
	if len(m.Content) > 0 && json.Unmarshal(m.Content, &parts) != nil {
		parts = []json.RawMessage{m.Content}
	}
	return parts
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
	agents    map[string]int32 // by name
	round     int32
	spoke     map[int32]int32 // the last round in which an agent has
	unread    int             // parts of messages
	unscored  int             // answers with a score that could not be read
	answers   int             // with a score
}

func (t *talk) add(m message) {
	text, thinking, unread := m.readTexts()
	t.unread += unread
	if text == "" && thinking == "" {
		return
	}
	turn := record.Turn{
		Key: t.key, Entry: int32(len(t.turns)), Phase: "talk", Kind: transcript.Env.String(), Role: "environment",
		AgentName: m.Role, Status: string(transcript.Said), Text: record.Optional(text),
		Thinking: record.Optional(thinking), SeesJSON: "[]",
	}
	t.round = max(t.round, 1)
	if slices.Contains(t.speakers, m.Role) {
		agent := t.agentOf(t.nameOf(m))
		if t.spoke[agent] == t.round {
			t.round++
		}
		t.spoke[agent] = t.round
		turn.Kind, turn.Format = transcript.Ask.String(), string(transcript.FormatText)
		turn.Role, turn.Agent, turn.AgentName = "", &agent, t.names[agent]
		t.fillAnswer(&turn, m.Metadata)
		if m.Role == "assistant" {
			turn.Asks, turn.Model, turn.ModelSimulated = 1, new(cmp.Or(m.Model, t.model)), t.simulated
		}
	}
	turn.Round = t.round
	t.turns = append(t.turns, turn)
}

// fillAnswer takes what a message's metadata say it answers, and what that is worth.
func (t *talk) fillAnswer(turn *record.Turn, about map[string]any) {
	var answer string
	switch given := about["answer"].(type) {
	case string:
		answer = given
	case float64, bool, json.Number:
		data, _ := json.Marshal(given) // numbers and truths always marshal
		answer = string(data)
	}
	if answer == "" {
		return
	}
	worth, scored := scoreOf(about["score"])
	if !scored {
		t.unscored++
	}
	if worth == nil { // whether it is right is not known
		return
	}
	text, _ := json.Marshal(answer) // a text always marshals
	t.answers++
	turn.ProposalKey, turn.ProposalJSON, turn.ProposalUtility = &answer, new(string(text)), worth
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

func (t *talk) agentOf(name string) int32 {
	i, known := t.agents[name]
	if !known {
		i = int32(len(t.names))
		t.agents[name], t.names = i, append(t.names, name)
	}
	return i
}

// parseValue returns what a JSON text holds, or the text.
func parseValue(text string) any {
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
		v = parseValue(text)
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
		time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999Z07:00",
		"2006-01-02 15:04:05.999999", time.DateOnly,
	} {
		if at, err := time.Parse(layout, text); err == nil && at.UnixMicro() > 0 {
			return at.UnixMicro(), true
		}
	}
	return 0, false
}
