package programs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model/wire"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// Notice is the JSON that is sent.
type Notice struct {
	ID       string    `json:"id"`    // the same each time that it is sent
	Event    string    `json:"event"` // end, pause or budget
	Campaign string    `json:"campaign"`
	Reason   string    `json:"reason,omitempty"` // of a pause, or how much is spent
	Paused   bool      `json:"paused"`
	Time     time.Time `json:"time"` // UTC, when it was made
	Lake     string    `json:"lake"` // where the campaign's answers are, for people

	Cells     int `json:"cells"` // of the campaign
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Stopped   int `json:"stopped"`

	SpentUSD    float64  `json:"spent_usd"` // charged, at the worst case where the cost is not known
	SpentTokens int64    `json:"spent_tokens"`
	CapUSD      *float64 `json:"cap_usd,omitempty"`
	CapTokens   int64    `json:"cap_tokens,omitempty"`
}

// NewNoticeID returns the id of the notice of an event, a hash of it and of whatever else tells it
// apart.
func NewNoticeID(event string, of ...any) string {
	data, err := json.Marshal(of)
	if err != nil {
		panic("notices: " + err.Error()) // texts and numbers
	}
	return fmt.Sprintf("%s-%x", event, sha256.Sum256(data))[:len(event)+1+16]
}

// Bounds of one delivery.
const (
	noticeTries = 3
	patience    = 10 * time.Second // of one try
	waits       = time.Second      // before the second; twice as long before the third
)

// noticeKey returns the name of a notice's marker in the lake.
func noticeKey(campaign, id string) string { return lake.AboutKey(campaign, "notices/"+id+".json") }

// marker says that a notice was sent, or could not be. It is in the lake, which is published, so it
// names neither the lake's location nor folders of this machine.
type marker struct {
	Notice
	Unsent []string `json:"unsent,omitempty"` // why it could not be sent
}

// Sender sends the notices of campaigns.
type Sender struct {
	store  store.Store
	lake   string // where the store is, for people
	client *http.Client
}

// NewSender returns a sender that keeps its markers in store; lake tells receivers where that is.
func NewSender(store store.Store, lake string) *Sender {
	return &Sender{store: store, lake: lake, client: wire.NewClient()}
}

// EndNoticeID returns the id of the notice of a campaign's end, from the digest of all its rows; if
// they are not sealed, from the counts of its cells.
func EndNoticeID(campaign string, sealed lake.Success, counts ...int) string {
	if sealed.Digest != "" {
		return NewNoticeID(plan.NotifyEnd, campaign, sealed.Revision, sealed.Digest)
	}
	return NewNoticeID(plan.NotifyEnd, campaign, counts)
}

// Deliver sends notice n of these events, unless it was sent before or manifest m does not ask for
// it; spent returns what the campaign has spent. unsent says what could not be sent, failed that
// the lake could not be read or written.
func (s *Sender) Deliver(ctx context.Context, m campaign.Manifest, n Notice,
	spent func(context.Context) (money.Amount, error), events ...string) (unsent, failed error) {
	if m.Notify == nil || !m.Notify.Wants(events...) {
		return nil, nil
	}
	if sent, err := s.wasSent(ctx, n.Campaign, n.ID); sent || err != nil {
		return nil, err
	}
	sum, err := spent(ctx)
	if err != nil {
		return nil, err
	}
	p, err := campaign.ReadPlan(ctx, s.store, n.Campaign, m.Revision)
	if err != nil {
		return nil, err
	}
	if n.Time.IsZero() {
		n.Time = time.Now().UTC()
	}
	n.Lake, n.Cells = s.lake, cmp.Or(n.Cells, p.Campaign.Size())
	n.SpentUSD, n.SpentTokens, n.CapUSD, n.CapTokens = sum.USD(), sum.Tokens, m.Limits.CostUSD, m.Limits.Tokens
	return s.send(ctx, *m.Notify, p.Folder, n)
}

