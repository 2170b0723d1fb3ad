package wire

import (
	"context"
	"crypto/tls"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"roundtable/activities/model"
)

// Reporter makes the errors of one provider, and makes texts of servers and of the network fit for
// history, logs and terminals.
type Reporter struct {
	provider string
	secrets  secrets
	short    []string // secrets that could be words: they are left out of errors only
}

// NewReporter returns the reporter of a provider. It hides the secrets own and those in the
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

// Clean returns answer a with any secrets that the service repeats removed.
func (r Reporter) Clean(a model.Response) model.Response {
	a.Text = r.secrets.redact(a.Text)
	for _, s := range []*string{&a.Model, &a.Thinking, &a.FinishReason, &a.RequestID, &a.Elsewhere} {
		*s = string(r.secrets.redact([]byte(*s)))
	}
	return a
}

// Failed returns the error of a fault, with code and message made fit to be shown.
func (r Reporter) Failed(fault model.Fault, code, message string) *model.Error {
	return &model.Error{Fault: fault, Class: fault.Class(), Provider: r.provider, Code: r.Line(code, 100),
		Message: r.Text(message, 2048)}
}

// Broken returns the error for err, which kept an answer from arriving; for a Failure use Refused.
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

// Line is Text on one line.
func (r Reporter) Line(s string, limit int) string {
	if s == "" {
		return ""
	}
	return strings.Join(strings.Fields(r.Text(s, limit)), " ")
}

// Word returns s, a short name out of an answer, on one line. There are many of these, so only the
// key itself is searched for and hidden.
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

const (
	// leastSecret is how many letters and digits a secret has at least that is looked for in
	// answers: "none" and "ollama", which local servers take for keys, are words.
	leastSecret = 8
	// secretWindow is how many letters and digits of a longer secret in a row are enough: parts
	// of it are found too, and spellings whose beginning and end depend on what stands beside them.
	secretWindow = 16
)

// secrets finds secrets in texts, however they are spelled. Texts are compared by their letters and
// digits alone, in lower case: escapes, spaces and separators between the characters change nothing.
type secrets struct {
	parts   map[string]bool // folded
	lengths []int           // of the parts
}

// newSecrets returns what finds these secrets; those that are too short are passed over.
func newSecrets(all []string) secrets {
	s := secrets{parts: map[string]bool{}}
	for _, secret := range all {
		if folded, _ := fold([]byte(secret)); len(folded) < leastSecret {
			continue
		}
		for _, spelling := range spellingsOf(secret) {
			folded, _ := fold([]byte(spelling))
			n := min(len(folded), secretWindow)
			if n < leastSecret {
				continue
			}
			for i := range len(folded) - n + 1 {
				s.parts[string(folded[i:i+n])] = true
			}
			if !slices.Contains(s.lengths, n) {
				s.lengths = append(s.lengths, n)
			}
		}
	}
	return s
}

// fold returns the letters and digits of a text in lower case, and where each is in it.
func fold(text []byte) (folded []byte, at []int) {
	folded, at = make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i, b := range text {
		switch {
		case b >= 'A' && b <= 'Z':
			b += 'a' - 'A'
		case b < '0' || b > '9' && b < 'a' || b > 'z':
			continue
		}
		folded, at = append(folded, b), append(at, i)
	}
	return folded, at
}

// redact returns a text without the secrets.
func (s secrets) redact(text []byte) []byte {
	if len(s.parts) == 0 {
		return text
	}
	folded, at := fold(text)
	var found [][2]int // from and to in the text
	for i := range folded {
		for _, n := range s.lengths {
			if i+n > len(folded) || !s.parts[string(folded[i:i+n])] {
				continue
			}
			from, to := at[i], at[i+n-1]+1
			if last := len(found) - 1; last >= 0 && from <= found[last][1] {
				found[last][1] = max(found[last][1], to)
			} else {
				found = append(found, [2]int{from, to})
			}
		}
	}
	if len(found) == 0 {
		return text
	}
	var out []byte
	done := 0
	for _, f := range found {
		out = append(append(out, text[done:f[0]]...), redacted...)
		for done = f[1]; done < len(text) && text[done] == '='; done++ { // of base64
		}
	}
	return append(out, text[done:]...)
}

// spellingsOf returns a secret as services may say it back. What differs in case or in characters
// between letters and digits is the same to fold.
func spellingsOf(s string) []string {
	var decimal, short, long, unicode, octal, padded, percent strings.Builder
	for _, b := range []byte(s) {
		fmt.Fprint(&decimal, b)
		fmt.Fprintf(&short, "x%02x", b)
		fmt.Fprintf(&long, "0x%02x", b)
		fmt.Fprintf(&unicode, "u%04x", b)
		fmt.Fprintf(&octal, "%o", b)
		fmt.Fprintf(&padded, "%03o", b)
		fmt.Fprintf(&percent, "%%25%02x", b)
	}
	reversed := []byte(s)
	slices.Reverse(reversed)
	all := []string{
		s, string(reversed), strings.Map(rotate13, s), url.QueryEscape(s), url.QueryEscape(url.QueryEscape(s)),
		hex.EncodeToString([]byte(s)), base32.StdEncoding.EncodeToString([]byte(s)),
		base32.HexEncoding.EncodeToString([]byte(s)),
		decimal.String(), short.String(), long.String(), unicode.String(), octal.String(), padded.String(),
		percent.String(),
	}
	once := inBase64(s)
	all = append(all, once...)
	for _, encoded := range once {
		all = append(all, url.QueryEscape(encoded))
	}
	return append(all, inBase64(base64.StdEncoding.EncodeToString([]byte(s)))...)
}

// inBase64 returns a text in base64, whatever stands before and after it in what is encoded.
func inBase64(s string) (all []string) {
	all = append(all, base64.StdEncoding.EncodeToString([]byte(s)))
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + s))
		if before > 0 {
			encoded = encoded[4:]
		}
		all = append(all, encoded[:len(encoded)/4*4])
	}
	return all
}

func rotate13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// secretName matches the names of variables that hold keys, passwords and what else nobody may be told.
var secretName = regexp.MustCompile(`(?i)secret|token|passw|passphrase|credential|webhook|api_?key|(^|_)(keys?|pass|pat|auth|hook|pwd|dsn)(_|$)`)

// placeName matches the names of variables that say where something is.
var placeName = regexp.MustCompile(`(?i)^(OLD)?PWD$|_(file|path|dir|folder|sock|ur[il]|endpoint|id|name)$`)

// inAddress matches a user and a password in an address.
var inAddress = regexp.MustCompile(`://([^\s:@/]*):([^\s@]+)@`)

// environmentSecrets returns the secrets in an environment: values of variables whose names say so,
// and passwords in addresses.
func environmentSecrets(environment []string) (all []string) {
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		for _, found := range inAddress.FindAllStringSubmatch(value, -1) {
			password, err := url.PathUnescape(found[2])
			if err != nil {
				password = found[2]
			}
			all = append(all, found[2], password, base64.StdEncoding.EncodeToString([]byte(found[1]+":"+password)))
		}
		isNumber := len(value) < secretWindow && strings.Trim(value, "0123456789.,") == "" // MAX_TOKENS
		// whose address is the secret
		isPlace := placeName.MatchString(name) && !strings.Contains(strings.ToLower(name), "hook")
		if secretName.MatchString(name) && !isPlace && !isNumber {
			all = append(all, value)
		}
	}
	return all
}
