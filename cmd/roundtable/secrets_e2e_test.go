package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roundtable/activities/model/wire"
	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/cli"
)

// canaries are secrets in the forms that they have, by where they are.
var canaries = map[string]string{
	"OPENAI_API_KEY":        "sk-proj-canary01AbCdEfGh",
	"MY_KEY":                "tok/canary02+AbCdEfGh==",
	"ANTHROPIC_API_KEY":     "sk-ant-canary03AbCdEfGh",
	"GOOGLE_API_KEY":        "AIzaCanary04AbCdEfGhIjKl",
	"AZURE_OPENAI_API_KEY":  "canary05c0ffee00c0ffee00",
	"OPENROUTER_API_KEY":    "sk-or-v1-canary06AbCdEf",
	"AWS_SECRET_ACCESS_KEY": "canary07/AbCdEfGhIjKlMnOp",
	"AWS_SESSION_TOKEN":     "canary08//AbCdEfGhIjKl+==",
	"HTTP_PROXY":            "canary09AbCdEfGh", // the password
	"base_url password":     "canary10AbCdEfGh",
	"base_url query":        "canary11AbCdEfGh",
	"ROUNDTABLE_CODEC_KEY":  "canary12AbCdEfGh",
}

// echo is a service that says all that it was sent, in every part of an answer
// and in several spellings.
type echo struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int // by path
	heard strings.Builder
	last  int // status of the last answers
}

func newEcho(t *testing.T, last int) *echo {
	e := &echo{asked: map[string]int{}, last: last}
	e.Server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.Close)
	return e
}

func (e *echo) serve(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	var heard strings.Builder
	fmt.Fprintf(&heard, "%s %s\n", r.Method, r.URL)
	r.Header.Write(&heard)
	for _, values := range r.Header {
		for _, v := range values { // the bare secret, and other spellings of it
			bare := v[strings.LastIndex(v, " ")+1:]
			fmt.Fprintf(&heard, "Incorrect key %s, %q, '%s', (%s); ", bare, bare, url.QueryEscape(bare), html.EscapeString(bare))
			if plain, err := base64.StdEncoding.DecodeString(bare); err == nil && strings.HasPrefix(v, "Basic ") {
				fmt.Fprintf(&heard, "of %s; ", plain)
			}
		}
	}
	e.mu.Lock()
	n := e.asked[r.URL.Path]
	e.asked[r.URL.Path]++
	e.heard.WriteString(heard.String())
	e.mu.Unlock()
	line := strings.Join(strings.Fields(heard.String()), " ")
	w.Header().Set("X-Request-Id", line)
	w.Header().Set("Request-Id", line)
	w.Header().Set("X-Amzn-Errortype", line)
	w.Header().Set("Location", "http://127.0.0.1:1/?k="+url.QueryEscape(line))
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"type": line, "code": line, "status": line, "message": heard.String(), "param": line}, "message": heard.String()})
	switch n {
	case 0:
		w.WriteHeader(http.StatusInternalServerError)
		w.Write(body)
	case 1:
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "<html><pre>%s</pre></html>", heard.String())
	case 2:
		w.Write(body)
	case 3:
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write(body)
	default:
		w.WriteHeader(e.last)
		w.Write(body)
	}
}

const leaky = `name: leaky
env: exchange
protocol: {name: roundtable, rounds: 1}
rule: majority
cost: unknown
generate: {max_tokens: 60}
grid:
  model:
    - openai/fake
    - {name: openai/own, base_url: "%[1]s/own/v1", api_key_env: MY_KEY}
    - {name: openai/proxied, base_url: "http://models.example/v1", api_key_env: MY_KEY}
    - anthropic/claude
    - google/gemini
    - bedrock/some.model-v1
`

