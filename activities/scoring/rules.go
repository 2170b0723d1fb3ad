package scoring

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"math"
	"strings"
	"unicode"

	"roundtable/activities/model"
)

//go:embed templates/*.tmpl
var templates embed.FS

// Prompts returns the built-in template of the text that a judge reads.
func Prompts() fs.FS {
	sub, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// Rules is the name of the judge that counts words.
const Rules = "scripted/judge"

// rules judges by words. It is not a language model and knows no rubric: it shows how the
// machinery works. Its scores are marked simulated.
type rules struct{ scale [2]float64 }

// NewRules returns the judge that counts words: its score is the greatest F1 of words that an
// answer shares with a reference answer, in quarters of the scale, and half the scale without a
// reference. The same answer always gets the same score.
func NewRules(scale [2]float64) model.Model { return rules{scale} }

// Complete answers the document of the last message, without looking at anything else.
func (r rules) Complete(_ context.Context, q model.Request) (model.Response, error) {
	var c struct {
		References []string `json:"reference_answers"`
		Answer     string   `json:"answer"`
	}
	if err := q.ReadDocument(&c); err != nil {
		return model.Response{}, err
	}
	share, why := 0.5, "There is no reference answer."
	if len(c.References) > 0 {
		share, why = 0, "Words in common with the nearest reference answer."
		for _, reference := range c.References {
			share = max(share, wordOverlap(c.Answer, reference))
		}
	}
	share = math.Round(share*4) / 4
	text, err := json.Marshal(map[string]any{"score": r.scale[0] + float64(share*(r.scale[1]-r.scale[0])), "why": why})
	return model.Response{Text: text, Model: Rules, FinishReason: "stop"}, err
}

// wordOverlap returns the F1 of two texts' words, each word counted as often as it is there.
func wordOverlap(a, b string) float64 {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	have, want := words(a), words(b)
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	common := 0
	for _, w := range have {
		if left[w] > 0 {
			left[w]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(have)+len(want))
}
