package calls

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
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

// tiers notes what was refused in a cheaper tier, to know when limits.tier_wait is over. It is
// in memory: after a restart the wait starts again.
type tiers struct {
	mu       sync.Mutex
	standard map[promptKey]time.Time // from when on a call is made in the standard tier
	unsold   map[string]bool         // models that are not sold in the tier, by provider/model
}

// pickTier returns the tier in which a call is made. A model whose price in the tier is not known
// is asked in the standard one, and so is the check.
func (t *tiers) pickTier(q Order, ask int, l plan.Limits, price *campaign.Price) plan.Tier {
	if price == nil || !price.HasTier(l.Tier) || q.Wordless || isCheck(q.Run) {
		return ""
	}
	if batcher, ok := q.Provider.Model.(model.Batcher); l.Tier == plan.Batch && !(ok && batcher.HasBatches()) {
		return ""
	}
	if _, falls := l.WaitForTier(); !falls {
		return l.Tier
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	from, refused := t.standard[q.promptKey(ask)]
	if t.unsold[q.Provider.Name] || refused && !time.Now().Before(from) {
		return ""
	}
	return l.Tier
}

// forget drops what was noted of a call, once it is answered.
func (t *tiers) forget(q Order, ask int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.standard, q.promptKey(ask))
}

// note returns the error of a call in a cheaper tier with what follows from it; nil if the service
// has refused something else than the tier. Such an error says nothing of how busy the account is,
// so its throttle is left alone.
func (t *tiers) note(q Order, ask int, l plan.Limits, err error) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || !e.Unbilled && e.Code != model.BatchEnded {
		return nil
	}
	told := *e
	told.Class = model.Retry
	wait, falls := l.WaitForTier()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.standard == nil {
		t.standard, t.unsold = map[promptKey]time.Time{}, map[string]bool{}
	}
	key := q.promptKey(ask)
	switch {
	case isUnsold(e, l.Tier) && !falls:
		told.Class = model.Pause
		told.Message += fmt.Sprintf(" (the tier %s was asked for, and limits.tier_wait is never)", l.Tier)
	case isUnsold(e, l.Tier):
		t.unsold[q.Provider.Name] = true
		told.RetryAfter = time.Millisecond
		told.Message += fmt.Sprintf(" (the tier %s was asked for; from now on the model is asked in the standard tier)", l.Tier)
	case e.Code == model.BatchEnded && !falls:
		told.RetryAfter = time.Millisecond
		told.Message += " (the call goes into another batch, for limits.tier_wait is never)"
	case e.Code == model.BatchEnded:
		t.standard[key] = time.Now()
		told.RetryAfter = time.Millisecond
		told.Message += " (the call is made in the standard tier)"
	case l.Tier != plan.Flex || !isTierBusy(e):
		return nil
	case !falls:
		told.Message += " (the tier flex is busy, and limits.tier_wait is never)"
	default:
		if t.standard[key].IsZero() {
			t.standard[key] = time.Now().Add(wait)
		}
		until := t.standard[key]
		// so that no retry comes after it
		if left := time.Until(until); told.RetryAfter > left || left < task.LongestBackoff {
			told.RetryAfter = max(left, time.Millisecond)
		}
		told.Message += fmt.Sprintf(" (the tier flex is busy; from %s on the call is made in the standard tier)",
			until.UTC().Format("15:04 UTC"))
	}
	return &told
}

// isUnsold reports whether a service refuses the tier itself: OpenAI and Azure answer 400, to a
// batch of another model with words of its own.
func isUnsold(e *model.Error, tier plan.Tier) bool {
	said := strings.ToLower(e.Code + " " + e.Message)
	if tier == plan.Batch {
		return e.Status == http.StatusBadRequest && batchUnsold.MatchString(said)
	}
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) &&
		(strings.Contains(said, "service_tier") || strings.Contains(said, "servicetier") ||
			strings.Contains(said, "service tier"))
}

// batchUnsold finds words that say that a model cannot be asked in batches.
var batchUnsold = regexp.MustCompile(`model[^.]{0,80}not (supported|available)[^.]{0,40}batch|batch[^.]{0,40}not (supported|available)[^.]{0,80}model`)

// isTierBusy reports whether a service has no room in the tier: OpenAI says so with 429 and
// those words, Google with 503.
func isTierBusy(e *model.Error) bool {
	said := strings.ReplaceAll(strings.ToLower(e.Code+" "+e.Message), "_", " ")
	return e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests &&
		strings.Contains(said, "resource unavailable")
}
