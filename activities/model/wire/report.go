package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"regexp"
	"strings"

	"roundtable/activities/model"
)

// Reporter makes the errors of one provider, and texts of servers and of the
// network fit for history, logs and terminals.
type Reporter struct {
	provider string
	secrets  secrets
	short    []string // secrets that could be words: they are left out of errors only
}

// NewReporter knows the secrets that must never be shown, besides those of the
// process's environment; empty ones are ignored.
func NewReporter(provider string, own ...string) Reporter {
	r := Reporter{provider: provider, secrets: newSecrets(append(environmentSecrets(os.Environ()), own...))}
	for _, s := range own {
		if folded, _ := fold([]byte(s)); s != "" && len(folded) < leastSecret {
			r.short = append(r.short, s)
		}
	}
	return r
}

// Clean returns an answer without the secrets, whichever of them the service says back.
func (r Reporter) Clean(a model.Response) model.Response {
	a.Text = r.secrets.redact(a.Text)
	for _, s := range []*string{&a.Model, &a.Thinking, &a.FinishReason, &a.RequestID, &a.Elsewhere} {
		*s = string(r.secrets.redact([]byte(*s)))
	}
	return a
}

// Failed returns the error of a fault with texts that are fit to be shown.
func (r Reporter) Failed(fault model.Fault, code, message string) *model.Error {
	return &model.Error{Fault: fault, Class: fault.Class(), Provider: r.provider, Code: r.Line(code, 100),
		Message: r.Text(message, 2048)}
}

// Broken classifies what kept an answer from arriving: anything that is not a Failure.
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
	for _, secret := range r.short {
		s = strings.ReplaceAll(s, secret, redacted)
	}
	return string(r.secrets.redact([]byte(s)))
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
	s = strings.Map(printableRune, strings.ToValidUTF8(s, "\uFFFD"))
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
	s = strings.Map(printableRune, strings.ToValidUTF8(s, "\uFFFD"))
	return cut(strings.Join(strings.Fields(s), " "), limit)
}

func printableRune(r rune) rune {
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
