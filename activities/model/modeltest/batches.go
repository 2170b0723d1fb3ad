package modeltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Batches is a service over HTTP with the batch interfaces of OpenAI, Anthropic and Google and their
// single calls, by the documented rules. Its answers to single calls are never counted as of a batch.
type Batches struct {
	Say   func(body []byte) string // the text that answers a request; "hi" if nil
	Takes time.Duration            // that a batch takes
	// Fate says what becomes of the request with a number in its batch: "" is answered; "expired" and
	// "error" are not; "useless" is answered with nothing that can be read.
	Fate func(i int, body []byte) string
	// On hears of each request of the interface, as "create" or "lost", before it is answered; the
	// answer is lost if it returns true.
	On    func(event string) (lose bool)
	Hangs bool   // no batch ends unless it is cancelled
	Fails string // the code of the error with which OpenAI refuses the next batch when it is validated
	Full  int    // status with which batches are refused at once; 0 if they are not

	mu      sync.Mutex
	files   map[string][]byte
	batches []*heldBatch
	live    int // single calls answered
}

type heldBatch struct {
	id, name, fails string
	created         time.Time
	cancelled       bool
	requests        []heldRequest
}

type heldRequest struct {
	id   string
	body []byte
}

// Counts are what a service has worked on.
type Counts struct {
	Batches, Live int
	Billed        int // requests of batches: those that were answered
}

// Counts returns what was worked on by now.
func (s *Batches) Counts() (c Counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Batches, c.Live = len(s.batches), s.live
	for _, b := range s.batches {
		if !s.hasEnded(b) || b.fails != "" {
			continue
		}
		for i, r := range b.requests {
			if fate := s.fateOf(b, i, r); fate == "" || fate == "useless" {
				c.Billed++
			}
		}
	}
	return c
}

// Open returns how many batches have not ended.
func (s *Batches) Open() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		if !s.hasEnded(b) {
			n++
		}
	}
	return n
}

func (s *Batches) hasEnded(b *heldBatch) bool {
	return b.cancelled || !s.Hangs && time.Since(b.created) >= s.Takes
}

func (s *Batches) fateOf(b *heldBatch, i int, r heldRequest) string {
	switch {
	case b.cancelled && (s.Hangs || i%2 == 1): // every other one was worked on by then
		return "cancelled"
	case s.Fate != nil:
		return s.Fate(i, r.body)
	}
	return ""
}

func (s *Batches) say(body []byte) string {
	if s.Say == nil {
		return "hi"
	}
	return s.Say(body)
}

