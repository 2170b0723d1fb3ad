package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"roundtable/workflows/catalogue"
)

// Nothing is asked without --yes, and never more than was said; a server that speaks OpenAI's
// interface gives log-probabilities where it is asked for them.
func TestDoctorSaysWhatItCosts(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		logprobs := "null"
		if strings.Contains(string(body), `"logprobs":true`) {
			logprobs = `{"content": [{"token": "Jupiter", "logprob": -0.1}]}`
		}
		fmt.Fprintf(w, `{"model": "m", "choices": [{"message": {"content": "Jupiter"}, "finish_reason": "stop", "logprobs": %s}], "usage": {"prompt_tokens": 30, "completion_tokens": 2}}`, logprobs)
	}))
	t.Cleanup(server.Close)
	doctor := []string{"doctor", "--model", "openai/m", "--base-url", server.URL + "/v1", "--calls", "4", "--price", `{"input": 1, "output": 2}`}
	code, out, said := execute(t, catalogue.Builtin(), doctor...)
	if code != 0 || !strings.Contains(out, "14 calls, at most ") || !strings.Contains(out, "Nothing was asked; --yes asks.") || asked.Load() != 0 {
		t.Errorf("code %d, %d asked: %s%s", code, asked.Load(), out, said)
	}
	var most struct {
		Calls  int64   `json:"calls_at_most"`
		Tokens int64   `json:"tokens_at_most"`
		Cost   float64 `json:"cost_usd_at_most"`
	}
	_, out, _ = execute(t, catalogue.Builtin(), append(doctor, "--json")...)
	if err := json.Unmarshal([]byte(out), &most); err != nil || most.Calls != 14 || most.Cost <= 0 {
		t.Errorf("%v: %s", err, out)
	}
	code, out, said = execute(t, catalogue.Builtin(), append(doctor, "--yes", "--json")...)
	var did struct {
		Calls, Tokens int64
		Cost          float64 `json:"cost_usd"`
		File          string  `json:"campaign_file"`
	}
	if err := json.Unmarshal([]byte(out), &did); err != nil || code != 0 || did.Calls != asked.Load() || did.Calls > most.Calls || did.Tokens != 32*did.Calls || did.Tokens > most.Tokens || did.Cost <= 0 || did.Cost > most.Cost {
		t.Errorf("code %d, %d asked, %+v of at most %+v, %v: %s%s", code, asked.Load(), did, most, err, out, said)
	}
	if !strings.Contains(did.File, `"name":"openai/m"`) || !strings.Contains(did.File, `"json":"plain"`) {
		t.Errorf("the campaign's file: %s", did.File)
	}
	_, out, _ = execute(t, catalogue.Builtin(), append(doctor, "--yes")...)
	for _, want := range []string{"\nrepeats        yes ", "\nJSON schemas   no ", "\nlogprobs       yes ", "\nthinking       no ", "\nFor the campaign file:\n\nmodel: "} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

func TestDoctorRefuses(t *testing.T) {
	for _, c := range []struct{ want, args string }{
		{"doctor needs --model", ""},
		{"is not a language model behind a service", "--model scripted/answerer"},
		{"is not a language model behind a service", "--model human"},
		{`unknown provider "foo"`, "--model foo/x"},
		{"not a JSON object", "--model openai/m --params [1]"},
		{"--calls is 0; expected 1 to 256", "--model openai/m --calls 0"},
		{"--max-tokens is 5; expected 16 to 100000", "--model openai/m --max-tokens 5"},
		{"cannot be reached", "--model openai/m --base-url http://localhost:1/v1"},
	} {
		code, _, said := execute(t, catalogue.Builtin(), append([]string{"doctor"}, strings.Fields(c.args)...)...)
		if code != 2 || !strings.Contains(said, c.want) {
			t.Errorf("doctor %s: code %d, %s", c.args, code, said)
		}
	}
}
