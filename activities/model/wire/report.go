package wire

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"roundtable/activities/model"
)

// Reporter makes the errors of one provider, and texts of servers and of the
// network fit for history, logs and terminals.
type Reporter struct {
	provider string
	secrets  []string
}

// NewReporter knows the secrets that must never be shown, besides those of the
// environment's proxies; empty ones are ignored.
func NewReporter(provider string, secrets ...string) Reporter {
	r := Reporter{provider: provider}
	for _, s := range append(secrets, proxySecrets()...) {
		if s != "" {
			r.secrets = append(r.secrets, spellings(s)...)
		}
	}
	return r
}

// spellings returns a secret as it is and as servers quote it back.
func spellings(s string) []string {
	quoted, _ := json.Marshal(s)
	all := []string{
		s, strings.Trim(string(quoted), `"`), strings.ReplaceAll(s, "/", `\/`), html.EscapeString(s), url.QueryEscape(s), url.PathEscape(s),
		base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte(s)),
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// proxySecrets returns the passwords of proxies, bare and as they are sent to them.
func proxySecrets() (all []string) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		u, err := url.Parse(os.Getenv(name))
		if err != nil || u.User == nil {
			continue
		}
		password, _ := u.User.Password()
		all = append(all, password, u.User.Username()+":"+password)
	}
	return all
}

// Failed returns the error of a fault with texts that are fit to be shown.
func (r Reporter) Failed(fault model.Fault, code, message string) *model.Error {
	return &model.Error{Fault: fault, Class: fault.Class(), Provider: r.provider, Code: r.Line(code, 100), Message: r.Text(message, 2048)}
}

// Broken classifies what kept an answer from arriving: anything that is no Failure.
func (r Reporter) Broken(ctx context.Context, c *Call, err error) *model.Error {
	fault, code, unbilled := model.Down, "connection_error", !c.connected.Load()
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errForbidden):
		fault, code = model.Denied, "address_refused"
	case errors.As(err, &certificate):
		fault, code, unbilled = model.Denied, "bad_certificate", true
	case errors.Is(err, errTooLarge):
		// The same question would be answered, and paid, at the same length again.
		fault, code = model.Rejected, "answer_too_large"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fault, code = model.Silent, "timeout"
	case ctx.Err() != nil:
		code = "canceled"
	}
	out := r.Failed(fault, code, err.Error())
	out.Unbilled = unbilled
	return out
}

func (r Reporter) hide(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, redacted)
	}
	return s
}

const redacted = "[redacted]"

// patterns look like keys or stand where keys stand; masked keys (sk-ab***yz) count.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}`),
	regexp.MustCompile(`(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?[^\s"',;]+`),
	regexp.MustCompile(`(?i)\b(?:x-)?api[-_]?key["']?\s*[:=]\s*["']?[^\s"',;]+`),
	regexp.MustCompile(`\b(?:sk|rk|pk|tgp|gsk|xai)[-_][A-Za-z0-9_*.\-]{4,}`),
	regexp.MustCompile(`://[^/\s@"]+@`),
}

// Text is at most limit bytes of valid UTF-8 without secrets and control characters.
func (r Reporter) Text(s string, limit int) string {
	const enough = 16 << 10
	if len(s) > enough {
		// What a cut leaves of a key at the end cannot be recognised: drop the last word.
		s = s[:enough]
		s = s[:strings.LastIndexAny(s, " \t\n\",{}")+1]
	}
	s = r.hide(s)
	for _, x := range patterns {
		s = x.ReplaceAllString(s, redacted)
	}
	s = strings.Map(printable, strings.ToValidUTF8(s, "\uFFFD"))
	return cut(s, limit)
}

// Line returns a text on one line.
func (r Reporter) Line(s string, limit int) string {
	if s == "" {
		return ""
	}
	return strings.Join(strings.Fields(r.Text(s, limit)), " ")
}

// Word returns a short name out of an answer, on one line. Every answer has
// several, so only the key itself is looked for.
func (r Reporter) Word(s string, limit int) string {
	s = r.hide(s)
	s = strings.Map(printable, strings.ToValidUTF8(s, "\uFFFD"))
	return cut(strings.Join(strings.Fields(s), " "), limit)
}

func printable(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 {
		return -1
	}
	return r
}

// cut shortens valid UTF-8 without leaving half a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit-len("…")], "") + "…"
}
