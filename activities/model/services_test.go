package model_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/bedrock"
	"roundtable/activities/model/google"
	"roundtable/activities/model/openai"
)

func newService(t *testing.T, api, url string) model.Model {
	t.Setenv("TEST_KEY", "sk-canary-12345678")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secretsecretsecret")
	t.Setenv("AWS_REGION", "eu-central-1")
	var m model.Model
	var err error
	d := model.Duration(10 * time.Second)
	switch api {
	case "chat":
		m, err = openai.New(openai.Config{Model: "m", BaseURL: url + "/v1", APIKeyEnv: "TEST_KEY", Timeout: d})
	case "resp":
		m, err = openai.New(openai.Config{Model: "m", API: "responses", BaseURL: url + "/v1", APIKeyEnv: "TEST_KEY", Timeout: d})
	case "anth":
		m, err = anthropic.New(anthropic.Config{Model: "claude-opus-5", BaseURL: url, APIKeyEnv: "TEST_KEY", Timeout: d})
	case "goog":
		m, err = google.New(google.Config{Model: "gemini-3-flash", BaseURL: url, APIKeyEnv: "TEST_KEY", Timeout: d})
	case "bedr":
		m, err = bedrock.New(bedrock.Config{Model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", BaseURL: url, Timeout: d})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// served is a body with status 200 as services, gateways and local servers send it, and what it says.
type served struct {
	name, api, body            string
	text, thinking, finish     string
	in, cached, write, out, rs int64
	usd                        float64
	fault                      model.Fault // if an error is right
}

const u = `"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}`

// Bodies as services of 2025 and 2026, gateways and local servers send them: what is thought is not
// said, what is billed is counted, and an answer is found wherever it is.
func TestServedAnswers(t *testing.T) {
	for _, c := range servedAnswers {
		t.Run(c.api+" "+c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			got, err := newService(t, c.api, s.URL).Complete(t.Context(), asked)
			if e, ok := errors.AsType[*model.Error](err); ok || c.fault != "" {
				if !ok || e.Fault != c.fault {
					t.Fatalf("%+v, %v, want the fault %q", got, err, c.fault)
				}
				return
			}
			want := model.Usage{Input: c.in, CachedInput: c.cached, CacheWrite: c.write, Output: c.out, Reasoning: c.rs}
			if want == (model.Usage{}) {
				want = model.Usage{Input: 100, Output: 20}
			}
			if string(got.Text) != c.text || got.Thinking != c.thinking || got.FinishReason != c.finish ||
				got.Usage != want || got.BilledUSD != c.usd {
				t.Errorf("%+v\nwant %+v", got, c)
			}
		})
	}
}

var asked = model.Request{Messages: []model.Message{{Role: "user", Content: "hi"}},
	Parameters: model.Parameters{MaxTokens: 100}}

func ch(msg string) string {
	return `{"id":"x","model":"m","choices":[{"index":0,"message":` + msg + `,"finish_reason":"stop"}],` + u + `}`
}

func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

const au = `"usage":{"input_tokens":100,"output_tokens":20}`
const gu = `"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"totalTokenCount":120}`
const bu = `"usage":{"inputTokens":100,"outputTokens":20,"totalTokens":120}`

var servedAnswers = []served{
	// places of thinking and answers
	{name: "part with thought:true", api: "chat", body: ch(`{"content":[{"type":"text","text":"I guess (A)","thought":true},{"type":"text","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "part type think", api: "chat", body: ch(`{"content":[{"type":"think","think":"I guess (A)"},{"type":"text","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "part type THINKING", api: "chat", body: ch(`{"content":[{"type":"THINKING","text":"I guess (A)"},{"type":"TEXT","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "part type analysis", api: "chat", body: ch(`{"content":[{"type":"analysis","text":"I guess (A)"},{"type":"text","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "part type commentary", api: "chat", body: ch(`{"content":[{"type":"commentary","text":"I guess (A)"},{"type":"text","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "part with channel", api: "chat", body: ch(`{"content":[{"type":"text","channel":"analysis","text":"I guess (A)"},{"type":"text","channel":"final","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "part type summary_text", api: "chat", body: ch(`{"content":[{"type":"summary_text","text":"I guess (A)"},{"type":"text","text":"(B)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "content an object", api: "chat", body: ch(`{"content":{"type":"text","text":"(B)"}}`), text: "(B)", finish: "stop"},
	{name: "LiteLLM psf", api: "chat", body: ch(`{"content":"(B)","provider_specific_fields":{"reasoning_content":"I guess (A)"}}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "reasoning object", api: "chat", body: ch(`{"content":"(B)","reasoning":{"content":"I guess (A)"}}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "reasoning list", api: "chat", body: ch(`{"content":"(B)","reasoning_content":[{"type":"text","text":"I guess (A)"}]}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "reasoning in choice", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"reasoning_content":"I guess (A)","finish_reason":"stop"}],` + u + `}`, text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "thought field", api: "chat", body: ch(`{"content":"(B)","thought":"I guess (A)"}`), text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "function_call old", api: "chat", body: `{"choices":[{"message":{"content":null,"function_call":{"name":"json","arguments":"{\"decision\":1}"}},"finish_reason":"function_call"}],` + u + `}`, text: `{"decision":1}`, finish: "stop"},
	{name: "tool args object", api: "chat", body: `{"choices":[{"message":{"content":"","tool_calls":[{"type":"function","function":{"name":"json","arguments":{"decision":1}}}]},"finish_reason":"tool_calls"}],` + u + `}`, text: `{"decision":1}`, finish: "stop"},
	{name: "parsed", api: "chat", body: ch(`{"content":null,"parsed":{"decision":1}}`), text: `{"decision":1}`, finish: "stop"},
	{name: "refusal part output", api: "chat", body: ch(`{"content":[{"type":"refusal","refusal":"I can't."}]}`), text: "I can't.", finish: "refusal"},
	{name: "Azure filter without message", api: "chat", body: `{"choices":[{"index":0,"content_filter_results":{"hate":{"filtered":true,"severity":"high"}},"finish_reason":"content_filter"}],` + u + `}`, finish: "content_filter"},
	{name: "message null content_filter", api: "chat", body: `{"choices":[{"index":0,"message":null,"finish_reason":"content_filter"}],` + u + `}`, finish: "content_filter"},
	{name: "native refusal", api: "chat", body: `{"choices":[{"message":{"content":"I"},"finish_reason":"stop","native_finish_reason":"refusal"}],` + u + `}`, text: "I", finish: "refusal"},
	{name: "native max", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"stop","native_finish_reason":"MAX_TOKENS"}],` + u + `}`, text: "I th", finish: "length"},
	{name: "finish object", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":{"type":"length","length":100}}],` + u + `}`, text: "I th", finish: "length"},
	{name: "finish proto", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"FINISH_REASON_MAX_TOKENS"}],` + u + `}`, text: "I th", finish: "length"},
	{name: "finish proto stop", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"FinishReason.STOP"}],` + u + `}`, text: "I th", finish: "stop"},
	{name: "finish max_completion_tokens", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"max_completion_tokens"}],` + u + `}`, text: "I th", finish: "length"},
	{name: "finish policy", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"policy_violation"}],` + u + `}`, text: "I th", finish: "content_filter"},
	{name: "finish unsafe", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"unsafe_content"}],` + u + `}`, text: "I th", finish: "content_filter"},
	{name: "finish guardrail", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"guardrails"}],` + u + `}`, text: "I th", finish: "content_filter"},
	{name: "finish resources", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"insufficient_system_resource"}],` + u + `}`, text: "I th", finish: "insufficient_system_resource"},
	{name: "finish repetition", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finish_reason":"repetition"}],` + u + `}`, text: "I th", finish: "repetition"},
	{name: "stop_reason only", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"stop_reason":"max_tokens"}],` + u + `}`, text: "I th", finish: "length"},
	{name: "camel finishReason", api: "chat", body: `{"choices":[{"message":{"content":"I th"},"finishReason":"length"}],` + u + `}`, text: "I th", finish: "length"},
	// error beside an answer
	{name: "error empty object", api: "chat", body: `{"error":{},"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],` + u + `}`, text: "(B)", finish: "stop"},
	{name: "error empty text", api: "chat", body: `{"error":"","choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],` + u + `}`, text: "(B)", finish: "stop"},
	{name: "error false", api: "chat", body: `{"error":false,"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],` + u + `}`, text: "(B)", finish: "stop"},
	{name: "error code 0", api: "chat", body: `{"error":{"code":0,"message":""},"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],` + u + `}`, text: "(B)", finish: "stop"},
	{name: "choice error empty", api: "chat", body: `{"choices":[{"error":{},"message":{"content":"(B)"},"finish_reason":"stop"}],` + u + `}`, text: "(B)", finish: "stop"},
	{name: "error beside an answer", api: "chat", body: `{"error":{"message":"upstream timeout","code":504},"choices":[{"message":{"content":"(B"},"finish_reason":null}],` + u + `}`, fault: "down"},
	// wrapped
	{name: "wrapped data", api: "chat", body: `{"code":0,"msg":"success","data":` + ch(`{"content":"(B)"}`) + `}`, text: "(B)", finish: "stop"},
	{name: "DashScope native", api: "chat", body: `{"output":{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"(B)"}}]},"usage":{"input_tokens":100,"output_tokens":20,"total_tokens":120},"request_id":"r"}`, text: "(B)", finish: "stop"},
	{name: "array of one", api: "chat", body: `[` + ch(`{"content":"(B)"}`) + `]`, text: "(B)", finish: "stop"},
	{name: "JSON in a JSON string", api: "chat", body: `"{\"choices\":[{\"message\":{\"content\":\"(B)\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}"`, text: "(B)", finish: "stop"},
	{name: "raw newline", api: "chat", body: strings.Replace(ch(`{"content":"aXb"}`), "aXb", "a\nb\tc", 1), text: "a\nb\tc", finish: "stop"},
	{name: "NDJSON stream", api: "chat", body: `{"choices":[{"delta":{"content":"(B"}}]}` + "\n" + `{"choices":[{"delta":{"content":")"},"finish_reason":"stop"}]}` + "\n" + `{"choices":[],` + u + `}` + "\n", text: "(B)", finish: "stop"},
	// streams
	{name: "sse parts", api: "chat", body: sse(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"I guess"}]}]}}]}`, `{"choices":[{"delta":{"content":[{"type":"text","text":"(B"}]}}]}`, `{"choices":[{"delta":{"content":")"},"finish_reason":"stop"}],`+u+`}`, `[DONE]`), text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "sse refusal", api: "chat", body: sse(`{"choices":[{"delta":{"refusal":"I can"}}]}`, `{"choices":[{"delta":{"refusal":"'t."},"finish_reason":"stop"}]}`, `{"choices":[],`+u+`}`, `[DONE]`), text: "I can't.", finish: "refusal"},
	{name: "sse reasoning", api: "chat", body: sse(`{"choices":[{"delta":{"reasoning":"I gu"}}]}`, `{"choices":[{"delta":{"reasoning":"ess"}}]}`, `{"choices":[{"delta":{"content":"(B)"},"finish_reason":"stop"}],`+u+`}`, `[DONE]`), text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "sse tool", api: "chat", body: sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"json","arguments":""}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}],`+u+`}`, `[DONE]`), text: `{"a":1}`, finish: "stop"},
	{name: "sse usage zero last", api: "chat", body: sse(`{"choices":[{"delta":{"content":"(B)"},"finish_reason":"stop"}],`+u+`}`, `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, `[DONE]`), text: "(B)", finish: "stop"},
	{name: "sse usage split", api: "chat", body: sse(`{"choices":[{"delta":{"content":"(B)"}}],"usage":{"prompt_tokens":100,"completion_tokens":0}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"completion_tokens":20}}`, `[DONE]`), text: "(B)", finish: "stop"},
	{name: "sse x_groq", api: "chat", body: sse(`{"choices":[{"delta":{"content":"(B)"}}],"x_groq":{"id":"r"}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":100,"completion_tokens":20}}}`, `[DONE]`), text: "(B)", finish: "stop"},
	{name: "sse Moonshot usage", api: "chat", body: sse(`{"choices":[{"index":0,"delta":{"content":"(B)"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":100,"completion_tokens":20}}]}`, `[DONE]`), text: "(B)", finish: "stop"},
	{name: "sse cost", api: "chat", body: sse(`{"choices":[{"delta":{"content":"(B)"},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"cost":0.5}}`, `[DONE]`), text: "(B)", finish: "stop", usd: 0.5},
	{name: "sse two choices", api: "chat", body: sse(`{"choices":[{"index":0,"delta":{"content":"(B)"}}]}`, `{"choices":[{"index":1,"delta":{"content":"(C)"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],`+u+`}`, `[DONE]`), text: "(B)", finish: "stop"},
	{name: "sse Anthropic zero input at end", api: "anth", body: sse(`{"type":"message_start","message":{"id":"m","model":"c","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"(B)"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"output_tokens":20}}`, `{"type":"message_stop"}`), text: "(B)", finish: "stop"},
	{name: "sse Anthropic thinking", api: "anth", body: sse(`{"type":"message_start","message":{"id":"m","model":"c","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I guess"}}`, `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"("}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"B)"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`), text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "sse Responses empty output", api: "resp", body: sse(`{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`, `{"type":"response.output_text.delta","output_index":0,"delta":"(B)"}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"(B)"}]}}`, `{"type":"response.completed","response":{"id":"r","status":"completed","output":[],"usage":{"input_tokens":100,"output_tokens":20}}}`), text: "(B)", finish: "stop"},
	{name: "google array of chunks", api: "goog", body: `[{"candidates":[{"content":{"parts":[{"text":"I guess","thought":true}]}}],"usageMetadata":{"promptTokenCount":100}},{"candidates":[{"content":{"parts":[{"text":"(B)"}]},"finishReason":"STOP"}],` + gu + `}]`, text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "google wrapped", api: "goog", body: `{"response":{"candidates":[{"content":{"parts":[{"text":"(B)"}]},"finishReason":"STOP"}],` + gu + `},"traceId":"x"}`, text: "(B)", finish: "stop"},
	{name: "google snake", api: "goog", body: `{"candidates":[{"content":{"parts":[{"text":"I gu","thought":true},{"text":"(B"}]},"finish_reason":"MAX_TOKENS"}],"usage_metadata":{"prompt_token_count":100,"candidates_token_count":20,"total_token_count":120}}`, text: "(B", thinking: "I gu", finish: "length"},
	{name: "google thought string", api: "goog", body: `{"candidates":[{"content":{"parts":[{"text":"I guess","thought":"true"},{"text":"(B)"}]},"finishReason":"STOP"}],` + gu + `}`, text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "google functionCall", api: "goog", body: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"json","args":{"decision":1}}}]},"finishReason":"STOP"}],` + gu + `}`, text: `{"decision":1}`, finish: "stop"},
	{name: "google FINISH_REASON_", api: "goog", body: `{"candidates":[{"content":{"parts":[{"text":"(B)"}]},"finishReason":"FINISH_REASON_STOP"}],` + gu + `}`, text: "(B)", finish: "stop"},
	{name: "google thoughts only total", api: "goog", body: `{"candidates":[{"content":{"parts":[{"text":"(B)"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"totalTokenCount":520,"trafficType":"ON_DEMAND"}}`, text: "(B)", finish: "stop", in: 100, out: 420},
	{name: "google zeros and NOT_FINISHED", api: "goog", body: `{"candidates":[{"content":{"parts":[{"text":"(B)"}]},"finishReason":"FINISH_REASON_UNSPECIFIED"}],` + gu + `}`, text: "(B)", finish: "FINISH_REASON_UNSPECIFIED"},
	{name: "google response tokens", api: "goog", body: `{"candidates":[{"content":{"parts":[{"text":"(B)"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"responseTokenCount":20}}`, text: "(B)", finish: "stop"},
	// Anthropic
	{name: "anth content string", api: "anth", body: `{"type":"message","content":"(B)","stop_reason":"end_turn",` + au + `}`, text: "(B)", finish: "stop"},
	{name: "anth tool_use", api: "anth", body: `{"type":"message","content":[{"type":"tool_use","name":"json","input":{"decision":1}}],"stop_reason":"tool_use",` + au + `}`, text: `{"decision":1}`, finish: "stop"},
	{name: "anth error null", api: "anth", body: `{"type":"message","error":{},"content":[{"type":"text","text":"(B)"}],"stop_reason":"end_turn",` + au + `}`, text: "(B)", finish: "stop"},
	{name: "anth openai usage", api: "anth", body: `{"type":"message","content":[{"type":"text","text":"(B)"}],"stop_reason":"end_turn","usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, text: "(B)", finish: "stop"},
	{name: "anth camel usage", api: "anth", body: `{"type":"message","content":[{"type":"text","text":"(B)"}],"stop_reason":"end_turn","usage":{"inputTokens":60,"outputTokens":20,"cacheReadInputTokens":40}}`, text: "(B)", finish: "stop", in: 100, cached: 40, out: 20},
	{name: "anth reasoning beside", api: "anth", body: `{"type":"message","content":[{"type":"text","text":"(B)"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":20,"reasoning_tokens":300}}`, text: "(B)", finish: "stop", in: 100, out: 320, rs: 300},
	{name: "anth total more", api: "anth", body: `{"type":"message","content":[{"type":"text","text":"(B)"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":20,"total_tokens":400}}`, text: "(B)", finish: "stop", in: 100, out: 300},
	{name: "anth server tool", api: "anth", body: `{"type":"message","content":[{"type":"text","text":"(B)"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":7,"ephemeral_1h_input_tokens":3},"cache_creation_input_tokens":10,"cache_read_input_tokens":40,"iterations":[{"input_tokens":50,"output_tokens":5}]}}`, text: "(B)", finish: "stop", in: 150, cached: 40, write: 10, out: 20},
	{name: "anth text thinking type reasoning", api: "anth", body: `{"type":"message","content":[{"type":"reasoning","reasoning":"I guess"},{"type":"text","text":"(B)"}],"stop_reason":"end_turn",` + au + `}`, text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "anth stop max_output", api: "anth", body: `{"type":"message","content":[{"type":"text","text":"(B)"}],"stop_reason":"length",` + au + `}`, text: "(B)", finish: "length"},
	// Responses
	{name: "resp type text", api: "resp", body: `{"status":"completed","output":[{"type":"message","content":[{"type":"text","text":"(B)"}]}],` + au + `}`, text: "(B)", finish: "stop"},
	{name: "resp content string", api: "resp", body: `{"status":"completed","output":[{"type":"message","content":"(B)"}],` + au + `}`, text: "(B)", finish: "stop"},
	{name: "resp output_text", api: "resp", body: `{"status":"completed","output":[],"output_text":"(B)",` + au + `}`, text: "(B)", finish: "stop"},
	{name: "resp phase commentary", api: "resp", body: `{"status":"completed","output":[{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"I guess (A)"}]},{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"(B)"}]}],` + au + `}`, text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "resp part reasoning_text in message", api: "resp", body: `{"status":"completed","output":[{"type":"message","content":[{"type":"reasoning_text","text":"I guess (A)"},{"type":"output_text","text":"(B)"}]}],` + au + `}`, text: "(B)", thinking: "I guess (A)", finish: "stop"},
	{name: "resp function_call", api: "resp", body: `{"status":"completed","output":[{"type":"function_call","name":"json","arguments":"{\"decision\":1}"}],` + au + `}`, text: `{"decision":1}`, finish: "stop"},
	{name: "resp error {}", api: "resp", body: `{"status":"completed","error":{},"output":[{"type":"message","content":[{"type":"output_text","text":"(B)"}]}],` + au + `}`, text: "(B)", finish: "stop"},
	{name: "resp no status", api: "resp", body: `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"(B)"}]}],` + au + `}`, text: "(B)", finish: "stop"},
	{name: "resp only reasoning completed", api: "resp", body: `{"status":"completed","output":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"I guess"}]}],` + au + `}`, fault: "useless"},
	{name: "resp incomplete content_filter", api: "resp", body: `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[],` + au + `}`, text: "", finish: "content_filter"},
	{name: "resp failed", api: "resp", body: `{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached. Please try again in 3s."},"output":[]}`, fault: "busy"},
	{name: "resp failed no error", api: "resp", body: `{"status":"failed","error":null,"output":[]}`, fault: "useless"},
	{name: "resp reasoning elsewhere", api: "resp", body: `{"status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"I guess"}]},{"type":"message","content":[{"type":"output_text","text":"(B)","annotations":[],"logprobs":[]}]}],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":12},"total_tokens":120}}`, text: "(B)", thinking: "I guess", finish: "stop", in: 100, out: 20, rs: 12},
	// Bedrock
	{name: "bedr reasoning", api: "bedr", body: `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"I guess","signature":"x"}}},{"text":"(B)"}]}},"stopReason":"end_turn",` + bu + `}`, text: "(B)", thinking: "I guess", finish: "stop"},
	{name: "bedr toolUse", api: "bedr", body: `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"x","name":"json","input":{"decision":1}}}]}},"stopReason":"tool_use",` + bu + `}`, text: `{"decision":1}`, finish: "stop"},
	{name: "bedr cache counts", api: "bedr", body: `{"output":{"message":{"role":"assistant","content":[{"text":"(B)"}]}},"stopReason":"end_turn","usage":{"inputTokens":60,"outputTokens":20,"totalTokens":120,"cacheReadInputTokenCount":40}}`, text: "(B)", finish: "stop", in: 100, cached: 40, out: 20},
	{name: "bedr malformed", api: "bedr", body: `{"output":{"message":{"role":"assistant","content":[{"text":"(B"}]}},"stopReason":"malformed_model_output",` + bu + `}`, text: "(B", finish: "malformed_model_output"},
	{name: "bedr guardrail no message", api: "bedr", body: `{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"guardrail_intervened",` + bu + `}`, text: "", finish: "content_filter"},
	// usage and cost
	{name: "gemini proxy zero completion", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"completion_tokens":0,"total_tokens":81,"prompt_tokens":21,"completion_tokens_details":{"reasoning_tokens":60}}}`, text: "(B)", finish: "stop", in: 21, out: 60, rs: 60},
	{name: "reasoning_tokens beside completion with total", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"reasoning_tokens":10,"total_tokens":130}}`, text: "(B)", finish: "stop", in: 100, out: 30, rs: 10},
	{name: "thinking_tokens in details", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"completion_tokens_details":{"thinking_tokens":300}}}`, text: "(B)", finish: "stop", in: 100, out: 320, rs: 300},
	{name: "thoughts_tokens", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"thoughts_tokens":300}}`, text: "(B)", finish: "stop", in: 100, out: 320, rs: 300},
	{name: "prompt_tokens_details sum", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":20,"prompt_tokens_details":{"text_tokens":100,"cached_tokens":40}}}`, text: "(B)", finish: "stop", in: 100, cached: 40, out: 20},
	{name: "search units", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cost":"0.25","cost_details":{"upstream_inference_cost":null}}}`, text: "(B)", finish: "stop", usd: 0.25},
	{name: "total_cost", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_cost":0.25}}`, text: "(B)", finish: "stop", usd: 0.25},
	{name: "cost_usd", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"cost_usd":0.25}}`, text: "(B)", finish: "stop", usd: 0.25},
	{name: "cost in body", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"cost":0.25,` + u + `}`, text: "(B)", finish: "stop", usd: 0.25},
	{name: "cost hidden params", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"_hidden_params":{"response_cost":0.25},` + u + `}`, text: "(B)", finish: "stop", usd: 0.25},
	{name: "cost Vercel", api: "chat", body: `{"choices":[{"message":{"content":"(B)","provider_metadata":{"gateway":{"cost":"0.25"}}},"finish_reason":"stop"}],` + u + `}`, text: "(B)", finish: "stop", usd: 0.25},
	{name: "Fireworks perf", api: "chat", body: `{"choices":[{"message":{"content":"(B)"},"finish_reason":"stop"}],"usage":null,"perf_metrics":{"prompt-tokens":100},"usage_metadata":{"input_tokens":100,"output_tokens":20}}`, text: "(B)", finish: "stop"},
	{name: "usage in message", api: "chat", body: `{"choices":[{"message":{"content":"(B)","usage":{"prompt_tokens":100,"completion_tokens":20}},"finish_reason":"stop"}]}`, text: "(B)", finish: "stop"},
	{name: "Cloudflare", api: "chat", body: `{"result":{"response":"(B)","usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}},"success":true,"errors":[],"messages":[]}`, fault: "useless"},
	{name: "prompt billed at resp", api: "resp", body: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"(B)"}]}],"usage":{"input_tokens":100,"output_tokens":20,"total_tokens":120,"output_tokens_details":{"reasoning_tokens":300}}}`, text: "(B)", finish: "stop", in: 100, out: 320, rs: 300},
}
