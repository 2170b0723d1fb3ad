package reading

import "testing"

// Texts with a mark before an answer in words, with what a person reads in each; "" is none.
func TestAfterMark(t *testing.T) {
	for text, want := range map[string]string{
		"Agent 2 wrote {\"answer\": \"London\"}, which is wrong.\n\nAnswer: Paris":   "Paris",
		`The previous {"answer": "London"} was wrong. The answer is Paris.`:          "Paris.",
		`Agent 2 wrote {"answer": "London"}, which is wrong.`:                        "",
		`Answer: Paris` + "\n" + `Agent 2 wrote {"answer": "London"}.`:               "Paris",
		`{"answer": "Paris", "explanation": "It is old. The answer is well known."}`: "Paris",
		"```json\n{\"answer\": \"Paris\"}\n```":                                      "Paris",
		"{\"answer\": \"London\"}\n\nI was wrong.\n\nAnswer: Paris":                  "Paris",
		"## Answer\nLet me think.\n\nAnswer: Paris":                                  "Paris",
		"## Answer\nParis": "Paris",
		"Answer: Who Framed Roger Rabbit? No one knows": "Who Framed Roger Rabbit? No one knows",
		"Answer: Help! The Beatles album":               "Help! The Beatles album",
		"Answer: The Answer is Blowing":                 "The Answer is Blowing",
		"Answer: The answer is Paris":                   "Paris",
		"Answer: Malcolm X. He was born in 1925.":       "Malcolm X",
		"Answer: J. K. Rowling":                         "J. K. Rowling",
		"Answer: Paris. It is the capital of France.":   "Paris",
	} {
		if got, ok := AfterMark(text, false); got != want || ok != (want != "") {
			t.Errorf("%q is read as %q, not %q", text, got, want)
		}
	}
}
