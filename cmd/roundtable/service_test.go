package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// vendor is an OpenAI-compatible service that sells answers and keeps its own
// books. What it answers and bills is a function of the question alone.
type vendor struct {
	*httptest.Server
	latency time.Duration
	usual   bool // at most a moderate usage; else some calls use all that they may

	mu       sync.Mutex
	trick    func(*asked) *trick // what to do instead of answering; nil answers
	asks     []*asked
	under    int // calls that are being answered
	most     int // of them at once since the last look
	played   map[string]int
	sold     invoice // whole answers
	perhaps  invoice // calls that brought no answer and are billed all the same
	snapshot string
}

// invoice is what a vendor asks for.
type invoice struct{ calls, nanoUSD, input, output int64 }

func (b invoice) plus(c invoice) invoice {
	return invoice{b.calls + c.calls, b.nanoUSD + c.nanoUSD, b.input + c.input, b.output + c.output}
}

// asked is one request.
type asked struct {
	n         int
	at        time.Time
	from      string // the client's address and port
	key, auth string
	model     string
	texts     []string // of its messages
	maxTokens int
	size      int64 // of the texts, bytes
}

func (a *asked) prompt() string { prompt, _ := question(a.texts); return prompt }
func (a *asked) again() bool    { _, again := question(a.texts); return again }

// question returns the question among the texts of a request's messages, and
// whether it is asked again after an answer that could not be used.
func question(texts []string) (prompt string, again bool) {
	last := texts[len(texts)-1]
	if at := asksAgain.FindStringIndex(last); at != nil {
		return last[:at[0]], true
	}
	return last, false
}

// asksAgain is what follows a question that is asked again.
var asksAgain = regexp.MustCompile(`(?s)\n\n(An|\d+) earlier answers? to this could not be used.*$`)

// withoutRun returns an idempotency key without what tells it from that of another run.
func withoutRun(key string) string {
	_, key, _ = strings.Cut(key, "/")
	return key
}

// cell is the collaboration that asks, replicate its last part, as r0.
func (a *asked) cell() string      { return strings.Split(a.key+"/", "/")[1] }
func (a *asked) replicate() string { return replicateOf(a.cell()) }

func replicateOf(cell string) string {
	last, _, _ := strings.Cut(cell[strings.LastIndex(cell, "-")+1:], ".") // without the generation
	return last
}

const (
	nanoIn, nanoOut = 250, 2000 // US dollars for a million tokens: 0.25 and 2
	vendorPrices    = "prices: {openai/fake: {input: 0.25, output: 2}}\n"
)

func newVendor(tb testing.TB) *vendor {
	v := &vendor{played: map[string]int{}, snapshot: "-2026-01-01", usual: true}
	v.Server = httptest.NewUnstartedServer(http.HandlerFunc(v.serve))
	v.Config.ErrorLog = silent
	v.Start()
	tb.Cleanup(func() { v.CloseClientConnections(); v.Close() })
	return v
}

