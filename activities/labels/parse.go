package labels

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"roundtable/activities/prompt"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
)

// Parse reads the acts that an answer names, each once and in the order of
// record.Acts. The error tells the model what to fix: every act must be one
// of them, written in whatever case, and there must be at least one.
func Parse(raw []byte) ([]string, error) {
	object, err := prompt.Object(raw)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Acts *[]string `json:"acts"`
	}
	if err := json.Unmarshal(object, &answer); err != nil || answer.Acts == nil {
		return nil, fmt.Errorf(`it needs "acts": a list of names out of %s`, knownActs())
	}
	var shown [len(record.Acts)]bool
	for _, name := range *answer.Acts {
		i := slices.IndexFunc(record.Acts[:],
			func(act string) bool { return strings.EqualFold(act, strings.TrimSpace(name)) })
		if i < 0 {
			return nil, fmt.Errorf("there is no act %q; the acts are %s", prompt.Clean([]byte(name), 60), knownActs())
		}
		shown[i] = true
	}
	var acts []string
	for i, act := range record.Acts {
		if shown[i] {
			acts = append(acts, act)
		}
	}
	if len(acts) == 0 {
		return nil, errEmpty
	}
	return acts, nil
}

// ByBook returns the form of answers that name labels of code book b.
func ByBook(b campaign.Book) Form {
	return Form{"labels", b.Names(), func(raw []byte) ([]string, error) { return parseByBook(b, raw) }}
}

// parseByBook reads the labels that an answer names. The error tells the model what to fix.
func parseByBook(b campaign.Book, raw []byte) ([]string, error) {
	object, err := prompt.Object(raw)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Labels *[]string `json:"labels"`
	}
	if err := json.Unmarshal(object, &answer); err != nil || answer.Labels == nil {
		return nil, fmt.Errorf(`it needs "labels": a list of names out of %s`, strings.Join(b.Names(), ", "))
	}
	for i, name := range *answer.Labels {
		(*answer.Labels)[i] = prompt.Clean([]byte(name), 80)
	}
	return b.Read(*answer.Labels)
}

var errEmpty = errors.New(`"acts" is empty; a message to which none applies is ["Others"]`)

func knownActs() string { return strings.Join(record.Acts[:], ", ") }