var customID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// ServeHTTP answers all three interfaces.
func (s *Batches) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	event, answer := s.serve(r, body)
	if s.On != nil && s.On(event) {
		panic(http.ErrAbortHandler)
	}
	if refused, is := answer.(refusal); is {
		w.WriteHeader(refused.status)
		answer = map[string]any{"type": "error",
			"error": map[string]any{"type": refused.code, "code": refused.code, "message": refused.text}}
	}
	if file, is := answer.([]byte); is {
		_, _ = w.Write(file)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

type refusal struct {
	status     int
	code, text string
}

func (s *Batches) serve(r *http.Request, body []byte) (event string, answer any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.Path
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok {
		path = "/" + rest
	}
	last := path[strings.LastIndex(path, "/")+1:]
	switch {
	case path == "/files":
		return "upload", s.upload(r, body)
	case strings.HasPrefix(path, "/files/"):
		return "results", s.files[strings.Split(path, "/")[2]]
	case path == "/batches" && r.Method == http.MethodPost:
		return "create", s.createOpenAI(body)
	case path == "/messages/batches" && r.Method == http.MethodPost:
		return "create", s.createAnthropic(body)
	case strings.HasSuffix(path, ":batchGenerateContent"):
		return "create", s.createGoogle(body)
	case path == "/batches", path == "/messages/batches", path == "/v1beta/batches":
		return "list", s.list(path, r)
	case last == "cancel", strings.HasSuffix(last, ":cancel"):
		b := s.find(strings.TrimSuffix(strings.TrimSuffix(path, "/cancel"), ":cancel"))
		if b == nil || s.hasEnded(b) {
			return "cancel", refusal{http.StatusBadRequest, "invalid_request_error", "the batch has ended"}
		}
		b.cancelled = true
		return "cancel", s.show(path, b)
	case last == "results":
		return "results", s.resultsAnthropic(s.find(strings.TrimSuffix(path, "/results")))
	case strings.Contains(path, "/batches/"):
		if b := s.find(path); b != nil {
			return "poll", s.show(path, b)
		}
		return "poll", refusal{http.StatusNotFound, "not_found_error", "there is no such batch"}
	case last == "models":
		return "models", map[string]any{"data": []any{}}
	}
	s.live++
	return "call", s.answer(path, body)
}

// find returns the batch whose ID a path ends with.
func (s *Batches) find(path string) *heldBatch {
	for _, b := range s.batches {
		if strings.HasSuffix(path, "/"+b.id) {
			return b
		}
	}
	return nil
}

func (s *Batches) upload(r *http.Request, body []byte) any {
	r.Body = io.NopCloser(bytes.NewReader(body))
	file, _, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" {
		return refusal{http.StatusBadRequest, "invalid_request_error", "no file for a batch"}
	}
	content, _ := io.ReadAll(file)
	return map[string]any{"id": s.keep(content)}
}

func (s *Batches) keep(content []byte) string {
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	id := fmt.Sprintf("file-%d", len(s.files))
	s.files[id] = content
	return id
}

// add lets a batch in, if its requests keep the rules.
func (s *Batches) add(name string, requests []heldRequest) (*heldBatch, any) {
	if s.Full != 0 {
		return nil, refusal{s.Full, "", "no more batches"}
	}
	seen := map[string]bool{}
	for _, r := range requests {
		if !customID.MatchString(r.id) || seen[r.id] || !json.Valid(r.body) {
			return nil, refusal{http.StatusBadRequest, "invalid_request_error", "a custom_id or a body is invalid"}
		}
		seen[r.id] = true
	}
	b := &heldBatch{id: fmt.Sprintf("batch-%d", len(s.batches)+1), name: name, fails: s.Fails, created: time.Now(),
		requests: requests}
	s.Fails = ""
	s.batches = append(s.batches, b)
	return b, nil
}