func (v *vendor) serve(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Messages  []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 {
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"no messages"}}`, http.StatusBadRequest)
		return
	}
	a := &asked{
		at: time.Now(), from: r.RemoteAddr, key: withoutRun(r.Header.Get("Idempotency-Key")), auth: r.Header.Get("Authorization"),
		model: q.Model, maxTokens: q.MaxTokens,
	}
	for _, m := range q.Messages {
		a.texts, a.size = append(a.texts, m.Content), a.size+int64(len(m.Role)+len(m.Content))
	}
	t := v.enter(a)
	defer v.leave()
	time.Sleep(v.latency)
	w.Header().Set("Content-Type", "application/json")
	if t != nil {
		t.play(v, a, w, r)
		return
	}
	body, b := v.answer(a, reply(a.prompt(), a.again()), "stop")
	v.book(&v.sold, b)
	w.Write(body)
}

// enter notes a request and decides what is done about it; a trick that is
// billed is in the books before anything is sent.
func (v *vendor) enter(a *asked) *trick {
	v.mu.Lock()
	defer v.mu.Unlock()
	a.n = len(v.asks)
	v.asks = append(v.asks, a)
	v.under++
	v.most = max(v.most, v.under)
	if v.trick == nil {
		return nil
	}
	t := v.trick(a)
	if t == nil {
		return nil
	}
	v.played[t.name]++
	if t.billed {
		v.perhaps = v.perhaps.plus(v.usage(a))
	}
	return t
}

func (v *vendor) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.under--
}

func (v *vendor) book(sum *invoice, b invoice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	*sum = sum.plus(b)
}

// set what the vendor does from now on.
func (v *vendor) set(t func(*asked) *trick) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.trick = t
}

func (v *vendor) arrivals() []*asked {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.asks)
}

// books are what it has sold, and what it has billed without an answer.
func (v *vendor) books() (sold, perhaps invoice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sold, v.perhaps
}

// usage of a call. Where it is not usual, every fourth prompt is a token for
// each byte, with all that a chat format adds, and every fifth answer takes all
// of max_tokens.
func (v *vendor) usage(a *asked) invoice {
	sum := sha256.Sum256(fmt.Append(nil, a.texts))
	h := binary.LittleEndian.Uint64(sum[:])
	b := invoice{calls: 1, input: a.size/3 + int64(h%100), output: int64(20 + h%30)}
	if !v.usual && h%4 == 0 {
		b.input = a.size + 16*int64(len(a.texts)) + 64
	}
	if a.maxTokens > 0 {
		b.output = min(b.output, int64(a.maxTokens))
		if !v.usual && h%5 == 0 {
			b.output = int64(a.maxTokens)
		}
	}
	b.nanoUSD = b.input*nanoIn + b.output*nanoOut
	return b
}

// answer is the body of a whole answer and what it costs.
func (v *vendor) answer(a *asked, text, finish string) ([]byte, invoice) {
	b := v.usage(a)
	v.mu.Lock()
	snapshot := v.snapshot
	v.mu.Unlock()
	body, _ := json.Marshal(map[string]any{
		"id": fmt.Sprintf("r%d", a.n), "object": "chat.completion", "created": 1, "model": a.model + snapshot,
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": b.input, "completion_tokens": b.output, "total_tokens": b.input + b.output},
	})
	return body, b
}

// silent keeps what httptest says of broken connections off the terminal.
var silent = log.New(io.Discard, "", 0)

var candidateLine = regexp.MustCompile(`(?m)^(\d+)\. \{`)

// reply answers as an agent would whose mind is a hash of what it reads. One
// in twenty first answers is malformed.
func reply(prompt string, again bool) string {
	sum := sha256.Sum256([]byte(prompt))
	mind := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 7))
	if mind.IntN(20) == 0 && !again {
		return `I think {"decision": `
	}
	switch {
	case strings.Contains(prompt, "his is the message phase"): // the first edition has it at the start of a sentence
		return fmt.Sprintf(`{"target": [], "message": "Let us settle at %d."}`, mind.IntN(1000))
	case strings.Contains(prompt, "his is the proposal phase"):
		if mind.IntN(6) == 0 {
			return `{"reason_for_decision": "fine as it is", "proposal": null}`
		}
		return fmt.Sprintf(`{"reason_for_decision": "why not", "proposal": %s}`, split(mind))
	case strings.Contains(prompt, "Summarize these solutions"):
		return fmt.Sprintf("They differ in %d ways.", mind.IntN(100))
	case strings.Contains(prompt, "The answer is (X)."):
		return fmt.Sprintf("I have thought. The answer is (%c).", 'A'+rune(mind.IntN(5)))
	}
	if strings.Contains(prompt, "Choose the position to move to next") {
		return fmt.Sprintf(`{"reason_for_decision": "it is near", "proposal": [%d, %d]}`, mind.IntN(100), mind.IntN(100)-50)
	}
	last := candidateLine.FindAllStringSubmatch(prompt, -1)
	n, _ := strconv.Atoi(last[len(last)-1][1])
	return fmt.Sprintf("```json\n{\"reason_for_decision\": \"I like it\", \"decision\": %d}\n```", 1+mind.IntN(n))
}

func split(mind *rand.Rand) string {
	shares := map[string]map[string]int{"Alex": {}, "Blake": {}, "Casey": {}}
	for _, good := range []string{"apples", "bread", "cloth"} {
		a := 10 * mind.IntN(6)
		b := 10 * mind.IntN(5)
		shares["Alex"][good], shares["Blake"][good], shares["Casey"][good] = a, b, 100-a-b
	}
	data, _ := json.Marshal(shares)
	return string(data)
}

// trick is what a vendor does instead of answering.
type trick struct {
	name   string
	billed bool // though no answer arrives
	play   func(*vendor, *asked, http.ResponseWriter, *http.Request)
}

// every plays the tricks in turn, one for each n-th request.
func every(n int, tricks ...trick) func(*asked) *trick {
	return func(a *asked) *trick {
		if a.n%n != n-1 {
			return nil
		}
		return &tricks[a.n/n%len(tricks)]
	}
}

// after the first n requests from now one trick is played always.
func (v *vendor) after(n int, t trick) {
	from := len(v.arrivals()) + n
	v.set(func(a *asked) *trick {
		if a.n < from {
			return nil
		}
		return &t
	})
}

// holdAfter answers the first n requests from now and keeps those after them waiting until they are released,
// so that no campaign ends before a busy test has seen it run.
func (v *vendor) holdAfter(n int) (release func()) {
	wait := make(chan struct{})
	v.after(n, trick{"held", false, func(v *vendor, a *asked, w http.ResponseWriter, r *http.Request) {
		select {
		case <-wait:
			sells("held", "stop", func(a *asked) string { return reply(a.prompt(), a.again()) }).play(v, a, w, r)
		case <-r.Context().Done():
		}
	}})
	return func() { close(wait) }
}

// says is a trick that answers with a status and a body.
func says(name string, billed bool, status int, body string, headers ...string) trick {
	return trick{name, billed, func(_ *vendor, _ *asked, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}}
}

// breaks is a trick on the bare connection; it may have sold the answer.
func breaks(name string, do func(net.Conn, []byte)) trick {
	return trick{name, true, func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
		body, _ := v.answer(a, reply(a.prompt(), a.again()), "stop")
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		do(conn, body)
	}}
}

