package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/workflows/plan"
)

const responsesAnswer = `{"id":"resp_1","status":"completed","model":"m-2026","output":[{"type":"message","content":[{"type":"output_text","text":"{\"decision\":1}"}]}],` +
	`"usage":{"input_tokens":12,"output_tokens":3,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":2}}}`

func TestResponsesSendsWhatWasAskedAndReadsTheAnswer(t *testing.T) {
	var sent string
	c := serve(t, func(c *Config) { c.API = Responses }, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/responses" || r.Header.Get("Idempotency-Key") != question.IdempotencyKey {
			t.Errorf("asked at %s with %v", r.URL.Path, r.Header)
		}
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		reply(200, responsesAnswer)(w, r)
	})
	half := 0.5
	q := question
	q.Parameters = model.Parameters{TopP: &half, MaxTokens: 100, ReasoningEffort: "low"}
	q.Schema, q.Name = json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`), "the ballot"
	got, err := c.Complete(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"input":[{"role":"system","content":"rules"},{"role":"user","content":"what now?"}]`,
		`"max_output_tokens":100`, `"model":"m"`, `"reasoning":{"effort":"low"}`, `"store":false`, `"top_p":0.5`,
		`"text":{"format":{"type":"json_schema","name":"the_ballot","schema":{"type":"object","properties":{"z":{},"a":{}}},"strict":false}}`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	if strings.Contains(sent, "temperature") {
		t.Errorf("sent %s", sent)
	}
	if string(got.Text) != `{"decision":1}` || got.Model != "m-2026" || got.FinishReason != "stop" || got.RequestID != "resp_1" {
		t.Errorf("got %+v", got)
	}
	if want := (model.Usage{Input: 12, CachedInput: 4, Output: 3, Reasoning: 2}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

// Both interfaces are asked for a tier in one field, and say in it in which one they answered.
func TestServiceTier(t *testing.T) {
	for api, answered := range map[API]string{Chat: answer, Responses: responsesAnswer} {
		for said, want := range map[string]plan.Tier{`"flex"`: plan.Flex, `"default"`: "", `null`: "", `7`: ""} {
			var sent string
			c := serve(t, func(c *Config) { c.API = api }, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = string(body)
				reply(200, `{"service_tier":`+said+`,`+answered[1:])(w, r)
			})
			q := question
			q.Tier = plan.Flex
			got, err := c.Complete(t.Context(), q)
			if err != nil || got.Tier != want || !strings.Contains(sent, `"service_tier":"flex"`) {
				t.Errorf("%s, %s: answered in %q, %v; sent %s", api, said, got.Tier, err, sent)
			}
		}
	}
}

func TestResponsesFormats(t *testing.T) {
	for mode, want := range map[JSONMode]string{Object: `"text":{"format":{"type":"json_object"}}`, Plain: ""} {
		var sent string
		c := serve(t, func(c *Config) { c.API, c.JSON = Responses, mode }, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			reply(200, responsesAnswer)(w, r)
		})
		q := question
		q.Schema = schema
		if _, err := c.Complete(t.Context(), q); err != nil || !strings.Contains(sent, want) || strings.Contains(sent, "text") != (want != "") {
			t.Errorf("%s: sent %s, %v", mode, sent, err)
		}
	}
}

func TestResponsesAutoFallsBack(t *testing.T) {
	var asked []string
	c := serve(t, func(c *Config) { c.API = Responses }, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if asked = append(asked, r.Header.Get("Idempotency-Key")); strings.Contains(string(body), "json_schema") {
			reply(400, `{"error":{"message":"not supported","type":"invalid_request_error","param":"text.format","code":null}}`)(w, r)
			return
		}
		reply(200, responsesAnswer)(w, r)
	})
	q := question
	q.Schema = schema
	if _, err := c.Complete(t.Context(), q); err != nil || len(asked) != 2 || asked[0] == asked[1] {
		t.Errorf("asked %q, %v", asked, err)
	}
}

func TestResponsesDropsNothingSilently(t *testing.T) {
	c := serve(t, func(c *Config) { c.API = Responses }, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	seed := int64(5)
	for _, p := range []model.Parameters{{Seed: &seed}, {Stop: []string{"END"}}} {
		q := question
		q.Parameters = p
		_, err := c.Complete(t.Context(), q)
		if e := modeltest.Failure(t, err); e.Class != model.Fail || !e.Unbilled || !strings.Contains(e.Message, "neither seed nor stop") {
			t.Errorf("got %+v", *e)
		}
	}
}