func (s *Batches) createOpenAI(body []byte) any {
	var q struct {
		File     string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	if json.Unmarshal(body, &q) != nil || q.Window != "24h" || s.files[q.File] == nil {
		return refusal{http.StatusBadRequest, "invalid_request_error", "a field is missing"}
	}
	var requests []heldRequest
	lines := bufio.NewScanner(bytes.NewReader(s.files[q.File]))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			ID     string          `json:"custom_id"`
			Method string          `json:"method"`
			URL    string          `json:"url"`
			Body   json.RawMessage `json:"body"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Method != http.MethodPost || line.URL != q.Endpoint {
			return refusal{http.StatusBadRequest, "invalid_request_error", "a line is malformed"}
		}
		requests = append(requests, heldRequest{line.ID, line.Body})
	}
	b, refused := s.add(q.Metadata["roundtable"], requests)
	if refused != nil {
		return refused
	}
	return s.show("/batches", b)
}

func (s *Batches) createAnthropic(body []byte) any {
	var q struct {
		Requests []struct {
			ID     string          `json:"custom_id"`
			Params json.RawMessage `json:"params"`
		} `json:"requests"`
	}
	if json.Unmarshal(body, &q) != nil || len(q.Requests) == 0 {
		return refusal{http.StatusBadRequest, "invalid_request_error", "no requests"}
	}
	var requests []heldRequest
	for _, r := range q.Requests {
		requests = append(requests, heldRequest{r.ID, r.Params})
	}
	b, refused := s.add("", requests)
	if refused != nil {
		return refused
	}
	return s.show("/messages/batches", b)
}

// googleBytes is how large a request must be less than that Google takes with the requests of a batch in it.
const googleBytes = 20_000_000

func (s *Batches) createGoogle(body []byte) any {
	if len(body) >= googleBytes {
		return refusal{http.StatusBadRequest, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20 MB"}
	}
	var q struct {
		Batch struct {
			Name  string `json:"displayName"`
			Input struct {
				Requests struct {
					Requests []struct {
						Request  json.RawMessage   `json:"request"`
						Metadata map[string]string `json:"metadata"`
					} `json:"requests"`
				} `json:"requests"`
			} `json:"inputConfig"`
		} `json:"batch"`
	}
	if json.Unmarshal(body, &q) != nil || q.Batch.Name == "" {
		return refusal{http.StatusBadRequest, "INVALID_ARGUMENT", "no displayName"}
	}
	var requests []heldRequest
	for _, r := range q.Batch.Input.Requests.Requests {
		requests = append(requests, heldRequest{r.Metadata["key"], r.Request})
	}
	b, refused := s.add(q.Batch.Name, requests)
	if refused != nil {
		return refused
	}
	return s.show("/v1beta/batches", b)
}

// list shows two batches a page, the latest first.
func (s *Batches) list(path string, r *http.Request) any {
	after := r.URL.Query().Get("after") + r.URL.Query().Get("after_id") + r.URL.Query().Get("pageToken")
	var page []any
	last, more := "", false
	for _, b := range slices.Backward(s.batches) {
		if after != "" {
			if b.id == after {
				after = ""
			}
			continue
		}
		if len(page) == 2 {
			more = true
			break
		}
		page, last = append(page, s.show(path, b)), b.id
	}
	if path == "/v1beta/batches" {
		if !more {
			last = ""
		}
		return map[string]any{"operations": page, "nextPageToken": last}
	}
	return map[string]any{"data": page, "has_more": more, "last_id": last}
}

// show returns a batch as its interface does.
func (s *Batches) show(path string, b *heldBatch) any {
	ended := s.hasEnded(b)
	done := 0
	if ended {
		done = len(b.requests)
	}
	switch {
	case strings.Contains(path, "/messages/"):
		status := "in_progress"
		if ended {
			status = "ended"
		}
		return map[string]any{"id": b.id, "processing_status": status,
			"created_at":     b.created.UTC().Format(time.RFC3339Nano),
			"request_counts": map[string]int{"processing": len(b.requests) - done, "succeeded": done}}
	case strings.HasPrefix(path, "/v1beta"):
		return s.showGoogle(b, ended)
	}
	one := map[string]any{"id": b.id, "status": "in_progress", "metadata": map[string]string{"roundtable": b.name},
		"request_counts": map[string]int{"total": len(b.requests), "completed": done, "failed": 0}}
	switch {
	case b.fails != "":
		one["status"], one["errors"] = "failed",
			map[string]any{"data": []any{map[string]any{"code": b.fails, "message": "refused: " + b.fails}}}
	case ended:
		one["status"] = "completed"
		if b.cancelled {
			one["status"] = "cancelled"
		}
		var out, bad bytes.Buffer
		for i, r := range b.requests {
			switch fate := s.fateOf(b, i, r); fate {
			case "":
				fmt.Fprintf(&out, `{"custom_id":%q,"response":{"status_code":200,"body":%s},"error":null}`+"\n", r.id,
					asJSON(s.answer("/chat/completions", r.body)))
			case "useless":
				fmt.Fprintf(&out, `{"custom_id":%q,"response":{"status_code":200,"body":{}},"error":null}`+"\n", r.id)
			case "error":
				fmt.Fprintf(&bad, `{"custom_id":%q,"response":{"status_code":400,"body":{"error":{"message":"this violates our usage policies","code":"invalid_prompt"}}},"error":null}`+"\n", r.id)
			case "expired":
				fmt.Fprintf(&bad, `{"custom_id":%q,"response":null,"error":{"code":"batch_expired","message":"too late"}}`+"\n", r.id)
			}
		}
		one["output_file_id"] = s.keep(out.Bytes())
		if bad.Len() > 0 {
			one["error_file_id"] = s.keep(bad.Bytes())
		}
	}
	return one
}

func (s *Batches) resultsAnthropic(b *heldBatch) any {
	if b == nil || !s.hasEnded(b) {
		return refusal{http.StatusNotFound, "not_found_error", "there are no results"}
	}
	var out bytes.Buffer
	for i, r := range slices.Backward(b.requests) { // in any order
		result := `{"type":"canceled"}`
		switch s.fateOf(b, i, r) {
		case "":
			result = fmt.Sprintf(`{"type":"succeeded","message":%s}`, asJSON(s.answer("/messages", r.body)))
		case "useless":
			result = `{"type":"succeeded","message":{}}`
		case "error":
			result = `{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"this violates our usage policies"}}}`
		case "expired":
			result = `{"type":"expired"}`
		}
		fmt.Fprintf(&out, `{"custom_id":%q,"result":%s}`+"\n", r.id, result)
	}
	return out.Bytes()
}

func (s *Batches) showGoogle(b *heldBatch, ended bool) any {
	state := "BATCH_STATE_RUNNING"
	one := map[string]any{"name": "batches/" + b.id}
	if ended {
		var responses []any
		for i, r := range b.requests {
			of := map[string]any{"metadata": map[string]string{"key": r.id}}
			switch s.fateOf(b, i, r) {
			case "":
				of["response"] = s.answer(":generateContent", r.body)
			case "useless":
				of["response"] = map[string]any{}
			case "error":
				of["error"] = map[string]any{"code": 3, "message": "this violates our usage policies"}
			case "expired":
				continue
			default:
				of["error"] = map[string]any{"code": 1, "message": "Cancelled"}
			}
			responses = append(responses, of)
		}
		state, one["done"] = "BATCH_STATE_SUCCEEDED", true
		one["response"] = map[string]any{"inlinedResponses": map[string]any{"inlinedResponses": responses}}
		if b.cancelled {
			state = "BATCH_STATE_CANCELLED"
		}
	}
	one["metadata"] = map[string]any{"displayName": b.name, "state": state,
		"batchStats": map[string]string{"requestCount": fmt.Sprint(len(b.requests))}}
	return one
}

// answer returns the answer to one request: a thousand tokens in, a hundred out.
func (s *Batches) answer(path string, body []byte) any {
	text := s.say(body)
	switch {
	case strings.Contains(path, "messages"):
		return map[string]any{"id": "m", "model": "m", "type": "message", "stop_reason": "end_turn",
			"content": []any{map[string]string{"type": "text", "text": text}},
			"usage":   map[string]int{"input_tokens": 1000, "output_tokens": 100}}
	case strings.Contains(path, "generateContent"):
		return map[string]any{"modelVersion": "m", "responseId": "r",
			"candidates": []any{map[string]any{"finishReason": "STOP",
				"content": map[string]any{"role": "model", "parts": []any{map[string]string{"text": text}}}}},
			"usageMetadata": map[string]int{"promptTokenCount": 1000, "candidatesTokenCount": 100,
				"totalTokenCount": 1100}}
	}
	return map[string]any{"id": "c", "model": "m", "service_tier": "default",
		"choices": []any{map[string]any{"finish_reason": "stop",
			"message": map[string]string{"role": "assistant", "content": text}}},
		"usage": map[string]int{"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}}
}

func asJSON(v any) []byte {
	data, _ := json.Marshal(v)
	return data
}
