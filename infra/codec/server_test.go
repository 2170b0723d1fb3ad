package codec_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"

	"roundtable/infra/codec"
)

const (
	keyText = "k1:101112131415161718191a1b1c1d1e1f101112131415161718191a1b1c1d1e1f"
	other   = "k2:202122232425262728292a2b2c2d2e2f202122232425262728292a2b2c2d2e2f"
	token   = "0123456789abcdef0123456789abcdef"
	page    = "https://ui.example"
)

func keys(t *testing.T, text string) codec.Keys {
	t.Helper()
	k, err := codec.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sealed are payloads as Temporal keeps them: a short one, and one that is compressed too.
func sealed(t *testing.T, k codec.Keys) []*commonpb.Payload {
	t.Helper()
	var all []*commonpb.Payload
	for _, text := range []string{"a secret", strings.Repeat("a long secret ", 500)} {
		p, err := k.DataConverter().ToPayload(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func body(t *testing.T, payloads []*commonpb.Payload) string {
	t.Helper()
	text, err := protojson.Marshal(&commonpb.Payloads{Payloads: payloads})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// answer is what came of a request.
type answer struct {
	code   int
	header http.Header
	text   string
}

// asks sends a request with headers as NAME: VALUE.
func asks(t *testing.T, s *httptest.Server, method, path, body string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	got, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(got.Body); err != nil {
		t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, text.String()}
}

func serve(t *testing.T, o codec.Server) *httptest.Server {
	t.Helper()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(o.Handler())
	t.Cleanup(s.Close)
	return s
}

// The SDK's own client of the protocol reads through it what the keys open, and hears
// why where they do not.
func TestDecodes(t *testing.T) {
	k := keys(t, keyText)
	s := serve(t, codec.Server{Keys: k, Encode: true})
	remote := converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{Endpoint: s.URL})
	opened, err := remote.Decode(sealed(t, k))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(opened[0].Data), "a secret") || !strings.Contains(string(opened[1].Data), "a long secret a long secret") {
		t.Errorf("it decodes to %.40s and %.40s", opened[0].Data, opened[1].Data)
	}
	again, err := remote.Encode(opened)
	if err != nil || bytes.Contains(again[0].Data, []byte("secret")) {
		t.Errorf("it encodes to %s: %v", again[0].Data, err)
	}
	var text string
	if err := k.DataConverter().FromPayload(again[1], &text); err != nil || !strings.HasPrefix(text, "a long secret") {
		t.Errorf("encoded by it, a worker reads %.40q: %v", text, err)
	}
	if _, err := remote.Decode(sealed(t, keys(t, other))); err == nil || !strings.Contains(err.Error(), `encrypted with key "k2", which ROUNDTABLE_CODEC_KEY does not hold`) {
		t.Errorf("a foreign key: %v", err)
	}
}

// Who may ask, by token, page, host and namespace; each refusal says what is wrong.
func TestRefuses(t *testing.T) {
	k := keys(t, keyText)
	open := body(t, sealed(t, k))
	var log bytes.Buffer
	o := codec.Server{Keys: k, Tokens: []string{"another-token-of-others", token}, Origins: []string{page}, Namespace: "lab", Log: slog.New(slog.NewTextHandler(&log, nil))}
	local := serve(t, codec.Server{Keys: k})
	remote := serve(t, o)
	bearer, lab := "Authorization: Bearer "+token, "X-Namespace: lab"
	for _, c := range []struct {
		name    string
		server  *httptest.Server
		path    string
		body    string
		headers []string
		code    int
		says    string
	}{
		{"a token", remote, "/decode", open, []string{bearer, lab}, 200, ""},
		{"a page that may", remote, "/decode", open, []string{bearer, lab, "Origin: " + page}, 200, ""},
		{"no token", remote, "/decode", open, []string{lab}, 401, "a token is needed"},
		{"a wrong token", remote, "/decode", open, []string{lab, "Authorization: Bearer " + token[1:]}, 401, "not known"},
		{"a token in another form", remote, "/decode", open, []string{lab, "Authorization: Basic " + token}, 401, "a token is needed"},
		{"another namespace", remote, "/decode", open, []string{bearer, "X-Namespace: other"}, 403, `for the namespace "lab"`},
		{"no namespace", remote, "/decode", open, []string{bearer}, 403, `says ""`},
		{"a page that may not", remote, "/decode", open, []string{bearer, lab, "Origin: https://evil.example"}, 403, "--allow-origin"},
		{"encoding", remote, "/encode", open, []string{bearer, lab}, 403, "--encode"},
		{"no JSON", remote, "/decode", "payloads", []string{bearer, lab}, 400, "not JSON of the form"},
		{"too much", remote, "/decode", strings.Repeat(" ", 65<<20), []string{bearer, lab}, 413, "more than 64 MiB"},
		{"this machine", local, "/decode", open, nil, 200, ""},
		{"any page", local, "/decode", open, []string{"Origin: " + page}, 403, "--allow-origin"},
		{"a name that was made to mean this machine", local, "/decode", open, []string{"Host: evil.example"}, 403, "127.0.0.1"},
	} {
		got := asks(t, c.server, "POST", c.path, c.body, c.headers...)
		if got.code != c.code || !strings.Contains(got.text, c.says) {
			t.Errorf("%s: %d, %s", c.name, got.code, got.text)
		}
		if (got.code == http.StatusOK) != strings.Contains(got.text, "ImEgc2VjcmV0Ig==") { // "a secret"
			t.Errorf("%s: %d with %.100s", c.name, got.code, got.text)
		}
	}
	if got := asks(t, remote, "GET", "/decode", ""); got.code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", got.code)
	}
	if text := log.String(); !strings.Contains(text, "status=401") || strings.Contains(text, "secret") || strings.Contains(text, token) || strings.Contains(text, "YWVz") {
		t.Errorf("the log is\n%s", text)
	}
}

// A browser asks first, as Temporal's UI makes it: with a JSON body, the namespace and the
// user's token, from the network to this machine.
func TestPreflight(t *testing.T) {
	s := serve(t, codec.Server{Keys: keys(t, keyText), Tokens: []string{token}, Origins: []string{page}})
	asked := []string{"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type,x-namespace", "Access-Control-Request-Private-Network: true"}
	got := asks(t, s, "OPTIONS", "/decode", "", append(asked, "Origin: "+page)...)
	h := got.header
	if got.code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != page || h.Get("Access-Control-Allow-Private-Network") != "true" || !strings.Contains(h.Get("Vary"), "Origin") {
		t.Errorf("%d, %v", got.code, h)
	}
	for _, name := range []string{"Authorization", "Content-Type", "X-Namespace"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed: %v", name, h)
		}
	}
	if got = asks(t, s, "OPTIONS", "/decode", "", append(asked, "Origin: https://evil.example")...); got.code != http.StatusForbidden || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a foreign page: %d, %v", got.code, got.header)
	}
}

func TestCheck(t *testing.T) {
	for says, o := range map[string]codec.Server{
		"":                          {Origins: []string{"https://ui.example", "http://127.0.0.1:8080"}, Tokens: []string{token}},
		`the origin "*"`:            {Origins: []string{"*"}},
		"https://ui.example/":       {Origins: []string{"https://ui.example/"}},
		"token 2 has 5 characters":  {Tokens: []string{token, "short"}},
		`the origin "ui.example"`:   {Origins: []string{"ui.example"}},
		`the origin "file:///home"`: {Origins: []string{"file:///home"}},
		`the origin "https://"`:     {Origins: []string{"https://"}},
		`the origin "ftp://ui.net"`: {Origins: []string{"ftp://ui.net"}},
	} {
		if err := o.Check(); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", o.Origins, err)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "127.0.0.1": true, "127.0.0.1:80": true, "[::1]:80": true, "[::1]": true,
		"ui.example": false, "ui.example:80": false, "10.0.0.1:80": false, "0.0.0.0:80": false, ":80": false, "": false,
	} {
		if got := codec.IsLoopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