// sells is a whole answer of a text that is not the usual one.
func sells(name, finish string, text func(*asked) string) trick {
	return trick{name, false, func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
		body, b := v.answer(a, text(a), finish)
		v.book(&v.sold, b)
		w.Write(body)
	}}
}

// late answers after a deadline has passed, unless the client has gone.
func late(d time.Duration) trick {
	return trick{"late", true, func(_ *vendor, _ *asked, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(d):
		}
	}}
}

func openaiError(kind, code string) string {
	return fmt.Sprintf(`{"error":{"type":%q,"code":%q,"message":"of the vendor","param":null}}`, kind, code)
}

// passing are the faults that pass by themselves. Those of a connection, of a
// gateway, and of a 200 without an answer may have been billed.
func passing() []trick {
	limited, sorry := openaiError("requests", "rate_limit_exceeded"), openaiError("server_error", "")
	const page = "<html><body><h1>502 Bad Gateway</h1></body></html>"
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	return []trick{
		says("429 Retry-After", false, 429, limited, "Retry-After", "1"),
		says("429 retry-after-ms", false, 429, limited, "Retry-After-Ms", "50"),
		says("429 bare", false, 429, limited),
		says("503 slow_down", false, 503, openaiError("slow_down", "slow_down")),
		says("408", true, 408, sorry),
		says("409", false, 409, openaiError("conflict", "conflict")),
		says("500", false, 500, sorry),
		says("502 HTML", true, 502, page, "Content-Type", "text/html"),
		says("503", false, 503, ""),
		says("529", false, 529, openaiError("overloaded_error", "")),
		breaks("closed", func(net.Conn, []byte) {}),
		breaks("reset", func(c net.Conn, _ []byte) { _ = c.(*net.TCPConn).SetLinger(0) }),
		breaks("cut body", func(c net.Conn, body []byte) {
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body[:len(body)/2])
		}),
		breaks("cut chunks", func(c net.Conn, body []byte) {
			fmt.Fprintf(c, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(body), body)
		}),
		says("200 empty object", true, 200, "{}"),
		says("200 without choices", true, 200, `{"id":"r","object":"chat.completion","choices":[]}`),
		says("200 with an error", true, 200, sorry),
		says("200 HTML", true, 200, page, "Content-Type", "text/html"),
		late(8 * time.Second),
	}
}
