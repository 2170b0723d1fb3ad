package scripted

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

const replayName = "replay"

// ErrMissing is what a Recorded returns for an answer that it does not have.
var ErrMissing = errors.New("no recorded answer")

// Recorded holds recorded answers.
type Recorded interface {
	// Answer is the raw answer to one ask of one entry, the model that gave it and, if it is
	// known, its log-probability; ErrMissing (perhaps wrapped) if it was not recorded.
	Answer(ctx context.Context, collaboration string, entry, ask int) (model.Response, error)
}

// cellID returns the name under which a Source may keep the answers of one cell
// whatever the campaign calls its collaboration; it is looked for second.
func cellID(condition string, instance, replicate int) string {
	return fmt.Sprintf("%s/%d/%d", condition, instance, replicate)
}

type recorded struct{ source Recorded }

// NewReplay returns a model that repeats the answers of source. It reads only which turn
// Request.Scene is about.
func NewReplay(source Recorded) model.Model { return recorded{source} }

// Complete answers; nothing is billed.
func (r recorded) Complete(ctx context.Context, q model.Request) (model.Response, error) {
	if q.Scene == nil {
		return model.Response{}, failedWith(model.Fail, "no_scene", "a replayed model was asked without a scene")
	}
	s := q.Scene
	answer, err := r.source.Answer(ctx, s.Collaboration, s.Entry, s.Ask)
	if errors.Is(err, ErrMissing) {
		answer, err = r.source.Answer(ctx, cellID(s.Condition, s.Instance, s.Replicate), s.Entry, s.Ask)
	}
	switch {
	case errors.Is(err, ErrMissing):
		return model.Response{}, failedWith(model.Fail, "missing_answer", fmt.Sprintf(
			"no answer is recorded for entry %d, ask %d of collaboration %s (condition %s, instance %d, replicate %d)",
			s.Entry, s.Ask, s.Collaboration, s.Condition, s.Instance, s.Replicate))
	case err != nil:
		return model.Response{}, failedWith(model.Retry, "unreadable_recording", err.Error())
	}
	answer.Model, answer.FinishReason = cmp.Or(answer.Model, replayName), "stop"
	return answer, nil
}

func failedWith(class model.Class, code, message string) *model.Error {
	message = message[:min(len(message), 2048)]
	return &model.Error{Class: class, Provider: replayName, Code: code, Message: strings.ToValidUTF8(message, ""),
		Unbilled: true}
}

const provider = "retrieval"

// Config is one search endpoint.
type Config struct {
	// Model is the name by which the endpoint is known in tables.
	Model string `json:"model"`
	// BaseURL is the whole address; the query is sent there by POST.
	BaseURL string `json:"base_url,omitempty"`
	// APIKeyEnv names the environment variable that holds the key. Empty: no key is sent.
	APIKeyEnv string `json:"api_key_env,omitempty"`
	// K is how many texts are asked for; 3 if zero.
	K int `json:"k,omitempty"`
	// Timeout of one call; a minute if zero.
	Timeout model.Duration `json:"-"`
}

// client is one endpoint.
type client struct {
	config Config
	url    string
	report wire.Reporter
}

// NewRetrieval checks c and returns the model of its search endpoint; it sends nothing.
func NewRetrieval(c Config) (model.Model, error) {
	base, err := c.parseEndpoint()
	if err == nil {
		err = wire.CheckTrust(base, c.APIKeyEnv, false)
	}
	key, header := "", http.Header{}
	if c.APIKeyEnv != "" && err == nil {
		key, err = wire.Key(c.APIKeyEnv)
		header.Set("Authorization", "Bearer "+key)
	}
	if c.K < 0 || c.K > 100 {
		err = errors.Join(err, fmt.Errorf("k is %d; expected 1 to 100", c.K))
	}
	if err != nil {
		err = fmt.Errorf("retrieval %q: %w", c.Model, err)
	}
	if err != nil && !wire.LacksOnlyKey(err) {
		return nil, err
	}
	c.K = cmp.Or(c.K, 3)
	made := &client{config: c, url: base.String(), report: wire.NewReporter(provider, key)}
	return &wire.Exchange{
		HTTP: wire.NewClient(), Header: header, Report: made.report,
		Forms: wire.Forms{JSON: wire.Plain}, Timeout: cmp.Or(c.Timeout, model.Duration(time.Minute)),
		Request: made.requestBody, Read: made.readAnswer, Refuse: made.classifyRefusal,
	}, err
}

// Endpoint returns the address of the search endpoint; "" if c has no valid one. It sends nothing.
func Endpoint(c Config) string { return wire.ShowAddress(c.parseEndpoint()) }

func (c Config) parseEndpoint() (*url.URL, error) {
	if c.BaseURL == "" {
		return nil, errors.New("base_url is missing; it is the address to which queries are sent")
	}
	return wire.ParseBase("base_url", c.BaseURL)
}

// requestBody returns the address and the query of the messages.
func (c *client) requestBody(r model.Request, _ wire.JSONMode) (url string, body []byte, err error) {
	body, err = json.Marshal(map[string]any{"query": queryOf(r.Messages), "k": c.config.K})
	return c.url, body, err
}

// classifyRefusal classifies a response that is no answer.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	return model.Response{}, c.report.Refused(f, wire.ReadWords(f.Body, f.Header))
}

// readAnswer returns the texts that were found.
func (c *client) readAnswer(_ model.Request, call *wire.Call) (model.Response, *model.Error) {
	text, err := findText(call.Body)
	if err != nil {
		return model.Response{}, c.report.Failed(model.Rejected, "bad_answer", err.Error())
	}
	return model.Response{Text: []byte(text), Model: c.config.Model, FinishReason: "stop"}, nil
}

// queryOf returns the last message that comes before an answer: what follows one
// says what was wrong with it, which is nothing to search for.
func queryOf(messages []model.Message) string {
	query := ""
	for _, m := range messages {
		if m.Role == "assistant" {
			break
		}
		query = m.Content
	}
	return query
}

// nothing is what is said where nothing was found: an empty text would be asked for again.
const nothing = "Nothing was found."

// findText reads {"text": "…"} or {"results": [{"title": "…", "text": "…"}]}.
func findText(body []byte) (string, error) {
	var answer struct {
		Text    *string
		Results []struct{ Title, Text string }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Text == nil && answer.Results == nil {
		return "", errors.New(`the endpoint's answer has neither "text" nor "results"`)
	}
	var parts []string
	if answer.Text != nil {
		parts = append(parts, *answer.Text)
	}
	for _, r := range answer.Results {
		parts = append(parts, strings.TrimSpace(r.Title+"\n"+r.Text))
	}
	if text := strings.TrimSpace(strings.Join(parts, "\n\n")); text != "" {
		return text, nil
	}
	return nothing, nil
}