// wasSent reports whether a notice was sent, or given up.
func (s *Sender) wasSent(ctx context.Context, campaign, id string) (bool, error) {
	_, err := s.store.Head(ctx, noticeKey(campaign, id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// send sends a notice to all that n names, a command from a folder. The first error says
// what could not be sent, the second that the lake failed: then it is to be sent again.
func (s *Sender) send(ctx context.Context, n plan.Notify, folder string, notice Notice) (unsent, failed error) {
	body, err := json.Marshal(notice)
	if err != nil {
		return nil, err
	}
	var unrun, unposted error
	var both sync.WaitGroup
	if len(n.Command) > 0 {
		both.Go(func() { unrun = tryAgain(ctx, func() error { return runCommand(ctx, n, folder, notice, body) }) })
	}
	if n.Webhook != "" || n.WebhookEnv != "" {
		both.Go(func() { unposted = tryAgain(ctx, func() error { return s.postNotice(ctx, n, notice.ID, body) }) })
	}
	both.Wait()
	unsent = errors.Join(unrun, unposted)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	m := marker{Notice: notice}
	m.Lake, m.Reason = "", campaign.HidePaths(s.store, notice.Campaign, notice.Reason)
	if unsent != nil {
		m.Unsent = strings.Split(campaign.HidePaths(s.store, notice.Campaign, failure.Text(unsent)), "\n")
	}
	key := noticeKey(notice.Campaign, notice.ID)
	data, err := lake.Seal(key, m)
	if err != nil {
		return unsent, err
	}
	err = s.store.PutIfAbsent(ctx, key, data)
	if errors.Is(err, store.ErrExists) { // another process has sent it as well
		err = nil
	}
	return unsent, err
}

// tryAgain tries three times, unless trying again cannot help.
func tryAgain(ctx context.Context, do func() error) (err error) {
	for i := range noticeTries {
		if i > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(waits << (i - 1)):
			}
		}
		if err = do(); err == nil || errors.As(err, new(failure.NeedsOperator)) {
			return err
		}
	}
	return err
}

// runCommand gives a command the notice, as JSON on its standard input and in variables.
func runCommand(ctx context.Context, to plan.Notify, folder string, n Notice, body []byte) error {
	if err := CheckTrusted(folder, to.Command); err != nil {
		return failure.NeedsOperator{Err: err}
	}
	with := []string{"ROUNDTABLE_NOTICE=" + n.ID, "ROUNDTABLE_EVENT=" + n.Event, "ROUNDTABLE_CAMPAIGN=" + n.Campaign,
		"ROUNDTABLE_REASON=" + n.Reason}
	if to.WebhookEnv != "" {
		with = append(with, to.WebhookEnv+"=") // its address is a secret
	}
	if _, err := Run(ctx, folder, to.Command, patience, body, with...); err != nil {
		return fmt.Errorf("notify.command %s: %w", strings.Join(to.Command, " "), err)
	}
	return nil
}

// WebhookAddress returns the URL to which notices are posted. Errors do not show it: it may hold a
// secret.
func WebhookAddress(n plan.Notify) (*url.URL, error) {
	if n.WebhookEnv == "" {
		u, err := wire.ParseBase("notify.webhook", n.Webhook)
		if err == nil {
			err = wire.CheckTrust(u, "", false)
		}
		return u, err
	}
	text := strings.TrimSpace(os.Getenv(n.WebhookEnv))
	u, err := url.Parse(text)
	switch {
	case text == "":
		return nil, fmt.Errorf("notify.webhook_env: the environment variable %s is not set", n.WebhookEnv)
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, fmt.Errorf("notify.webhook_env: the environment variable %s holds no address that begins with "+
			"https:// or http://", n.WebhookEnv)
	}
	if err := wire.CheckTrust(u, "", false); err != nil {
		return nil, fmt.Errorf("notify.webhook_env: the environment variable %s: %w", n.WebhookEnv, err)
	}
	return u, nil
}

// postNotice posts the notice.
func (s *Sender) postNotice(ctx context.Context, n plan.Notify, id string, body []byte) error {
	to, err := WebhookAddress(n)
	if err != nil {
		return failure.NeedsOperator{Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ctx, _ = wire.Watch(ctx, id) // sent as Idempotency-Key
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the webhook at %s cannot be asked", to.Host)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("User-Agent", "roundtable")
	answer, err := s.client.Do(q)
	refused, isRefused := errors.AsType[*wire.Failure](err)
	switch {
	case err == nil:
		return answer.Body.Close()
	case isRefused: // any status but 2xx
		return fmt.Errorf("the webhook at %s answers with status %d", to.Host, refused.Status)
	case ctx.Err() != nil:
		return fmt.Errorf("the webhook at %s does not answer within %s", to.Host, patience)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok { // it repeats the address
		err = wrapped.Err
	}
	return fmt.Errorf("the webhook at %s: %w", to.Host, err)
}
