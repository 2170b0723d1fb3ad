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
	// members that are not what they should be, beside an answer
	{name: "stream without an answer at its end", api: "resp", body: "data: {\"type\":\"response.output_text.delta\",\"delta\":\"(B)\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":null,\"usage\":{\"input_tokens\":100,\"output_tokens\":20}}}\n\n", text: "(B)", finish: "stop"},
	{name: "function_call is a text", api: "chat", body: ch(`{"content":"(B)","function_call":"","provider_specific_fields":[]}`), text: "(B)", finish: "stop"},
	{name: "an empty part", api: "chat", body: ch(`{"content":[{"type":"text"},{"type":"text","text":"(B)","thought":""}]}`), text: "(B)", finish: "stop"},
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

// fault is a response that holds no answer, and what is read in it.
type fault struct {
	api     string
	status  int
	h, body string // header "K: v; K: v"
	fault   model.Fault
	after   string
	words   string
}

var servedFaults = []fault{
	// passing ones that speak of filters and lengths
	{"chat", 200, "", `{"error":{"code":502,"message":"moderation service failed"}}`, "down", "", "moderation"},
	{"chat", 200, "", `{"error":{"code":503,"message":"prompt is too long for the queue"}}`, "busy", "0s", "queue"},
	{"chat", 200, "", `{"error":{"code":429,"message":"moderation endpoint rate"}}`, "busy", "", "rate"},
	{"chat", 429, "Retry-After: 30", `{"error":{"message":"You have exhausted your quota for this minute. Try again in 30s"}}`, "busy", "30s", "quota"},
	// no credit
	{"chat", 402, "", `{"error":{"message":"Credit limit exceeded, please navigate to https://api.together.ai/settings/billing to add credit.","type":"credit_limit"}}`, "unpaid", "", "Credit limit"},
	{"chat", 429, "", `{"error":{"message":"Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.","code":429,"status":"RESOURCE_EXHAUSTED"}}`, "unpaid", "", "depleted"},
	{"chat", 403, "", `{"code":"The caller does not have permission to execute the specified operation","error":"Your team 1 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."}`, "unpaid", "", "used all"},
	{"chat", 402, "", `{"error":"You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more monthly included credits."}`, "unpaid", "", "included"},
	{"chat", 402, "", `{"error":"You have depleted your monthly included credits. Purchase pre-paid credits to continue using Inference Providers."}`, "unpaid", "", "depleted"},
	{"chat", 403, "", `{"error":{"message":"You have depleted your included credits","type":"forbidden"}}`, "unpaid", "", "depleted"},
	{"chat", 401, "", `{"error":{"message":"该令牌额度已用尽 !token.UnlimitedQuota && token.RemainQuota = -12 (request id: 2025)","type":"new_api_error"}}`, "unpaid", "", "令牌"},
	{"chat", 403, "", `{"error":{"code":"insufficient_user_quota","message":"用户额度不足","type":"new_api_error"}}`, "unpaid", "", ""},
	{"chat", 400, "", `{"error":{"message":"Insufficient funds. Please add funds to your account.","type":"invalid_request_error"}}`, "unpaid", "", ""},
	{"chat", 403, "", `{"error":{"message":"AI Gateway requires a valid credit card on file to service requests. Please visit https://vercel.com to add a card","type":"customer_verification_required"}}`, "unpaid", "", "credit card"},
	{"chat", 403, "", `{"error":{"message":"Your free trial has ended. Please upgrade your plan.","type":"forbidden"}}`, "unpaid", "", ""},
	{"chat", 403, "", `{"error":{"message":"Your account balance is negative, please recharge"}}`, "unpaid", "", ""},
	{"chat", 400, "", `{"error":{"message":"balance not enough","code":"BALANCE_NOT_ENOUGH"}}`, "unpaid", "", ""},
	{"chat", 403, "", `{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}`, "unpaid", "", ""},
	{"chat", 429, "", `{"error":{"code":"1309","message":"您的GLM Coding Plan套餐已到期，暂无法使用，请前往官网续订"}}`, "unpaid", "", "套餐"},
	{"chat", 200, "", `{"id":"x","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, "unpaid", "", "insufficient"},
	{"chat", 429, "", `{"error":{"message":"Your organization has exceeded its usage limit for the current month. Contact your admin."}}`, "unpaid", "", ""},
	{"anth", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, "unpaid", "", ""},
	{"anth", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`, "unpaid", "", "regain"},
	{"chat", 429, "", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":5100}}`, "busy", "1h25m", "usage limit"},
	{"chat", 429, "", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":300}}`, "busy", "5m0s", "usage limit"},
	{"chat", 412, "", `{"error":{"object":"error","type":"invalid_request_error","message":"Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices."}}`, "unpaid", "", ""},
	{"goog", 400, "", `{"error":{"code":400,"message":"This API method requires billing to be enabled. Please enable billing on project #1 by visiting https://console.developers.google.com/billing/enable","status":"FAILED_PRECONDITION"}}`, "unpaid", "", "billing"},
	{"goog", 403, "", `{"error":{"code":403,"message":"This API method requires billing to be enabled. Please enable billing on project #1.","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BILLING_DISABLED"}]}}`, "unpaid", "", "billing"},
	// keys
	{"chat", 401, "", `{"error":{"message":"No auth credentials found","code":401}}`, "denied", "", ""},
	{"chat", 400, "", `{"error":{"message":"The access token is invalid or has expired","code":"invalid_request"}}`, "denied", "", ""},
	{"chat", 200, "", `{"error_code":110,"error_msg":"Access token invalid or no longer valid"}`, "denied", "", "Access token"},
	{"chat", 400, "", `{"error":{"message":"Invalid token","type":"invalid_request_error"}}`, "denied", "", ""},
	{"chat", 403, "", `{"error":{"message":"无效的令牌","type":"new_api_error"}}`, "denied", "", ""},
	{"chat", 200, "", `{"base_resp":{"status_code":2049,"status_msg":"invalid api key"}}`, "denied", "", ""},
	{"chat", 400, "", `{"error":{"message":"The API key has been revoked by its owner."}}`, "denied", "", ""},
	{"chat", 400, "", `{"error":{"message":"Your API key was deleted."}}`, "denied", "", ""},
	{"chat", 403, "", `{"error":{"message":"Your IP address 1.2.3.4 is not allowed to access this resource","type":"forbidden"}}`, "denied", "", ""},
	{"chat", 403, "", `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","type":"request_forbidden"}}`, "denied", "", ""},
	{"goog", 400, "", `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, "denied", "", ""},
	{"goog", 400, "", `{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, "denied", "", ""},
	{"goog", 403, "", `{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}`, "denied", "", "leaked"},
	{"bedr", 403, "X-Amzn-Errortype: ExpiredTokenException", `{"message":"The security token included in the request is expired"}`, "denied", "", ""},
	{"bedr", 400, "X-Amzn-Errortype: ValidationException", `{"message":"Operation not allowed"}`, "denied", "", ""},
	{"anth", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"This organization has been disabled."}}`, "denied", "", ""},
	{"anth", 403, "", `{"type":"error","error":{"type":"permission_error","message":"OAuth token has been revoked. Please obtain a new token."}}`, "denied", "", ""},
	{"anth", 403, "", `{"error":{"type":"forbidden","message":"Request not allowed"}}`, "refused", "", ""},
	// models
	{"chat", 400, "", `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, "missing", "", ""},
	{"chat", 400, "", `{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}`, "missing", "", "模型"},
	{"chat", 400, "", `{"error":{"message":"The model gpt-4.5-preview has been deprecated, learn more here","type":"invalid_request_error","code":"model_deprecated"}}`, "missing", "", ""},
	{"chat", 410, "", `{"error":{"message":"This model was retired on 2026-01-15."}}`, "missing", "", ""},
	{"chat", 400, "", `{"error":{"message":"Model claude-3-opus has been discontinued and is no longer offered."}}`, "missing", "", ""},
	{"chat", 400, "", `{"error":"No models loaded. Please load a model in the developer page or use the lms load command."}`, "missing", "", "No models"},
	{"chat", 200, "", `{"error":"Model \"qwen\" not found"}`, "missing", "", ""},
	{"chat", 503, "", `{"error":{"message":"No available channel for model gpt-6 under group default (distributor)","type":"new_api_error"}}`, "missing", "", ""},
	{"chat", 503, "", `{"error":{"message":"当前分组 default 下对于模型 gpt-6 无可用渠道","type":"new_api_error"}}`, "missing", "", ""},
	{"chat", 400, "", `{"error":{"message":"litellm.BadRequestError: LLM Provider NOT provided. You passed model=foo","type":null,"param":null,"code":"400"}}`, "missing", "", ""},
	{"chat", 400, "", `{"error":{"message":"{'error': '/chat/completions: Invalid model name passed in model=foo. Call /v1/models to view available models for your key.'}","code":"400"}}`, "missing", "", ""},
	{"chat", 404, "", `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, "missing", "", ""},
	{"chat", 400, "", `{"error":{"code":"OperationNotSupported","message":"The chatCompletion operation does not work with the specified model, gpt-x. Please choose different model and try again."}}`, "missing", "", ""},
	{"bedr", 404, "X-Amzn-Errortype: ResourceNotFoundException", `{"message":"This model version has reached the end of its life. Please refer to the AWS documentation for more details."}`, "missing", "", ""},
	{"bedr", 400, "X-Amzn-Errortype: ValidationException", `{"message":"The provided model identifier is invalid."}`, "missing", "", ""},
	{"bedr", 403, "X-Amzn-Errortype: AccessDeniedException", `{"message":"You don't have access to the model with the specified model ID."}`, "denied", "", ""},
	{"goog", 404, "", `{"error":{"code":404,"message":"models/gemini-1.0 is not found for API version v1beta","status":"NOT_FOUND"}}`, "missing", "", ""},
	{"chat", 404, "Content-Type: text/html", `<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx/1.24.0</center></body></html>`, "missing", "", "404"},
	// context
	{"chat", 400, "", `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]","code":"invalid_parameter_error"}}`, "rejected", "", "Range"},
	{"chat", 400, "", `{"error":{"code":"1261","message":"Prompt 超长"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Requested tokens (2065) exceed context window of 1800","type":"invalid_request_error"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens","type":"BadRequest","code":400}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Input length (40000 tokens) exceeds the maximum allowed length (32768 tokens)."}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760, but got 12000000 instead.","code":"string_above_max_length","type":"invalid_request_error"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","code":"context_length_exceeded"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Please reduce the length of the messages or completion. Current length is 8500 while limit is 8192","code":"context_length_exceeded","type":"invalid_request_error"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error_code":336007,"error_msg":"the max input characters is 20000"}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"invalid params, context window exceeds limit (2013)","type":"bad_request_error"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":"input length exceeds maximum context length"}`, "rejected", "", ""},
	{"bedr", 400, "X-Amzn-Errortype: ValidationException", `{"message":"Input is too long for requested model."}`, "rejected", "", ""},
	{"bedr", 400, "X-Amzn-Errortype: ValidationException", `{"message":"The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum"}`, "rejected", "", ""},
	{"anth", 413, "", `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, "rejected", "", ""},
	{"anth", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit: 199000 + 4096 > 200000, decrease input length or max_tokens and try again"}}`, "rejected", "", ""},
	{"goog", 400, "", `{"error":{"code":400,"message":"The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"max_tokens must be at least 1, got -1093.","type":"BadRequestError","code":400}}`, "rejected", "", ""},
	// filters
	{"chat", 200, "", `{"choices":null,"base_resp":{"status_code":1027,"status_msg":"output new_sensitive"}}`, "rejected", "", "new_sensitive"},
	{"chat", 400, "", `{"error":{"message":"input new_sensitive (1026)","type":"invalid_request_error"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Output text may contain sensitive information.","code":"OutputTextSensitiveContentDetected"}}`, "rejected", "", ""},
	{"chat", 403, "", `{"error":{"message":"Content violates usage guidelines. Team: x, API key ID: y, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO","code":"forbidden"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","status":400}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"Your request was rejected as a result of our safety system.","type":"invalid_request_error"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}`, "rejected", "", ""},
	{"chat", 400, "", `{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`, "rejected", "", ""},
	{"anth", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, "rejected", "", ""},
	{"goog", 200, "", `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":100}}`, "", "", ""},
	// busy
	{"chat", 200, "", `{"status":"449","msg":"You exceeded your current rate limit","body":null}`, "busy", "", "rate limit"},
	{"chat", 400, "", `{"error":{"message":"Rate limit exceeded, please slow down","type":"invalid_request_error"}}`, "busy", "", ""},
	{"chat", 403, "", `{"message":"API rate limit exceeded for 1.2.3.4"}`, "busy", "", ""},
	{"chat", 500, "", `{"error":{"message":"Too many requests, please try again later. Retry after 12 seconds"}}`, "busy", "12s", ""},
	{"chat", 200, "", `{"base_resp":{"status_code":1002,"status_msg":"rate limit exceeded(RPM), please retry later"}}`, "busy", "", ""},
	{"chat", 500, "", `{"error":{"message":"Model is overloaded. Please try again later.","type":"internal_server_error"}}`, "busy", "", ""},
	{"chat", 400, "", `{"error":{"code":"1305","message":"该模型当前访问量过大，请您稍后再试"}}`, "busy", "", ""},
	{"chat", 500, "", `{"error":{"message":"当前请求过多，请稍后重试","type":"server_error"}}`, "busy", "", ""},
	{"chat", 200, "", `{"error_code":18,"error_msg":"Open api qps request limit reached"}`, "busy", "", ""},
	{"chat", 200, "", `{"error_code":17,"error_msg":"Open api daily request limit reached"}`, "unpaid", "", ""},
	{"chat", 503, "", `{"error":"Model meta-llama/x is currently loading","estimated_time":20.0}`, "busy", "20s", "loading"},
	{"chat", 529, "", `{"error":{"message":"overloaded"}}`, "busy", "", ""},
	{"anth", 200, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "busy", "", ""},
	{"chat", 408, "", `{"error":{"message":"Request timed out in queue"}}`, "down", "", ""},
	{"chat", 200, "Content-Type: text/html", `<!DOCTYPE html><html><title>Sign in</title><body>Login to continue</body></html>`, "useless", "", "Sign in"},
	{"chat", 403, "Content-Type: text/html", `<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1><p>You are unable to access api.x.ai. This website is using a security service to protect itself from online attacks. Your IP: 1.2.3.4. violated policy rules of the site owner</p></body></html>`, "refused", "", "Attention"},
	{"chat", 403, "Content-Type: text/html", `<html><head><title>Just a moment...</title></head><body>Enable JavaScript and cookies to continue</body></html>`, "refused", "", ""},
	{"chat", 503, "Content-Type: text/html; Retry-After: 30", `<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>`, "busy", "30s", ""},
	{"chat", 413, "Content-Type: text/html", `<html><head><title>413 Request Entity Too Large</title></head></html>`, "rejected", "", ""},
	// hints
	{"chat", 429, "Retry-After: \"30\"", `{}`, "busy", "30s", ""},
	{"chat", 429, "Retry-After: 30 seconds", `{}`, "busy", "30s", ""},
	{"chat", 429, "X-Ms-Retry-After-Ms: 1500", `{}`, "busy", "1.5s", ""},
	{"chat", 429, "X-Ratelimit-Remaining-Tokens-Minute: 0; X-Ratelimit-Reset-Tokens-Minute: 10.4", `{}`, "busy", "10.4s", ""},
	{"chat", 429, "X-Ratelimit-Remaining-Requests-Minute: 0; X-Ratelimit-Reset-Requests-Minute: 12", `{}`, "busy", "12s", ""},
	{"chat", 429, "Ratelimitbysize-Remaining: 0; Ratelimitbysize-Reset: 42", `{}`, "busy", "42s", ""},
	{"chat", 429, "", `{"error":{"message":"slow","retry_after_seconds":7}}`, "busy", "7s", ""},
	{"chat", 429, "", `{"error":{"message":"slow","retry_after_ms":1500}}`, "busy", "1.5s", ""},
	{"chat", 429, "", `{"error":{"message":"slow","retryAfterMs":1500}}`, "busy", "1.5s", ""},
	{"chat", 429, "", `{"error":{"message":"slow"},"retry_after":"9s"}`, "busy", "9s", ""},
	{"chat", 429, "", `{"error":{"message":"Provider returned error","code":429,"metadata":{"headers":{"Retry-After":"8"},"raw":"x is temporarily rate-limited upstream"}}}`, "busy", "8s", ""},
	{"chat", 429, "", `{"error":{"message":"Rate limit reached. Limit resets in 45s."}}`, "busy", "45s", ""},
	{"chat", 429, "", `{"error":{"message":"请求过于频繁，请在 6 秒后重试"}}`, "busy", "6s", ""},
	{"chat", 429, "", `{"error":{"message":"Requests have exceeded the token rate limit of your current pricing tier. Please retry after 11 seconds."}}`, "busy", "11s", ""},
	{"chat", 429, "", `{"error":{"message":"Rate limited: wait 1m 5s"}}`, "busy", "1m5s", ""},
	{"goog", 429, "", `{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"33.5s"}]}}`, "busy", "33.5s", ""},
	// unloaded, memory
	{"chat", 400, "", `{"error":"Model unloaded."}`, "refused", "", "unloaded"},
	{"chat", 400, "", `{"error":"The model has crashed without additional information. (Exit code: 6)"}`, "refused", "", "crashed"},
	{"chat", 500, "", `{"error":{"message":"model requires more system memory (5.6 GiB) than is available (3.1 GiB)","type":"api_error"}}`, "refused", "", "memory"},
	{"chat", 500, "", `{"error":{"message":"llama runner process has terminated: exit status 2","type":"api_error"}}`, "broken", "", "terminated"},
	{"chat", 200, "", `{"error":"Failed to load model \"x\". Error: insufficient system resources"}`, "useless", "", "Failed to load"},
	{"chat", 424, "", `{"error":"CUDA error: out of memory","error_type":"generation"}`, "refused", "", "memory"},
	// empty
	{"chat", 200, "", ``, "useless", "", ""},
	{"chat", 200, "", `null`, "useless", "", ""},
	{"chat", 200, "", `{"detail":"Internal error"}`, "useless", "", "Internal error"},
	{"chat", 500, "", ``, "broken", "", ""},
	{"chat", 400, "", ``, "refused", "", ""},
	{"resp", 200, "Content-Type: text/event-stream", "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Rate limit reached, try again in 2s\"}\n\n", "busy", "2s", "Rate limit"},
	{"chat", 200, "", `{"choices":[],"error":{"message":"Upstream idle timeout exceeded","code":504}}`, "down", "", ""},
	{"chat", 200, "", `{"code":500,"msg":"internal error","data":null}`, "broken", "", "internal error"},
	{"chat", 200, "", `{"success":false,"errors":[{"code":3040,"message":"Capacity temporarily exceeded, please try again."}],"result":null}`, "busy", "", "Capacity"},
}

// Faults in the words of services of 2025 and 2026: what is done about them follows from these, and the words are
// kept.
func TestServedFaults(t *testing.T) {
	for _, c := range servedFaults {
		t.Run(c.api, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for pair := range strings.SplitSeq(c.h, "; ") {
					if name, value, ok := strings.Cut(pair, ": "); ok {
						w.Header().Set(name, value)
					}
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			_, err := newService(t, c.api, s.URL).Complete(t.Context(), asked)
			e, ok := errors.AsType[*model.Error](err)
			if !ok {
				e = &model.Error{}
			}
			after, _ := time.ParseDuration(c.after)
			if e.Fault != c.fault || c.fault == model.Busy && e.RetryAfter != after || !strings.Contains(e.Message, c.words) {
				t.Errorf("%d %s %s: %+v, want %s after %s", c.status, c.h, c.body, *e, c.fault, c.after)
			}
		})
	}
}

// servedForms are refusals of a schema or of a message of the system, in whatever words.
var servedForms = []struct {
	kind   string
	status int
	body   string
}{
	{"schema", 400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`},
	{"schema", 422, `{"detail":[{"loc":["body","response_format","type"],"msg":"Input should be 'text' or 'json_object'"}]}`},
	{"schema", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}`},
	{"schema", 500, `{"error":{"message":"Failed to compile grammar","type":"server_error"}}`},
	{"schema", 500, `Internal Server Error`},
	{"schema", 501, `{"error":"not implemented"}`},
	{"schema", 400, `{"error":{"message":"Bad request"}}`},
	{"schema", 400, ``},
	{"schema", 400, `{"error":{"message":"json_schema is not supported by this model","type":"invalid_request_error"}}`},
	{"schema", 404, `{"error":{"message":"No endpoints found that can handle the requested parameters. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`},
	{"schema", 200, `{"error":{"message":"response_format json_schema is not supported","code":400}}`},
	{"schema", 200, `{"error":"Unsupported response_format"}`},
	{"schema", 405, `{"error":{"message":"response_format is not allowed"}}`},
	{"schema", 403, `{"error":{"message":"Structured outputs are not available on your plan"}}`},
	{"schema", 502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"structured_outputs not supported"}}}`},
	{"schema", 503, `{"error":{"message":"guided decoding backend failed: xgrammar: unsupported schema"}}`},
	{"schema", 424, `{"error":"Grammar compilation failed","error_type":"generation"}`},
	{"schema", 400, `{"error":{"message":"The model foo does not support json_schema. Invalid model for this parameter: unknown model capability"}}`},
	{"schema", 400, `{"error":{"message":"Invalid schema for response_format 'x': In context=(), schema must have type object; too many tokens in schema: maximum context length"}}`},
	{"schema", 429, `{"error":{"message":"Provider returned error: response_format of type json_schema is unsupported","code":429}}`},
	{"system", 400, `{"error":{"message":"System role not supported","type":"BadRequestError","code":400}}`},
	{"system", 500, `{"error":{"message":"Jinja Exception: System role not supported","type":"server_error"}}`},
	{"system", 400, `{"error":{"message":"Developer instruction is not enabled for models/gemma-3-27b-it"}}`},
	{"system", 422, `{"detail":[{"loc":["body","messages",0,"role"],"msg":"Input should be 'user' or 'assistant'","input":"system"}]}`},
	{"system", 400, `{"error":{"message":"'system' is not one of ['user','assistant'] - 'messages.0.role'","type":"invalid_request_error"}}`},
	{"system", 400, `{"error":{"message":"This model does not support system messages."}}`},
	{"system", 400, `{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","param":"messages[0].role","code":"unsupported_value"}}`},
	{"system", 400, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}`},
	{"system", 400, `{"error":{"message":"Only user and assistant roles are supported!"}}`},
	{"system", 200, `{"error":{"message":"System role not supported","code":400}}`},
	{"system", 400, `{"error":{"message":"messages parameter is illegal: the first message must be from user","code":"1214"}}`},
	{"system", 400, `{"error_code":336006,"error_msg":"the role of message with even index in the messages must be assistant"}`},
	{"system", 400, `{"error":{"message":"invalid message role: system"}}`},
	{"system", 400, `{"error":{"message":"system prompt is not supported by this model"}}`},
	{"system", 400, `{"error":{"message":"Invalid role in messages[0]: only 'user' and 'assistant' allowed"}}`},
	{"system", 501, `{"error":{"message":"system messages are not implemented"}}`},
}

// A form that a service refuses is left out in the second request, which is answered.
func TestServedForms(t *testing.T) {
	for _, c := range servedForms {
		requests := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			requests++
			refused := map[string]string{"schema": "response_format", "system": `"role":"system"`}[c.kind]
			if strings.Contains(string(body), refused) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
				return
			}
			_, _ = io.WriteString(w, ch(`{"content":"{}"}`))
		}))
		q := asked
		q.Messages = []model.Message{{Role: "system", Content: "rules"}, {Role: "user", Content: "hi"}}
		if c.kind == "schema" {
			q.Schema, q.Name = []byte(`{"type":"object"}`), "x"
		}
		_, err := newService(t, "chat", s.URL).Complete(t.Context(), q)
		s.Close()
		if err != nil || requests != 2 {
			t.Errorf("%s, %d %s: %d requests, %v", c.kind, c.status, c.body, requests, err)
		}
	}
}

// An answer that cannot be used is paid, whatever it quotes: it is not asked for again without its schema.
func TestUselessAnswersKeepTheSchema(t *testing.T) {
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = io.WriteString(w, `{"text":{"format":{"type":"json_schema"}},"status":"completed","output":[{"type":"reasoning"}],"usage":{"input_tokens":1,"output_tokens":500}}`)
	}))
	defer s.Close()
	q := asked
	q.Schema, q.Name = []byte(`{"type":"object"}`), "x"
	if _, err := newService(t, "resp", s.URL).Complete(t.Context(), q); err == nil || requests != 1 {
		t.Errorf("%d requests, %v", requests, err)
	}
}

// A body that says it is compressed and is not is read as it came.
func TestUncompressed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "deflate")
		_, _ = io.WriteString(w, ch(`{"content":"(B)"}`))
	}))
	defer s.Close()
	if got, err := newService(t, "chat", s.URL).Complete(t.Context(), asked); err != nil || string(got.Text) != "(B)" {
		t.Errorf("%+v, %v", got, err)
	}
}