// at is an environment full of secrets that leads every provider here.
func (e *echo) at() []string {
	env := []string{
		"OPENAI_BASE_URL=" + e.URL + "/v1", "ANTHROPIC_BASE_URL=" + e.URL + "/anthropic",
		"GOOGLE_GEMINI_BASE_URL=" + e.URL + "/google", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + e.URL + "/bedrock",
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", "NO_PROXY=", "no_proxy=",
		wire.TrustEnv + "=http://models.example",
		"HTTP_PROXY=" + strings.Replace(e.URL, "//", "//me:"+canaries["HTTP_PROXY"]+"@", 1), "http_proxy=",
	}
	for name, secret := range canaries {
		if strings.HasSuffix(name, "_API_KEY") || strings.HasPrefix(name, "AWS_") || name == "MY_KEY" {
			env = append(env, name+"="+secret)
		}
	}
	return env
}

// TestSecrets: whatever a service says, no secret comes into anything that the
// program writes: terminal, logs, database, history, answers, tables.
func TestSecrets(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]int{"fails": 400, "pauses": 401} {
		e := newEcho(t, last)
		dir := write(t, fmt.Sprintf(leaky, e.URL))
		said := map[string]string{}
		run := func(code int, args ...string) {
			d := command(t, dir, e.at(), args...)
			if d.code != code {
				t.Errorf("%s: roundtable %v ends with code %d, want %d\n%s", name, args, d.code, code, d.err)
			}
			said[fmt.Sprintf("%s of %s", args[0], name)] += d.out + d.err
		}
		run(cli.ExitIncomplete, "run", "campaign.yaml")
		for _, verb := range []string{"status", "cost", "verify", "analyze"} {
			run(0, verb, "leaky")
			run(0, verb, "leaky", "--json")
		}
		for _, c := range rowsOf[record.Collaboration](t, dir, "leaky") {
			run(0, "show", "leaky/"+c.CollaborationID)
		}
		for what, text := range said {
			clean(t, what, text)
		}
		e.sent(t)
		history := histories(t, filepath.Join(dir, ".roundtable", "campaigns", "leaky"))
		if !strings.Contains(history, "openai: status") {
			t.Error("the histories hold no error of a service, so nothing is shown")
		}
		clean(t, "the history of "+name, history)
		clean(t, "the tables of "+name, tablesOf(t, dir))
		files(t, dir)
	}
}

// TestSecretsRefused: a secret where none may be is refused, and not repeated.
func TestSecretsRefused(t *testing.T) {
	t.Parallel()
	e := newEcho(t, 400)
	own := "- {name: openai/own, base_url: %q, api_key_env: MY_KEY}"
	for what, x := range map[string]struct{ url, env string }{
		"a password": {"https://me:" + canaries["base_url password"] + "@models.example/v1", ""},
		"a query":    {"https://models.example/v1?api-key=" + canaries["base_url query"], ""},
		"a key":      {e.URL + "/v1", "ROUNDTABLE_CODEC_KEY=" + canaries["ROUNDTABLE_CODEC_KEY"]},
		"a base":     {e.URL + "/v1", "OPENAI_BASE_URL=https://me:" + canaries["base_url password"] + "@models.example/v1"},
	} {
		text := fmt.Sprintf(leaky, e.URL)
		dir := write(t, text[:strings.Index(text, "    - openai")]+"    - openai/fake\n    "+fmt.Sprintf(own, x.url)+"\n")
		d := command(t, dir, append(e.at(), x.env), "run", "campaign.yaml")
		if d.code == 0 || d.code == cli.ExitIncomplete || len(e.asked) > 0 {
			t.Errorf("%s is not refused: code %d, %v\n%s", what, d.code, e.asked, d.err)
		}
		clean(t, what, d.out+d.err)
		if err := os.Remove(filepath.Join(dir, "campaign.yaml")); err != nil { // which holds it
			t.Fatal(err)
		}
		files(t, dir)
	}
}

