package campaignfile

import (
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// checkLimits reports the errors of limits at their lines. A limit that is
// written as 0 is an error too: left out, it means the default.
func (p *parser) checkLimits(n *yaml.Node, l plan.Limits) {
	for _, key := range []string{"collaborations", "calls", "tokens"} {
		if v := valueOf(n, key); v != nil && v.Value == "0" {
			p.errs.add(v, "limits."+key, "is 0; leave it out for the default")
		}
	}
	errs := l.Check()
	for _, key := range slices.Sorted(maps.Keys(errs)) {
		at := valueOf(n, key)
		if at == nil {
			at = valueOf(n, "models")
		}
		if !p.errs.isKnownAt("limits."+key, at.Line) {
			p.errs.add(at, "limits."+key, "%v", errs[key])
		}
	}
}

// parseLabels reads the key labels; nil if the file has none.
func (p *parser) parseLabels(n *yaml.Node) *plan.Labels {
	if n == nil || isNull(n) { // an empty one is an error already
		return nil
	}
	l := plan.Labels{Generate: plan.Generate{Temperature: new(0.0), MaxTokens: 1024}, Reasks: 2}
	in := struct {
		Model    json.RawMessage `json:"model"`
		Generate plan.Generate   `json:"generate"`
		Reasks   int             `json:"reasks"`
	}{Reasks: l.Reasks}
	decodeNode(n, "labels", reflect.ValueOf(&in), &p.errs)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	l.Reasks = in.Reasks
	if given := valueOf(n, "generate"); given != nil {
		l.Generate = in.Generate
		p.checkGenerate(given, "labels.generate", l.Generate)
		p.refuseLogprobs(given, "labels.generate", l.Generate)
	}
	p.checkReasks(valueOf(n, "reasks"), "labels.reasks", l.Reasks)
	switch model := valueOf(n, "model"); {
	case model == nil:
		p.errs.add(n, "labels", "has no model; %s", acceptedLabellers)
	case !p.errs.isKnownAt("labels.model", model.Line):
		p.parseChoice(model, "labels.model", acceptedLabellers, &l.Model)
		p.checkLabeller(l, model)
	}
	return &l
}

const acceptedLabellers = "models are provider/model, as scripted/labeller"

// checkLabeller lets the host judge the model.
func (p *parser) checkLabeller(l plan.Labels, n *yaml.Node) {
	if p.host.Labeller == nil || l.Model.Name == "" {
		return
	}
	d := decoder{n: n, key: "labels.model", errs: &p.errs}
	if err := p.host.Labeller(l, envs.Decode(d.decode)); err != nil {
		p.reportRefusal(d, l.Model.Name, err)
	}
}

// NotifyEvents returns the events that notify.on can name.
func NotifyEvents() []string { return []string{plan.NotifyEnd, plan.NotifyPause, plan.NotifyBudget} }

// checkNotify reports what of notify cannot be.
func (p *parser) checkNotify(n *yaml.Node, notify *plan.Notify) {
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
		p.errs.add(at("webhook"), "notify.webhook",
			"is not an address; expected one that begins with https:// or http://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "": // not repeated: it may be secret
		p.errs.add(at("webhook"), "notify.webhook",
			"has a password, a query or a fragment; put the address into an environment variable and name that in "+
				"webhook_env")
	}
	if strings.ContainsAny(notify.WebhookEnv, "= \t:/") {
		p.errs.add(at("webhook_env"), "notify.webhook_env", "is not a name of an environment variable")
	}
	for i, event := range notify.On {
		switch {
		case !slices.Contains(NotifyEvents(), event):
			p.errs.add(at("on"), "notify.on", "unknown event %q; expected %s%s", event, wording.Or(NotifyEvents()),
				wording.DidYouMean(event, NotifyEvents()))
		case slices.Contains(notify.On[:i], event):
			p.errs.add(at("on"), "notify.on", "has %s twice", event)
		}
	}
}

var semanticVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// checkCard reports what of card cannot be.
func (p *parser) checkCard(n *yaml.Node, c *plan.Card) {
	if n == nil || n.Kind != yaml.MappingNode || c == nil {
		return
	}
	check := func(ok bool, key, value, expected string) {
		if at := valueOf(n, key); at != nil && !ok && !p.errs.isKnownAt("card."+key, at.Line) {
			p.errs.add(at, "card."+key, "%q is not %s", value, expected)
		}
	}
	check(plan.IsLicense(c.License), "license", c.License,
		"an SPDX identifier or an address; expected one as CC-BY-4.0 or https://…")
	check(c.Citation != "", "citation", c.Citation, "a citation; leave it out for one with name, date and digest")
	check(semanticVersion.MatchString(c.Version), "version", c.Version, "a semantic version; expected one as 1.0.0")
	_, err := time.Parse(time.DateOnly, c.Date)
	check(err == nil, "date", c.Date, "a date; expected one as 2026-09-21")
}
