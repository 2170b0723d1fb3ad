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
		if got := f.Unbilled(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
