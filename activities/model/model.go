// Package model asks a language model, or something that answers in its
// place. Providers live in folders of their own; retries are never theirs
// (the workflow engine owns them), and every error is classified.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// Model answers requests. It does not retry: it makes one HTTP request, and another one only where
// the service refuses the form of the first, such as a JSON Schema.
type Model interface {
	Complete(context.Context, Request) (Response, error)
}

// Awaited is a Model whose answers may take any time, such as a person's: a turn waits, outside of
// all limits, until an answer is there for Complete to return.
type Awaited interface {
	// Await returns once the request can be completed, or why it cannot.
	Await(context.Context, Request) error
}

// Checker is a Model that knows, before anything is sent, which parameters it
// cannot honour. The error names them.
type Checker interface {
	Check(Parameters) error
}

// Lister is a Model whose service says which models it has.
type Lister interface {
	// Models returns their names, from one request that costs nothing.
	Models(context.Context) ([]string, error)
}

// TierOf returns plan.Flex if a service names its tier so, in any case; else "", the standard tier.
func TierOf(said string) plan.Tier {
	if strings.EqualFold(said, string(plan.Flex)) {
		return plan.Flex
	}
	return ""
}

// NewProbe returns the shortest request with parameters p.
func NewProbe(p Parameters) Request {
	return Request{Messages: []Message{{Role: "user", Content: "?"}}, Parameters: p}
}

// Message is one turn of the chat that a model is given.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
	// Ends are the places, in bytes of the content, from which the same speaker's next prompt may differ. They
	// change no word: services that cache the beginnings of prompts are told of them (see SplitAtEnds).
	Ends []int `json:"-"`
}

// Block is a part of a message's content.
type Block struct {
	Text   string
	Marked bool // ask the service to cache the prompt up to its end
}

// lastMarks of the ends are marked: where the prompt before this one ended, which is read, and where
// this one does. The first is marked as well, so that at most four are, which services take.
const lastMarks = 3

// SplitAtEnds returns, for each message, its content split at its Ends; together the blocks are the content. At
// most four blocks of all are marked, the first and the last three that end at one of the Ends.
func SplitAtEnds(messages []Message) [][]Block {
	ends := 0
	for _, m := range messages {
		ends += len(m.Ends)
	}
	split := make([][]Block, len(messages))
	for i, n := 0, 0; i < len(messages); i++ {
		m, from := messages[i], 0
		for _, end := range m.Ends {
			n++
			if strings.TrimSpace(m.Content[from:end]) == "" { // services refuse a blank part
				continue
			}
			split[i] = append(split[i], Block{m.Content[from:end], n == 1 || n > ends-lastMarks})
			from = end
		}
		switch rest, last := m.Content[from:], len(split[i])-1; {
		case last >= 0 && strings.TrimSpace(rest) == "":
			split[i][last].Text += rest
		case rest != "":
			split[i] = append(split[i], Block{Text: m.Content[from:]})
		}
	}
	return split
}

// Parameters are the sampling parameters of a request, with the fields of plan.Generate; nil and zero mean the
// provider's default.
type Parameters plan.Generate

// CheckNoExtra returns an error if ExtraBody is set, for providers that do not pass it on.
func (p Parameters) CheckNoExtra() error {
	if len(p.ExtraBody) > 0 {
		return errors.New("extra_body is set, which only openai/… models are given; leave it out")
	}
	return nil
}

// ReasoningAsked returns how much thinking was asked for, as an effort or a number of tokens; "" if
// neither was set.
func (p Parameters) ReasoningAsked() string {
	if p.Thinking > 0 {
		return strconv.Itoa(p.Thinking)
	}
	return p.ReasoningEffort
}

// CheckNoThinking returns an error if Thinking is set, for models that take no number of tokens.
// name is the model, and instead says what it takes.
func (p Parameters) CheckNoThinking(name, instead string) error {
	if p.Thinking > 0 {
		return fmt.Errorf("thinking is %d; %q takes no number of tokens but %s", p.Thinking, name, instead)
	}
	return nil
}

// CheckNoLogprobs returns an error if Logprobs is set, for services that do not give them; who
// names the service.
func (p Parameters) CheckNoLogprobs(who string) error {
	if p.Logprobs {
		return fmt.Errorf("logprobs is true; %s gives no log-probabilities, which openai/… models with api: chat and "+
			"google/… models give; leave it out", who)
	}
	return nil
}

// Request is one question.
type Request struct {
	Messages   []Message
	Parameters Parameters
	// Schema is the JSON Schema of the answer, if it must be JSON; Name names it.
	Schema json.RawMessage
	Name   string
	Tier   plan.Tier // in which the answer is asked for; empty for the standard one
	// IdempotencyKey is run/campaign/collaboration/entry/ask, stable over retries and restarts.
	IdempotencyKey string
	// Scene is what the asked agent knows, as data. Only scripted and recorded models
	// read it; of agents that are programs of their own, its Turn goes into headers.
	Scene *Scene
}

// ReadDocument decodes the JSON document that a scripted labeller or judge answers: the second message.
// Messages after it tell what to fix, which rules never need.
func (r Request) ReadDocument(into any) error {
	err := errors.New("no question")
	if len(r.Messages) > 1 {
		err = json.Unmarshal([]byte(r.Messages[1].Content), into)
	}
	if err != nil {
		return &Error{Class: Fail, Provider: "scripted", Code: "no_question", Message: err.Error(), Unbilled: true}
	}
	return nil
}

