package providers

import "testing"

// An account is a label of metrics: a server without a key has no gap in it.
func TestAccountOf(t *testing.T) {
	for want, parts := range map[string][3]string{
		"https://api.openai.com/v1 OPENAI_API_KEY openai/gpt-5-mini": {"https://api.openai.com/v1", "OPENAI_API_KEY", "openai/gpt-5-mini"},
		"http://127.0.0.1:8000/v1 openai/qwen":                       {"http://127.0.0.1:8000/v1", "", "openai/qwen"},
	} {
		if got := AccountOf(parts[0], parts[1], parts[2]); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
