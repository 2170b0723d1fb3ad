package prompt

import "testing"

func TestStatedConfidence(t *testing.T) {
	for text, want := range map[string]float64{
		"Confidence: 85\n(A)": 0.85, "confidence: 0\n(A)": 0, "**Confidence: 100%**\n(A)": 1, "Confidence: **70**.\r\n(A)": 0.7,
		"Confidence: 20\nOn reflection:\nConfidence: 60\n(A)": 0.6,
	} {
		if got, ok := statedConfidence(text); !ok || got != want {
			t.Errorf("%q: %v %t, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"(A)", "Confidence: high", "Confidence: 101", "My Confidence: 80 or so", "Confidence: 1000", "Confidence: -5"} {
		if got, ok := statedConfidence(text); ok {
			t.Errorf("%q states %v", text, got)
		}
	}
}