// Turn identifies the turn that a request is for. It stays the same over retries and restarts.
type Turn struct {
	Campaign, Condition, Collaboration string
	Agent, Role, Phase                 string // the agent's name, or the role of a speaker that is none
	Instance, Replicate                int
	Round, Entry, Ask                  int // rounds from 1; entries of the transcript and asks of one entry from 0
}

// Scene is what the messages say, as data.
type Scene struct {
	Environment envs.Environment
	Problem     envs.Instance
	Situation   envs.Situation
	Format      transcript.Format
	Ballot      transcript.BallotSpec
	Candidates  []envs.Proposal
	Confidence  bool // it is asked for one
	Turn
}

// Response is one answer.
type Response struct {
	Text         []byte // raw, as received: perhaps not UTF-8, perhaps not JSON
	Model        string // the model that answered, as the service names it
	Thinking     string // what the service gave apart from the text; "" if nothing
	FinishReason string // stop, length, content_filter, refusal, …
	RequestID    string
	Mode         string // in which it was asked for: see Moded
	Usage        Usage
	BilledUSD    float64 // what the service says that it cost, in US dollars; 0 if it does not say
	// in which the service says that it has answered; empty for the standard one, or if it does not say
	Tier   plan.Tier
	Limits Limits // of the account, as far as the service says
	// Elsewhere names the field of the service's body that held a text while the one for the answer was empty, such
	// as that of the thoughts; "" otherwise. Text has that text if it can be the answer.
	Elsewhere string
	Logprob   *Logprob // nil if the service gave none
	// Waived is what the request asked for and the service does not take, for people; it was
	// asked for in the words of the prompt instead.
	Waived []string
}

// Logprob is how probable the answer's tokens were to the model.
type Logprob struct {
	Mean   float64 `json:"mean"`   // of their natural logarithms, at most 0
	Tokens int64   `json:"tokens"` // of which it is the mean
}

// Ends of an answer that was cut off.
const (
	FinishLength  = "length"         // by max_tokens
	FinishContext = "context_length" // before that, by the length of the model's context
)

// TruncatedPrompt is the FinishReason of an answer to a prompt that the server read only in part.
const TruncatedPrompt = "truncated_prompt"

// Usage is what was billed, in tokens.
type Usage struct {
	Input       int64 `json:"input"`
	CachedInput int64 `json:"cached_input,omitempty"` // part of Input: read from the provider's cache
	CacheWrite  int64 `json:"cache_write,omitempty"`  // part of Input: written to it
	Output      int64 `json:"output"`
	Reasoning   int64 `json:"reasoning,omitempty"` // part of Output
}

// Limits are an account's limits as the service states them.
type Limits struct{ Requests, Tokens Allowance }

// Allowance is one limit a minute; all zero if the service did not say.
type Allowance struct {
	Limit     int64         // in a minute
	Remaining int64         // now
	Reset     time.Duration // until all of it is there again
}

// Class is what must be done about an error.
type Class string

const (
	Retry Class = "retry" // passes by itself: try again, after RetryAfter if that is set
	Pause Class = "pause" // the operator must act: key, credit, quota
	Fail  Class = "fail"  // this call cannot succeed
)

// Error is a failed call. Its fault and its class are found from the status, the code and the
// words of the service in one place (package wire), and what is done about them is in Treatments.
type Error struct {
	Class      Class
	Fault      Fault // empty if it came from no service
	Provider   string
	Status     int    // HTTP status; 0 if there was no response
	Code       string // the provider's own code or type
	Message    string // at most 2 KB of valid UTF-8 without secrets
	RetryAfter time.Duration
	Limits     Limits // of the account, as far as the service says
	// Unbilled says that the service certainly did not start to answer.
	Unbilled bool
}

// Error returns the provider, the status if there was a response, the code and the message.
func (e *Error) Error() string {
	if e.Status == 0 { // there was no response
		return fmt.Sprintf("%s: %s: %s", e.Provider, e.Code, e.Message)
	}
	return fmt.Sprintf("%s: status %d %s: %s", e.Provider, e.Status, e.Code, e.Message)
}

// Provider is a model with what must be known about it.
type Provider struct {
	Model
	Name      string // provider/model, as the campaign names it
	Endpoint  string // who answers, which is not part of a condition; "" if nobody does: simulated or recorded
	Account   string // whose limits a call uses up: an endpoint, the name of a key, and a model
	Simulated bool   // not a language model
	Instant   bool   // takes no time and costs nothing: many turns are played in one activity
}

// Moded is a Model that can ask for JSON in several ways: in its words alone, with a
// schema, or as its service has it.
type Moded interface {
	// ModeOf returns how a request is sent now.
	ModeOf(Request) string
}

// SchemaMode is the Response.Mode of a request whose schema was sent.
const SchemaMode = "schema"

// ModeOf returns how the model would now be sent r (see Moded); "" if it has only one way.
func (p Provider) ModeOf(r Request) string {
	if m, ok := p.Model.(Moded); ok {
		return m.ModeOf(r)
	}
	return ""
}

// Duration is a length of time that configurations write as Go does: "200ms", "1m30s".
type Duration time.Duration

// UnmarshalText reads a duration that is not negative.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration; write a number with a unit, such as 200ms, 30s or 5m", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Sleep waits for d, or until ctx is done, whose error it then returns.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
