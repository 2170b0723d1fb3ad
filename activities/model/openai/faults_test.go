package openai

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/wire"
)

func build(t testing.TB, url string, c modeltest.Case) model.Model {
	t.Helper()
	m := at(t, url+"/v1", nil)
	if c.Dialect != "" {
		m.host = host(c.Dialect)
	}
	return m
}

func buildResponses(t testing.TB, url string, c modeltest.Case) model.Model {
	t.Helper()
	m := build(t, url, c).(*client)
	m.config.API = Responses
	return m
}

func TestProvider(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Build: build, Cases: "testdata/faults.yaml", Usage: model.Usage{Input: 12, CachedInput: 4, Output: 9, Reasoning: 6},
		Answer: `{"choices":[{"message":{"content":"` + modeltest.Text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":9,` +
			`"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":6}}}`})
}

func TestResponsesProvider(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Build: buildResponses, Cases: "testdata/responses.yaml", Usage: model.Usage{Input: 12, CachedInput: 4, Output: 9, Reasoning: 6},
		Answer: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"` + modeltest.Text + `"}]}],` +
			`"usage":{"input_tokens":12,"output_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":6}}}`})
}

// What a status says does not depend on the interface.
func TestStatusesOfBothInterfacesAreClassifiedAlike(t *testing.T) {
	for _, c := range modeltest.Read(t, "testdata/faults.yaml") {
		if c.Status/100 == 2 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { modeltest.Replay(t, c, buildResponses) })
	}
}

// What YAML cannot hold: bytes that are not text, and bodies of megabytes.
func TestRawBodies(t *testing.T) {
	deep := strings.Repeat("[", 5_000_000)
	for _, c := range []modeltest.Case{
		{Name: "invalid UTF-8", Status: 200, Body: "{\"choices\":[{\"message\":{\"content\":\"a\xff\xfeb\"},\"finish_reason\":\"stop\"}]}",
			Want: modeltest.Want{Text: "a\xff\xfeb", Finish: "stop"}},
		{Name: "half a surrogate", Status: 200, Body: `{"choices":[{"message":{"content":"a\ud83db\udc00"}}]}`,
			Want: modeltest.Want{Text: "a\xed\xa0\xbdb\xed\xb0\x80"}},
		{Name: "deep nesting", Status: 200, Body: `{"choices":` + deep, Want: modeltest.Want{Class: model.Retry, Code: "unreadable_body"}},
		{Name: "deep error", Status: 400, Body: `{"error":` + deep, Want: modeltest.Want{Class: model.Fail, Code: "bad_request", Unbilled: true}},
	} {
		t.Run(c.Name, func(t *testing.T) { modeltest.Replay(t, c, build) })
	}
}

func TestRefusedParameterIsNamed(t *testing.T) {
	m := serve(t, nil, reply(400, `{"error":{"message":"Not supported.","param":"reasoning_effort","code":"unsupported_parameter"}}`))
	_, err := m.Complete(t.Context(), question)
	if e := modeltest.Failure(t, err); e.Message != "Not supported. (parameter reasoning_effort)" {
		t.Errorf("got %q", e.Message)
	}
}

func TestTimeoutOfTheConfiguration(t *testing.T) {
	hang := make(chan struct{})
	m := serve(t, func(c *Config) { c.Timeout = model.Duration(50 * time.Millisecond) },
		func(http.ResponseWriter, *http.Request) { <-hang })
	t.Cleanup(func() { close(hang) }) // before the server is closed
	_, err := m.Complete(t.Context(), question)
	if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "timeout" || e.Unbilled {
		t.Errorf("got %+v", *e)
	}
}

func TestLimitsOfTheAccount(t *testing.T) {
	headers := []string{"X-Ratelimit-Limit-Requests", "60", "X-Ratelimit-Remaining-Requests", "0"}
	want := model.Allowance{Limit: 60}
	got, err := serve(t, nil, reply(200, answer, headers...)).Complete(t.Context(), question)
	if err != nil || got.Limits.Requests != want {
		t.Errorf("got %+v, %v", got.Limits, err)
	}
	_, err = serve(t, nil, reply(429, "", headers...)).Complete(t.Context(), question)
	if e := modeltest.Failure(t, err); e.Limits.Requests != want {
		t.Errorf("got %+v", e.Limits)
	}
}

func TestPromptThatWasCutIsNoticed(t *testing.T) {
	long := []model.Message{{Role: "system", Content: strings.Repeat("rule ", 400)}, {Role: "user", Content: strings.Repeat("word ", 1200)}}
	for _, c := range []struct {
		name, usage string
		messages    []model.Message
		want        string
	}{
		{"whole", `{"prompt_tokens":1650}`, long, "stop"},
		{"at the least", `{"prompt_tokens":1600}`, long, "stop"},
		{"half of the context length", `{"prompt_tokens":1026}`, long, model.TruncatedPrompt},
		{"the rest was in the cache", `{"prompt_tokens":26,"cache_read_input_tokens":1600}`, long, "stop"},
		{"nothing is counted", `{}`, long, "stop"},
		{"short", `{"prompt_tokens":1}`, question.Messages, "stop"},
		{"one long word", `{"prompt_tokens":5}`, []model.Message{{Role: "user", Content: strings.Repeat("=", 5000)}}, "stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(config *Config) { config.CheckPromptTokens = new(true) }
			m := serve(t, check, reply(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":`+c.usage+`}`))
			got, err := m.Complete(t.Context(), model.Request{Messages: c.messages})
			if err != nil || got.FinishReason != c.want {
				t.Errorf("ended with %q, want %q; %v", got.FinishReason, c.want, err)
			}
		})
	}
}

