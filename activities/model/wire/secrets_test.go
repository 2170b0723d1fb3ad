package wire

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"roundtable/activities/model"
)

// A service may say a key back in any spelling: nothing of it is left in an answer, and what
// stands around it stays.
func TestClean(t *testing.T) {
	t.Setenv("SOMEBODYS_GH_PAT", "github_pat_Canary01_AbCdEfGhIjKlMnOpQrStUv")
	t.Setenv("DATABASE_URL", "postgres://me:canary/02+AbCdEf==GhIjKlMn@db.example/x")
	t.Setenv("PGPASSWORD", "canary03-hunter2!")
	t.Setenv("MAX_TOKENS", "100000000")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/home/me/whatever it is called")
	t.Setenv("KEYBOARD", "whatever it is called")
	t.Setenv("LOCAL_API_KEY", "ollama")
	own := "sk-proj-Canary04/AbCdEfGh+IjKlMnOpQrSt=="
	r := NewReporter("openai", own)
	for _, secret := range []string{own, "github_pat_Canary01_AbCdEfGhIjKlMnOpQrStUv", "canary/02+AbCdEf==GhIjKlMn", "canary03-hunter2!"} {
		each := func(format string) string {
			var b strings.Builder
			for _, c := range []byte(secret) {
				fmt.Fprintf(&b, format, c)
			}
			return b.String()
		}
		quoted, _ := json.Marshal(secret)
		for name, spelled := range map[string]string{
			"plain": secret, "upper": strings.ToUpper(secret), "json": string(quoted), "html": html.EscapeString(secret),
			"query": url.QueryEscape(secret), "path": url.PathEscape(secret), "percent": each("%%%02X"), "twice": url.QueryEscape(url.QueryEscape(secret)),
			"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"within base64":   base64.StdEncoding.EncodeToString([]byte("Authorization: Bearer " + secret + " was sent")),
			"within base64 2": base64.StdEncoding.EncodeToString([]byte("\"" + secret + "\"")),
			"base64 twice":    base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(secret)))),
			"hex":             hex.EncodeToString([]byte(secret)), "hex with colons": each("%02X:"), "escapes": each(`\x%02x`), "unicode": each(`\u%04x`),
			"entities": each("&#%d;"), "hex entities": each("&#x%x;"), "decimals": each("%d, "), "octal": each(`\%o`), "octal 3": each(`\%03o`),
			"spaced": each("%c "), "dashed": each("%c-"), "zero width": each("%c\u200b"), "lines": secret[:9] + "\n" + secret[9:],
			"reversed": reverse(secret), "rot13": strings.Map(rotate13, secret), "bold": "**" + secret[:7] + "**" + secret[7:],
		} {
			text := "Before (" + spelled + ") after, and again: " + spelled
			got := r.Clean(model.Response{Text: []byte(text), Thinking: text, RequestID: text})
			for _, left := range []string{string(got.Text), got.Thinking, got.RequestID} {
				if !strings.HasPrefix(left, "Before (") || !strings.Contains(left, ") after, and again: ") || !strings.Contains(left, redacted) {
					t.Errorf("%s of %q: %q", name, secret, left)
				}
				rest := strings.ReplaceAll(left, redacted, "")
				if n := len(rest) - len("Before () after, and again: "); n > 24 && !strings.HasPrefix(name, "within") { // what begins and ends a spelling of something longer
					t.Errorf("%s of %q leaves %d bytes: %q", name, secret, n, left)
				}
			}
		}
		if half := secret[:min(len(secret), 22)]; len(secret) > 22 && strings.Contains(string(r.Clean(model.Response{Text: []byte("It begins with " + half)}).Text), half) {
			t.Errorf("the beginning of %q is left", secret)
		}
	}
	for _, text := range []string{"", "I choose ollama, 100000000 times.", "The answer is (A).", `{"answer": "whatever it is called"}`, "\xff\xfe bytes", "me@db.example"} {
		if got := r.Clean(model.Response{Text: []byte(text)}); string(got.Text) != text {
			t.Errorf("%q is %q", text, got.Text)
		}
	}
	if got := NewReporter("openai", "ollama").Text("ollama is not a key", 100); strings.Contains(got, "ollama") {
		t.Errorf("an error says %q", got)
	}
}

func reverse(s string) string {
	b := []byte(s)
	for i := range len(b) / 2 {
		b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
	}
	return string(b)
}

func BenchmarkNewReporter(b *testing.B) {
	for b.Loop() {
		NewReporter("bedrock", "sk-proj-Canary04/AbCdEfGh+IjKlMnOpQrSt==")
	}
}

func BenchmarkClean(b *testing.B) {
	r := NewReporter("bedrock", "sk-proj-Canary04/AbCdEfGh+IjKlMnOpQrSt==")
	text := []byte(strings.Repeat("An answer of some length, as they are. ", 50))
	for b.Loop() {
		r.Clean(model.Response{Text: text})
	}
}
