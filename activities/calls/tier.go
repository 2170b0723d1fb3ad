package calls

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// flexTimeout is the deadline of a call in the tier flex for which the campaign sets none, as
// OpenAI advises.
const flexTimeout = 15 * time.Minute

// tiers notes what was refused in the tier flex, to know when limits.tier_wait is over. It is
// in memory: after a restart the wait starts again.
type tiers struct {
	mu      sync.Mutex
	refused map[promptKey]time.Time // the first refusal of a call
	unsold  map[string]bool         // models that are not sold in the tier, by provider/model
}

// pick returns the tier in which a call is made. A model whose price in the tier is not known
// is asked in the standard one, and so is the check.
func (t *tiers) pick(q Order, ask int, l plan.Limits, price *campaign.Price) plan.Tier {
	if l.Tier != plan.Flex || price == nil || price.Flex == nil || q.Wordless || isCheck(q.Run) {
		return ""
	}
	wait, falls := l.WaitForTier()
	if !falls {
		return plan.Flex
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	since, refused := t.refused[q.promptKey(ask)]
	if t.unsold[q.Provider.Name] || refused && time.Since(since) >= wait {
		return ""
	}
	return plan.Flex
}

// forget drops what was noted of a call, once it is answered.
func (t *tiers) forget(q Order, ask int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.refused, q.promptKey(ask))
}

// note returns the error of a call in the tier flex with what follows from it; nil if the service
// has refused something else than the tier. Such an error says nothing of how busy the account is,
// so its throttle is left alone.
func (t *tiers) note(q Order, ask int, l plan.Limits, err error) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || !e.Unbilled {
		return nil
	}
	told := *e
	told.Class = model.Retry
	wait, falls := l.WaitForTier()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case isUnsold(e) && !falls:
		told.Class = model.Pause
		told.Message += " (the tier flex was asked for, and limits.tier_wait is never)"
	case isUnsold(e):
		if t.unsold == nil {
			t.unsold = map[string]bool{}
		}
		t.unsold[q.Provider.Name] = true
		told.RetryAfter = time.Millisecond
		told.Message += " (the tier flex was asked for; from now on the model is asked in the standard tier)"
	case !isTierBusy(e):
		return nil
	case !falls:
		told.Message += " (the tier flex is busy, and limits.tier_wait is never)"
	default:
		if t.refused == nil {
			t.refused = map[promptKey]time.Time{}
		}
		key := q.promptKey(ask)
		if t.refused[key].IsZero() {
			t.refused[key] = time.Now()
		}
		until := t.refused[key].Add(wait)
		if left := time.Until(until); told.RetryAfter > left || left < task.LongestBackoff { // so that no retry comes after it
			told.RetryAfter = max(left, time.Millisecond)
		}
		told.Message += fmt.Sprintf(" (the tier flex is busy; from %s on the call is made in the standard tier)", until.UTC().Format("15:04 UTC"))
	}
	return &told
}

// isUnsold reports whether a service refuses the tier itself: OpenAI and Azure answer 400.
func isUnsold(e *model.Error) bool {
	said := strings.ToLower(e.Code + " " + e.Message)
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) &&
		(strings.Contains(said, "service_tier") || strings.Contains(said, "servicetier") || strings.Contains(said, "service tier"))
}

// isTierBusy reports whether a service has no room in the tier: OpenAI says so with 429 and
// those words, Google with 503.
func isTierBusy(e *model.Error) bool {
	said := strings.ReplaceAll(strings.ToLower(e.Code+" "+e.Message), "_", " ")
	return e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests && strings.Contains(said, "resource unavailable")
}