// Only servers that are known to cut prompts are suspected of it: a proxy may
// count as it likes. A setting says otherwise.
func TestWhichServersCutPrompts(t *testing.T) {
	t.Setenv(wire.TrustEnv, "https://ollama.lab.internal")
	for _, c := range []struct {
		url  string
		set  *bool
		want bool
	}{
		{"http://localhost:11434/v1", nil, true},
		{"https://ollama.lab.internal/v1", nil, true},
		{"http://localhost:4000/v1", nil, false},
		{"https://api.openai.com/v1", nil, false},
		{"http://localhost:11434/v1", new(false), false},
		{"http://localhost:4000/v1", new(true), true},
	} {
		if m := at(t, c.url, func(config *Config) { config.CheckPromptTokens = c.set }); m.cuts != c.want {
			t.Errorf("%s with %v: %v, want %v", c.url, c.set, m.cuts, c.want)
		}
	}
	proxy := serve(t, nil, reply(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20}}`))
	long := []model.Message{{Role: "user", Content: strings.Repeat("word ", 1200)}}
	if got, err := proxy.Complete(t.Context(), model.Request{Messages: long}); err != nil || got.FinishReason != "stop" {
		t.Errorf("a proxy that always counts 10 tokens: %q, %v", got.FinishReason, err)
	}
}

// Further fields reach the server as they are written, through both interfaces.
func TestExtraBody(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		var got map[string]any
		m := serve(t, func(c *Config) { c.API = api }, func(w http.ResponseWriter, r *http.Request) {
			_ = json.UnmarshalRead(r.Body, &got)
			reply(200, answer)(w, r)
		})
		q := question
		q.Parameters = model.Parameters{ReasoningEffort: "none", ExtraBody: map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}, "top_k": 20}}
		_, _ = m.Complete(t.Context(), q)
		kwargs, _ := got["chat_template_kwargs"].(map[string]any)
		effort := got["reasoning_effort"]
		if api == Responses {
			effort = got["reasoning"].(map[string]any)["effort"]
		}
		if kwargs["enable_thinking"] != false || got["top_k"] != 20. || effort != "none" || got["model"] != "m" {
			t.Errorf("%s: %v", api, got)
		}
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want model.Usage
	}{
		"OpenAI": {`{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}`,
			model.Usage{Input: 12, CachedInput: 4, Output: 3, Reasoning: 2}},
		"Responses": {`{"input_tokens":12,"output_tokens":3,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":2}}`,
			model.Usage{Input: 12, CachedInput: 4, Output: 3, Reasoning: 2}},
		"OpenRouter": {`{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":5},"cost":0.1}`,
			model.Usage{Input: 12, CachedInput: 4, CacheWrite: 5, Output: 3}},
		"LiteLLM": {`{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4,"cache_creation_tokens":5},"cache_creation_input_tokens":5,"cache_read_input_tokens":4}`,
			model.Usage{Input: 12, CachedInput: 4, CacheWrite: 5, Output: 3}},
		"DashScope": {`{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4,"cache_creation_input_tokens":5}}`,
			model.Usage{Input: 12, CachedInput: 4, CacheWrite: 5, Output: 3}},
		"DeepSeek": {`{"prompt_tokens":12,"completion_tokens":3,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":8}`, model.Usage{Input: 12, CachedInput: 4, Output: 3}},
		"Together": {`{"prompt_tokens":12,"completion_tokens":3,"cached_tokens":4}`, model.Usage{Input: 12, CachedInput: 4, Output: 3}},
		"Ollama":   {`{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}`, model.Usage{Input: 12, Output: 3}},
		"cache left out of the input, more than it": {`{"prompt_tokens":12,"completion_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":5}`,
			model.Usage{Input: 117, CachedInput: 100, CacheWrite: 5, Output: 3}},
		"cache in the input, and more output than that": {`{"prompt_tokens":12,"completion_tokens":9,"total_tokens":21,"prompt_tokens_details":{"cached_tokens":4}}`,
			model.Usage{Input: 12, CachedInput: 4, Output: 9}},
		"cache left out of the input, but not of the total": {`{"prompt_tokens":12,"completion_tokens":3,"total_tokens":19,"cached_tokens":4}`,
			model.Usage{Input: 16, CachedInput: 4, Output: 3}},
		"null parts": {`{"prompt_tokens":12,"completion_tokens":null,"prompt_tokens_details":null}`, model.Usage{Input: 12}},
		"nonsense":   {`{"prompt_tokens":-1,"completion_tokens":1e300,"cached_tokens":"x"}`, model.Usage{}},
		"none":       {``, model.Usage{}},
	} {
		if got := wire.ReadUsage([]byte(c.body)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Groq answers 400 when the model's answer is not JSON. In Auto that must not
// look like a server that refuses schemas.
func TestQuotedAnswerIsNoRefusalOfSchemas(t *testing.T) {
	var calls atomic.Int32
	m := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(int32(countSchemas(r)))
		reply(400, `{"error":{"message":"Failed to generate JSON for response_format","code":"json_validate_failed","failed_generation":"oops"}}`)(w, r)
	})
	q := question
	q.Schema = schema
	for asked := int32(1); asked <= 2; asked++ { // the second call must still send the schema
		got, err := m.Complete(t.Context(), q)
		if err != nil || string(got.Text) != "oops" || got.Model != "m" || calls.Load() != asked {
			t.Errorf("got %+v, %v after %d requests with a schema", got, err, calls.Load())
		}
	}
}

