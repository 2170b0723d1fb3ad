package plan

import (
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// Events that a campaign sends word of.
const (
	NotifyEnd    = "end"    // every cell has ended, well or not
	NotifyPause  = "pause"  // it is paused, whatever for
	NotifyBudget = "budget" // four fifths of a cap are spent, or it is paused because nothing more fits
)

// NotifyEvents returns them all.
func NotifyEvents() []string { return []string{NotifyEnd, NotifyPause, NotifyBudget} }

// Notify says where a campaign's end, pauses and budget are reported. It is not part of the
// campaign's identity: it may change while the campaign runs.
type Notify struct {
	Command    []string `json:"command,omitempty"`     // gets the notice on its standard input
	Webhook    string   `json:"webhook,omitempty"`     // address that the notice is posted to
	WebhookEnv string   `json:"webhook_env,omitempty"` // environment variable that holds the address, which may be secret
	On         []string `json:"on,omitempty"`          // events; empty is all
}

// Wants reports whether one of these events is to be sent.
func (n Notify) Wants(events ...string) bool {
	return len(n.On) == 0 || slices.ContainsFunc(events, func(e string) bool { return slices.Contains(n.On, e) })
}

// checkNotify reports what of notify cannot be.
func (p *parser) checkNotify(n *yaml.Node, notify *Notify) {
	if n == nil || n.Kind != yaml.MappingNode || notify == nil {
		return
	}
	at := func(key string) *yaml.Node {
		if v := valueOf(n, key); v != nil {
			return v
		}
		return n
	}
	if len(notify.Command) == 0 && notify.Webhook == "" && notify.WebhookEnv == "" {
		p.errs.add(n, "notify", "names nobody; give command, webhook or webhook_env")
	}
	if len(notify.Command) > 0 && notify.Command[0] == "" {
		p.errs.add(at("command"), "notify.command", "names no program")
	}
	if notify.Webhook != "" && notify.WebhookEnv != "" {
		p.errs.add(at("webhook_env"), "notify.webhook_env", "does not go with webhook; give one of them")
	}
	u, err := url.Parse(notify.Webhook)
	switch {
	case notify.Webhook == "":
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		p.errs.add(at("webhook"), "notify.webhook", "is not an address; expected one that begins with https:// or http://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "": // not repeated: it may be secret
		p.errs.add(at("webhook"), "notify.webhook", "has a password, a query or a fragment; put the address into an environment variable and name that in webhook_env")
	}
	if strings.ContainsAny(notify.WebhookEnv, "= \t:/") {
		p.errs.add(at("webhook_env"), "notify.webhook_env", "is not a name of an environment variable")
	}
	for i, event := range notify.On {
		switch {
		case !slices.Contains(NotifyEvents(), event):
			p.errs.add(at("on"), "notify.on", "%q is not known; %s are%s", event, strings.Join(NotifyEvents(), ", "), wording.DidYouMean(event, NotifyEvents()))
		case slices.Contains(notify.On[:i], event):
			p.errs.add(at("on"), "notify.on", "has %s twice", event)
		}
	}
}