// TestStrangersFile: a campaign's file alone sends no secret anywhere, and asks no other
// machine unencrypted.
func TestStrangersFile(t *testing.T) {
	t.Parallel()
	for what, x := range map[string]struct {
		model, trust string
		said         string // "" if nothing is refused
	}{
		"another secret":   {"{name: openai/m, base_url: https://models.example/v1, api_key_env: AWS_SECRET_ACCESS_KEY}", "", "content of AWS_SECRET_ACCESS_KEY sent to https://models.example"},
		"another service":  {"{name: anthropic/m, base_url: https://models.example, api_key_env: ANTHROPIC_API_KEY}", "", "ANTHROPIC_API_KEY sent to https://models.example"},
		"a search":         {"{name: retrieval/m, base_url: https://models.example, api_key_env: MY_KEY}", "", "MY_KEY sent to https://models.example"},
		"unencrypted":      {"{name: openai/m, base_url: http://models.example/v1}", "", "http://models.example is another machine and not encrypted"},
		"AWS, unencrypted": {"{name: bedrock/m, region: us-east-1, base_url: http://models.example}", "", "http://models.example is another machine and not encrypted"},
		"another trusted":  {"{name: openai/m, base_url: https://models.example/v1, api_key_env: MY_KEY}", "https://other.example", "ROUNDTABLE_TRUST=https://models.example"},
		"trusted":          {"{name: openai/m, base_url: http://models.example:8000/v1, api_key_env: MY_KEY}", "https://other.example http://models.example:8000", ""},
	} {
		text := "name: strange\nenv: exchange\nprotocol: roundtable\nrule: plurality\ncost: unknown\nmodel: " + x.model + "\n"
		dir := write(t, text)
		env := []string{wire.TrustEnv + "=" + x.trust, "MY_KEY=" + canaries["MY_KEY"], "AWS_SECRET_ACCESS_KEY=" + canaries["MY_KEY"], "ANTHROPIC_API_KEY=" + canaries["MY_KEY"], "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE"}
		if d := command(t, dir, env, "plan", "campaign.yaml"); d.code != 0 && !strings.HasPrefix(x.model, "{name: retrieval") {
			t.Errorf("%s: plan, which asks nobody, ends with code %d\n%s", what, d.code, d.err)
		}
		if x.said == "" {
			continue
		}
		d := command(t, dir, env, "run", "campaign.yaml")
		if d.code == 0 || !strings.Contains(d.err, x.said) {
			t.Errorf("%s: run ends with code %d\n%s", what, d.code, d.err)
		}
		clean(t, what, d.out+d.err)
	}
}

// TestStrangersLake: going on with a campaign of somebody else's lake sends nothing that
// its file could not have sent.
func TestStrangersLake(t *testing.T) {
	t.Parallel()
	e := newEcho(t, 401)
	dir := write(t, "name: strange\nenv: exchange\nprotocol: {name: roundtable, rounds: 1}\nrule: plurality\ncost: unknown\n"+
		"generate: {max_tokens: 60}\nmodel: {name: openai/m, base_url: \"http://models.example/v1\", api_key_env: MY_KEY}\n")
	command(t, dir, e.at(), "run", "campaign.yaml", "--no-check")
	if len(e.asked) == 0 {
		t.Fatal("the trusted address was not asked, so nothing is shown")
	}
	e.mu.Lock()
	before := e.heard.Len()
	e.mu.Unlock()
	for _, args := range [][]string{{"resume", "strange"}, {"run", "campaign.yaml"}} {
		d := command(t, dir, append(e.at(), wire.TrustEnv+"="), args...)
		if d.code == 0 || !strings.Contains(d.err, "is another machine and not encrypted") {
			t.Errorf("%v ends with code %d\n%s", args, d.code, d.err)
		}
		clean(t, args[0], d.out+d.err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if sent := e.heard.String()[before:]; sent != "" {
		t.Errorf("it was sent\n%s", sent)
	}
}

// TestStrangersNames: what a file names cannot steer the terminal.
func TestStrangersNames(t *testing.T) {
	t.Parallel()
	dir := write(t, `{name: strange, env: exchange, protocol: roundtable, rule: plurality, cost: unknown, model: {name: "openai/\x1b[2Jred", base_url: "http://localhost:1/v1"}}`)
	d := command(t, dir, nil, "plan", "campaign.yaml")
	if d.code != 0 || strings.Contains(d.out+d.err, "\x1b") || !strings.Contains(d.out, "[2Jred") {
		t.Errorf("code %d\n%q", d.code, d.out+d.err)
	}
}