// A prompt of which a server counts only what it has not in its cache is not cut: if it has
// counted a longer one, or counts less than any server keeps, as after a restart.
func TestPromptInTheCacheIsNotCut(t *testing.T) {
	counted := "900"
	m := serve(t, func(c *Config) { c.CheckPromptTokens = new(true) }, func(w http.ResponseWriter, r *http.Request) {
		reply(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":`+counted+`}}`)(w, r)
	})
	for _, c := range []struct {
		counted string
		words   int
		want    string
	}{{"26", 2000, "stop"}, {"900", 800, "stop"}, {"26", 800, "stop"}, {"1026", 2000, model.TruncatedPrompt}, {"2600", 2000, "stop"}, {"1026", 2000, "stop"}, {"26", 2000, "stop"}} {
		counted = c.counted
		got, err := m.Complete(t.Context(), model.Request{Messages: []model.Message{{Role: "user", Content: strings.Repeat("word ", c.words)}}})
		if err != nil || got.FinishReason != c.want {
			t.Errorf("%s counted of %d words: ended with %q, want %q; %v", c.counted, c.words, got.FinishReason, c.want, err)
		}
	}
}

// Usage in other forms: strings, and tokens that are billed beside the answer.
func TestUsageBesideTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want model.Usage
	}{
		"strings":           {`{"prompt_tokens":"100","completion_tokens":"20","total_tokens":"120"}`, model.Usage{Input: 100, Output: 20}},
		"xAI":               {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":1120,"completion_tokens_details":{"reasoning_tokens":1000}}`, model.Usage{Input: 100, Output: 1020, Reasoning: 1000}},
		"xAI without total": {`{"prompt_tokens":100,"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":1000}}`, model.Usage{Input: 100, Output: 1020, Reasoning: 1000}},
		"Gemini by proxy":   {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":1120}`, model.Usage{Input: 100, Output: 1020}},
		"parts":             {`{"prompt_tokens":100,"completion_tokens":20,"completion_tokens_details":{"text_tokens":20,"reasoning_tokens":7}}`, model.Usage{Input: 100, Output: 27, Reasoning: 7}},
		"Responses":         {`{"input_tokens":100,"output_tokens":20,"total_tokens":320,"output_tokens_details":{"reasoning_tokens":200}}`, model.Usage{Input: 100, Output: 220, Reasoning: 200}},
		"Perplexity":        {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"citation_tokens":30,"reasoning_tokens":500}`, model.Usage{Input: 130, Output: 520, Reasoning: 500}},
		"part of it":        {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"completion_tokens_details":{"reasoning_tokens":12}}`, model.Usage{Input: 100, Output: 20, Reasoning: 12}},
	} {
		if got := wire.ReadUsage([]byte(c.body)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Usage in the spellings and places of services, gateways and converters, as each publishes it.
func TestUsageInEverySpelling(t *testing.T) {
	plain := model.Usage{Input: 100, Output: 20}
	for name, c := range map[string]struct {
		body string // without choices
		want model.Usage
	}{
		"camelCase (orq, SDKs)":            {`"usage":{"promptTokens":100,"completionTokens":20,"totalTokens":120}`, plain},
		"PascalCase (Hunyuan)":             {`"Usage":{"PromptTokens":100,"CompletionTokens":20,"TotalTokens":120}`, plain},
		"two spellings":                    {`"usage":{"prompt_tokens":0,"promptTokens":100,"completion_tokens":20}`, plain},
		"Vercel AI SDK":                    {`"usage":{"inputTokens":100,"outputTokens":20,"totalTokens":120,"reasoningTokens":5,"cachedInputTokens":40}`, model.Usage{Input: 100, CachedInput: 40, Output: 20, Reasoning: 5}},
		"Vercel AI SDK 6":                  {`"usage":{"inputTokens":{"total":100,"noCache":60,"cacheRead":40},"outputTokens":{"total":20,"text":15,"reasoning":5}}`, model.Usage{Input: 100, CachedInput: 40, Output: 20, Reasoning: 5}},
		"Bedrock Converse":                 {`"usage":{"inputTokens":60,"outputTokens":20,"totalTokens":120,"cacheReadInputTokens":40,"cacheWriteInputTokens":0}`, model.Usage{Input: 100, CachedInput: 40, Output: 20}},
		"Bedrock, metrics":                 {`"amazon-bedrock-invocationMetrics":{"inputTokenCount":100,"outputTokenCount":20,"invocationLatency":900}`, plain},
		"Llama on Bedrock":                 {`"prompt_token_count":100,"generation_token_count":20,"stop_reason":"stop"`, plain},
		"Gemini":                           {`"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"totalTokenCount":120,"promptTokensDetails":[{"modality":"TEXT","tokenCount":100}]}`, plain},
		"Gemini, thinking":                 {`"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":300,"cachedContentTokenCount":40}`, model.Usage{Input: 100, CachedInput: 40, Output: 320, Reasoning: 300}},
		"Gemini, thinking, total, tools":   {`"usage_metadata":{"prompt_token_count":90,"tool_use_prompt_token_count":10,"candidates_token_count":20,"thoughts_token_count":300,"total_token_count":420}`, model.Usage{Input: 100, Output: 320, Reasoning: 300}},
		"Cohere 2":                         {`"usage":{"billed_units":{"input_tokens":100,"output_tokens":20},"tokens":{"input_tokens":496,"output_tokens":22}}`, plain},
		"Cohere 2 without billed units":    {`"usage":{"tokens":{"input_tokens":100,"output_tokens":20}}`, plain},
		"Cohere 1":                         {`"meta":{"api_version":{"version":"1"},"billed_units":{"input_tokens":100,"output_tokens":20},"tokens":{"input_tokens":170,"output_tokens":20}}`, plain},
		"Cohere's client":                  {`"meta":{"billedUnits":{"inputTokens":100,"outputTokens":20}}`, plain},
		"LangChain":                        {`"usage_metadata":{"input_tokens":100,"output_tokens":20,"total_tokens":120,"input_token_details":{"cache_read":40},"output_token_details":{"reasoning":5}}`, model.Usage{Input: 100, CachedInput: 40, Output: 20, Reasoning: 5}},
		"LangChain.js":                     {`"response_metadata":{"tokenUsage":{"promptTokens":100,"completionTokens":20,"totalTokens":120}}`, plain},
		"Anthropic by a gateway":           {`"usage":{"input_tokens":55,"cache_creation_input_tokens":5,"cache_read_input_tokens":40,"output_tokens":20,"total_tokens":120}`, model.Usage{Input: 100, CachedInput: 40, CacheWrite: 5, Output: 20}},
		"YandexGPT":                        {`"usage":{"inputTextTokens":"100","completionTokens":"20","totalTokens":"120"}`, plain},
		"watsonx":                          {`"usage":{"input_token_count":100,"generated_token_count":20}`, plain},
		"Replicate":                        {`"metrics":{"input_token_count":100,"output_token_count":20,"predict_time":0.4}`, plain},
		"Groq's stream":                    {`"x_groq":{"id":"r","usage":{"prompt_tokens":100,"completion_tokens":20}}`, plain},
		"Ollama's own interface":           {`"prompt_eval_count":100,"eval_count":20,"total_duration":5043500667`, plain},
		"llama.cpp's own interface":        {`"tokens_evaluated":100,"tokens_predicted":20`, plain},
		"null beside PascalCase":           {`"usage":null,"Usage":{"PromptTokens":100,"CompletionTokens":20}`, plain},
		"nothing beside PascalCase":        {`"usage":{},"Usage":{"PromptTokens":100,"CompletionTokens":20}`, plain},
		"details beside null":              {`"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":40},"promptTokensDetails":null}`, model.Usage{Input: 100, CachedInput: 40, Output: 20}},
		"details twice":                    {`"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":0},"promptTokensDetails":{"cachedTokens":40}}`, model.Usage{Input: 100, CachedInput: 40, Output: 20}},
		"details of both interfaces":       {`"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":0},"input_tokens_details":{"cached_tokens":40}}`, model.Usage{Input: 100, CachedInput: 40, Output: 20}},
		"tokens beside the usage":          {`"usage":{"prompt_tokens":100,"completion_tokens":20,"tokens":{"total":120}}`, plain},
		"billed units beside the usage":    {`"usage":{"prompt_tokens":100,"completion_tokens":20,"billed_units":{"input_tokens":7}}`, plain},
		"thoughts in the completion":       {`"usage":{"prompt_tokens":100,"completion_tokens":320,"total_tokens":420,"thoughtsTokenCount":300}`, model.Usage{Input: 100, Output: 320, Reasoning: 300}},
		"Gemini, nothing but thinking":     {`"usageMetadata":{"promptTokenCount":100,"thoughtsTokenCount":300,"totalTokenCount":400}`, model.Usage{Input: 100, Output: 300, Reasoning: 300}},
		"a total only":                     {`"usage":{"totalTokens":120}`, model.Usage{Output: 120}},
		"an empty usage, and another":      {`"usage":{},"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20}`, plain},
		"xAI, a search":                    {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":320,"prompt_tokens_details":{"text_tokens":100,"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":200,"audio_tokens":0},"num_sources_used":5,"cost_in_usd_ticks":158500}`, model.Usage{Input: 100, CachedInput: 40, Output: 220, Reasoning: 200}},
		"OpenRouter, a written cache":      {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cost":0.01,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":10,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"image_tokens":0}}`, model.Usage{Input: 100, CachedInput: 40, CacheWrite: 10, Output: 20}},
		"Perplexity, research":             {`"usage":{"prompt_tokens":19,"completion_tokens":498,"total_tokens":517,"citation_tokens":10175,"num_search_queries":48,"reasoning_tokens":95305,"cost":{"total_cost":0.82}}`, model.Usage{Input: 10194, Output: 95803, Reasoning: 95305}},
		"Moonshot, a cache":                {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cached_tokens":40}`, model.Usage{Input: 100, CachedInput: 40, Output: 20}},
		"DashScope, a written cache":       {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":40,"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_5m_input_tokens":10}}}`, model.Usage{Input: 100, CachedInput: 40, CacheWrite: 10, Output: 20}},
		"DeepSeek":                         {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, model.Usage{Input: 100, CachedInput: 64, Output: 20}},
		"OpenAI, predicted":                {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":5,"rejected_prediction_tokens":9}}`, plain},
		"OpenAI, audio":                    {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"completion_tokens_details":{"audio_tokens":12,"text_tokens":8}}`, plain},
		"Groq, compound":                   {`"usage":{"queue_time":0.1,"prompt_tokens":100,"completion_tokens":20,"total_tokens":120},"usage_breakdown":{"models":[{"model":"m","usage":{"prompt_tokens":90,"completion_tokens":15}}]}`, plain},
		"Baidu, a search":                  {`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":150,"plugin_usage":[{"name":"search","search_tokens":30}]}`, model.Usage{Input: 100, Output: 50}},
		"no count (worst case is charged)": {`"usage":{"cost":0.1,"tokens":"many"},"id":"17","created":1764000000`, model.Usage{}},
	} {
		body := `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],` + c.body + `}`
		m := serve(t, nil, reply(200, body))
		got, err := m.Complete(t.Context(), question)
		if err != nil || got.Usage != c.want {
			t.Errorf("%s: %+v, want %+v (%v)", name, got.Usage, c.want, err)
		}
		for range 100 { // the order of a map is none
			if again := wire.UsageOf(nil, []byte(body)); again != c.want {
				t.Errorf("%s: then %+v, want %+v", name, again, c.want)
				break
			}
		}
	}
	m := serve(t, nil, reply(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop","usage":{"prompt_tokens":100,"completion_tokens":20}}]}`))
	if got, err := m.Complete(t.Context(), question); err != nil || got.Usage != plain { // Moonshot
		t.Errorf("in the choice: %+v, %v", got.Usage, err)
	}
}

// Names are listed where a model is unknown, and nothing is asked for them otherwise.
func TestModelsAreListed(t *testing.T) {
	m := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/v1/models" {
			reply(200, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3"}]}`)(w, r)
			return
		}
		reply(404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}`)(w, r)
	})
	_, err := m.Complete(t.Context(), question)
	if e := modeltest.Failure(t, err); e.Fault != model.Missing {
		t.Errorf("got %+v", *e)
	}
	if names, err := m.Models(t.Context()); err != nil || strings.Join(names, " ") != "qwen3:8b llama3" {
		t.Errorf("got %q, %v", names, err)
	}
}
