package wire

import (
	"net/http"
	"testing"
)

// What certainly cost nothing is told from what a service may have billed.
func TestUnbilled(t *testing.T) {
	const refused = `{"error":{"message":"sorry","type":"server_error"}}`
	for name, c := range map[string]struct {
		status int
		body   string
		cost   string // of the proxy LiteLLM
		want   bool
	}{
		"refused":               {429, refused, "", true},
		"down":                  {500, refused, "", true},
		"down without a body":   {503, "", "", true},
		"overloaded":            {529, refused, "0", true},
		"provider is down":      {502, refused, "", true},
		"gateway in HTML":       {502, "<html>Bad Gateway</html>", "", false},
		"gateway without words": {520, "", "", false},
		"request timed out":     {408, refused, "0", false},
		"gateway timed out":     {504, refused, "", false},
		"origin timed out":      {524, "", "", false},
		"client gone":           {499, "", "", false},
		"with usage":            {500, `{"error":{"message":"cut"},"usage":{"prompt_tokens":10}}`, "", false},
		"with Gemini's usage":   {500, `{"error":{},"usageMetadata": {"promptTokenCount":10}}`, "", false},
		"with a cost":           {500, refused, "0.0004", false},
	} {
		f := &Failure{Status: c.status, Body: []byte(c.body), Header: http.Header{}}
		if c.cost != "" {
			f.Header.Set("x-litellm-response-cost", c.cost)
		}
		if got := f.IsUnbilled(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What a service says that a call has cost, in the forms that services publish.
func TestBilledUSD(t *testing.T) {
	for name, c := range map[string]struct {
		usage, header string
		want          float64
	}{
		"OpenRouter":          {`{"prompt_tokens":1,"cost":0.0125,"is_byok":false,"cost_details":{"upstream_inference_cost":null}}`, "", 0.0125},
		"OpenRouter, own key": {`{"cost":0.0005,"is_byok":true,"cost_details":{"upstream_inference_cost":0.01}}`, "", 0.0105},
		"OpenRouter, details": {`{"cost":0.0125,"is_byok":false,"cost_details":{"upstream_inference_cost":0.01}}`, "", 0.0125},
		"Perplexity":          {`{"cost":{"input_tokens_cost":0.0001,"output_tokens_cost":0.0002,"request_cost":0.005,"total_cost":0.0053}}`, "", 0.0053},
		"DeepInfra":           {`{"estimated_cost":0.0003}`, "", 0.0003},
		"xAI":                 {`{"cost_in_usd_ticks":158500}`, "", 0.00001585},
		"LiteLLM":             {`{"prompt_tokens":1}`, "0.002", 0.002},
		"a text":              {`{"cost":"0.25"}`, "", 0.25},
		"nothing":             {`{"prompt_tokens":1}`, "None", 0}, "free": {`{"cost":0}`, "", 0}, "less than nothing": {`{"cost":-1}`, "-0.1", 0},
		"another unit": {`{"cost":12500}`, "", 0}, "no number": {`{"cost":"NaN"}`, "", 0}, "a list": {`[1]`, "", 0}, "null": {`null`, "", 0},
	} {
		h := http.Header{}
		h.Set("X-Litellm-Response-Cost", c.header)
		if got := BilledUSD([]byte(`{"usage":`+c.usage+`}`), h); got != c.want {
			t.Errorf("%s: $%v, want $%v", name, got, c.want)
		}
	}
}
