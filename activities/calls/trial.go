package calls

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"roundtable/activities/model"
)

// firstCalls is how many first calls of a model fail alike before its campaign
// pauses.
const firstCalls = 3

// trials know which models have answered in which campaigns of this process.
// Until one has, a refusal says more about the model than about a question: a
// wrong key or an unknown name comes with any status from behind a proxy.
type trials struct {
	mu    sync.Mutex
	known map[string]*trial // by campaign and account
}

type trial struct {
	answered bool
	failures map[string]int // by status and code
}

func (t *trials) of(campaign, account string) *trial {
	if t.known == nil {
		t.known = map[string]*trial{}
	}
	key := campaign + " " + account
	if t.known[key] == nil {
		t.known[key] = &trial{failures: map[string]int{}}
	}
	return t.known[key]
}

func (t *trials) answered(campaign, account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(campaign, account).answered = true
}

// ofTheQuestion are codes of refusals that speak of one question alone.
var ofTheQuestion = []string{
	"content_filter", "content_policy_violation", "context_length_exceeded", "invalid_prompt", "answer_too_large",
}

// countRefusal returns the error of a call as it is to be taken: a refusal of a model
// that has never answered is tried again, until several are alike and pause the
// campaign.
func (t *trials) countRefusal(campaign, account string, err error) error {
	refused, ok := errors.AsType[*model.Error](err)
	if !ok || refused.Class != model.Fail || refused.Status/100 != 4 || refused.Status == http.StatusRequestEntityTooLarge || slices.Contains(ofTheQuestion, refused.Code) {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	trial := t.of(campaign, account)
	if trial.answered {
		return err
	}
	alike := fmt.Sprint(refused.Status, refused.Code)
	trial.failures[alike]++
	changed := *refused
	changed.Class = model.Retry
	if trial.failures[alike] >= firstCalls {
		changed.Class = model.Pause
		changed.Message += fmt.Sprintf(" (the first %d calls of this model all failed so: check its name, its key and its parameters)", firstCalls)
	}
	return refusal{&changed}
}

// refusal is the error of a first call that is tried again though the service
// has refused it.
type refusal struct{ call *model.Error }

func (r refusal) Error() string { return r.call.Error() }
func (r refusal) Unwrap() error { return r.call }

// IsRefusal reports whether a service has refused a call, whatever is done about it.
func IsRefusal(err error) bool {
	_, ok := errors.AsType[refusal](err)
	return ok
}
