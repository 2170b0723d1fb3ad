package programs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"roundtable/activities/failure"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
)

// Programs runs programs that answer many questions, a few processes at once.
type Programs struct {
	store   store.Store
	running *semaphore.Weighted // questions at once
	pause   time.Duration       // before a program that failed is tried again; it doubles
	asked   singleflight.Group  // equal questions at the same time are one

	mu    sync.Mutex
	idle  map[string][]*server       // by folder and command
	known map[string]json.RawMessage // recorded answers, by their keys
}

// mostKnown bounds the answers that are kept in memory.
const mostKnown = 10_000

// tries of a program that fails.
const tries = 3

// New returns Programs that record answers in store; nil records nothing.
func New(store store.Store) *Programs {
	return &Programs{
		store: store, running: semaphore.NewWeighted(int64(max(2, runtime.GOMAXPROCS(0)))),
		pause: 100 * time.Millisecond,
		idle:  map[string][]*server{}, known: map[string]json.RawMessage{},
	}
}

// Close ends the processes that are waiting for a question.
func (p *Programs) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = map[string][]*server{}
	p.mu.Unlock()
	var ending sync.WaitGroup
	for _, list := range idle {
		for _, s := range list {
			ending.Go(s.close)
		}
	}
	ending.Wait()
}

// Of says for which campaign programs are run.
type Of struct {
	Campaign string
	Folder   string   // of its file, which relative paths start from
	Replayed []string // campaigns whose recorded answers, of models and programs, it repeats
	Trusted  bool     // the user named the program, not a campaign
}

// mode is what may be done for an answer that is not recorded.
type mode int

const (
	readOnly mode = iota
	asking        // record nothing
	checking      // ask two processes, record nothing
	recordingAll
)

// Recorded returns an asker that gives recorded answers only, and runs nothing.
func (p *Programs) Recorded(of Of) program.Asker { return &asker{Programs: p, of: of, mode: readOnly} }

// Asking returns an asker that runs programs and records nothing.
func (p *Programs) Asking(of Of) program.Asker { return &asker{Programs: p, of: of, mode: asking} }

// Checking returns an asker that records nothing. What is not recorded yet it asks two processes,
// whose answers must agree.
func (p *Programs) Checking(of Of) program.Asker { return &asker{Programs: p, of: of, mode: checking} }

// Recording returns an asker that records each answer of an environment.
func (p *Programs) Recording(of Of) program.Asker {
	return &asker{Programs: p, of: of, mode: recordingAll}
}

// asker asks for one campaign.
type asker struct {
	*Programs
	of   Of
	mode mode

	trusted sync.Map // commands

	first  sync.Mutex
	began  *program.Question // what the program is, if that was recorded before: see same
	says   json.RawMessage
	second atomic.Int32 // questions that a second process was asked
}

// Ask returns the recorded answer, or the program's.
func (a *asker) Ask(q program.Question) (json.RawMessage, error) {
	ctx := context.Background() // bounded by the question's timeout
	if !q.Fact {
		answer, err := a.run(ctx, q)
		return answer, explainFailure(q, err)
	}
	key := Key(a.of.Campaign, q.Command, q.Input)
	flight := fmt.Sprint(a.mode, a.of.Folder, key)
	answer, err, _ := a.asked.Do(flight, func() (any, error) {
		if known := a.recallAnswer(flight); known != nil && !q.Identity {
			return known, nil
		}
		answer, err := a.find(ctx, q)
		if err == nil {
			a.rememberAnswer(flight, answer)
		}
		return answer, err
	})
	if err != nil {
		return nil, explainFailure(q, err)
	}
	return answer.(json.RawMessage), nil
}

// explainFailure says which program failed at what.
func explainFailure(q program.Question, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the program %s, asked for %s: %w", strings.Join(q.Command, " "), q.About, err)
}

func (a *asker) recallAnswer(key string) json.RawMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[key]
}

func (a *asker) rememberAnswer(key string, answer json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= mostKnown {
		clear(a.known)
	}
	a.known[key] = answer
}

// find returns an answer that is recorded with the campaign or with one that it
// replays, or else runs the program and records what it says.
func (a *asker) find(ctx context.Context, q program.Question) (json.RawMessage, error) {
	for _, campaign := range a.recordedCampaigns() {
		answer, err := load(ctx, a.store, campaign, q)
		switch {
		case err == nil && campaign == a.of.Campaign:
			a.begin(q, answer)
			return answer, nil
		case err == nil && a.mode == recordingAll:
			return save(ctx, a.store, a.of.Campaign, q, answer)
		case err == nil || !errors.Is(err, fs.ErrNotExist):
			return answer, err
		}
	}
	answer, err := a.run(ctx, q)
	if err != nil || a.mode != recordingAll {
		return answer, err
	}
	return save(ctx, a.store, a.of.Campaign, q, answer)
}

// recordedCampaigns returns those whose recorded answers count, the asker's own first.
func (a *asker) recordedCampaigns() []string {
	if a.store == nil {
		return nil
	}
	if a.of.Campaign == "" { // of a file that does not name it yet
		return a.of.Replayed
	}
	return append([]string{a.of.Campaign}, a.of.Replayed...)
}

// begin notes what the program has said of itself.
func (a *asker) begin(q program.Question, answer json.RawMessage) {
	a.first.Lock()
	defer a.first.Unlock()
	if q.Identity {
		a.began, a.says = &q, answer
	}
}

// checkUnchanged returns an error if the program no longer says of itself what it said when the
// campaign began; it is asked once, before its first new answer.
func (a *asker) checkUnchanged() error {
	a.first.Lock()
	defer a.first.Unlock()
	if a.began == nil {
		return nil
	}
	now, err := a.try(*a.began, "")
	// the campaign has recorded what it can say: the program is not what it was
	if errors.As(err, &failure.Unusable{}) {
		return failure.NeedsOperator{Err: fmt.Errorf("it no longer says what it is: %w", err)}
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(now, a.says) {
		return failure.NeedsOperator{Err: fmt.Errorf("it has changed since the campaign began: it said %s of "+
			"itself, now %s; bring the former version back, or begin a campaign of another name", a.says, now)}
	}
	a.began = nil
	return nil
}

// checkTrusted is CheckTrusted, once for each command: files may be large.
func (a *asker) checkTrusted(command []string) error {
	key := strings.Join(command, "\x00")
	if _, known := a.trusted.Load(key); known || a.of.Trusted {
		return nil
	}
	err := CheckTrusted(a.of.Folder, command)
	if err == nil {
		a.trusted.Store(key, struct{}{})
	}
	return err
}

// run asks the program itself, as the mode allows.
func (a *asker) run(ctx context.Context, q program.Question) (json.RawMessage, error) {
	if a.mode == readOnly {
		return nil, errors.New("its answer is not recorded, and no program is run to read a campaign")
	}
	if err := a.checkTrusted(q.Command); err != nil {
		return nil, failure.NeedsOperator{Err: err}
	}
	if err := a.running.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer a.running.Release(1)
	if err := a.checkUnchanged(); err != nil {
		return nil, err
	}
	if a.mode == checking {
		return a.askTwice(q)
	}
	return a.try(q, "")
}

// try asks a process of that line until there is an answer that can be used, at most
// three times.
func (a *asker) try(q program.Question, line string) (json.RawMessage, error) {
	var failed error
	for i := range tries {
		if i > 0 {
			time.Sleep(a.pause << i)
		}
		answer, err := a.askOnce(q, line)
		if err == nil {
			return answer, nil
		}
		if !errors.As(err, &failure.Unusable{}) {
			return nil, err
		}
		failed = err
	}
	return nil, failure.Unusable{Err: fmt.Errorf("%w (%d tries)", failed, tries)}
}

// fresh is how many questions of an asker are put to a new process each. Later ones
// go to one that was not asked those: what depends on the order of questions shows.
const fresh = 20

// askTwice asks two processes that have answered different questions before. Nothing is
// tried again: a program that fails now and then is refused.
func (a *asker) askTwice(q program.Question) (json.RawMessage, error) {
	first, err := a.askOnce(q, "")
	if err != nil {
		return nil, err
	}
	line := "second"
	if n := a.second.Add(1); n <= fresh {
		line = fmt.Sprint("new ", n)
		defer a.drop(a.lineName(q, line))
	}
	second, err := a.askOnce(q, line)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first, second) {
		return nil, failure.Unusable{Err: fmt.Errorf("it answers the same question differently in another process: "+
			"%.300s, then %.300s; an answer may depend on nothing but its question, whose seed is there to draw from",
			first, second)}
	}
	return first, nil
}

// lineName names a line of processes of a program.
func (a *asker) lineName(q program.Question, line string) string {
	return strings.Join(append([]string{line, a.of.Folder}, q.Command...), "\x00")
}

// drop ends the idle processes of a line.
func (a *asker) drop(key string) {
	for s := a.takeIdle(key); s != nil; s = a.takeIdle(key) {
		s.close()
	}
}

// askOnce asks one process, of that line of processes.
func (a *asker) askOnce(q program.Question, line string) (json.RawMessage, error) {
	key := a.lineName(q, line)
	s := a.takeIdle(key)
	if s == nil {
		var err error
		if s, err = startServer(a.of.Folder, q.Command); err != nil {
			return nil, err
		}
	}
	answer, err := s.ask(q.Input, q.Timeout)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.idle[key] = append(a.idle[key], s)
	a.mu.Unlock()
	if err := q.Check(answer); err != nil {
		return nil, failure.Unusable{Err: fmt.Errorf("it answered %.200s: %w", answer, err)}
	}
	return answer, nil
}

func (a *asker) takeIdle(key string) *server {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.idle[key]
	if len(list) == 0 {
		return nil
	}
	a.idle[key] = list[:len(list)-1]
	return list[len(list)-1]
}

// PassEnv is the environment variable that names further variables to pass to programs, separated
// by commas.
const PassEnv = "ROUNDTABLE_PROGRAMS_ENV"

// passed matches the names of the variables that a program is given: what says where things are
// and how to write them. Whatever else is set, keys under any name among it, is none of its business:
// a program of a campaign is shown texts of models, and pays for nothing.
var passed = regexp.MustCompile(`^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TERM|NO_COLOR|TZ|LANG|LANGUAGE|LC_[A-Z]+|TMPDIR|TMP|TEMP|SYSTEMROOT|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|SSL_CERT_(FILE|DIR)|` +
	`PYTHON(PATH|HOME|HASHSEED|UNBUFFERED|IOENCODING|UTF8)|VIRTUAL_ENV|CONDA_(PREFIX|DEFAULT_ENV)|NODE_PATH|JAVA_HOME|R_(HOME|LIBS|LIBS_USER|LIBS_SITE)|JULIA_(DEPOT_PATH|PROJECT)|GO(PATH|ROOT|CACHE|MODCACHE)|` +
	`(OMP|MKL|OPENBLAS)_NUM_THREADS|CUDA_VISIBLE_DEVICES)$`)

// passedOn returns the variables of an environment that a program is given.
func passedOn(environment []string) []string {
	more := strings.Split(os.Getenv(PassEnv), ",")
	for i := range more {
		more[i] = strings.TrimSpace(more[i])
	}
	return slices.DeleteFunc(slices.Clone(environment), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !passed.MatchString(name) && !slices.Contains(more, name)
	})
}

// recording is an answer as it is stored.
type recording struct {
	Command []string        `json:"command"`
	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer"`
	SHA256  string          `json:"sha256"` // of the answer
}

// Folder returns the folder of a campaign's recorded answers.
func Folder(campaign string) string { return lake.AboutKey(campaign, "programs/") }

// Key returns the key under which the answer of command to request is stored.
func Key(campaign string, command []string, request json.RawMessage) string {
	words, err := json.Marshal(command)
	if err != nil {
		panic("programs: " + err.Error()) // texts always marshal
	}
	return Folder(campaign) + digest(append(append(words, '\n'), request...))[:32] + ".json"
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// load returns a stored answer. One whose bytes are not those that were written is
// store.ErrCorrupt.
func load(ctx context.Context, s store.Store, campaign string, q program.Question) (json.RawMessage, error) {
	key := Key(campaign, q.Command, q.Input)
	data, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := read(key, data)
	if err == nil && Key(campaign, r.Command, r.Request) != key {
		err = fmt.Errorf("%s: %w: it answers another question", key, store.ErrCorrupt)
	}
	return r.Answer, err
}

// read decodes a recording.
func read(key string, data []byte) (r recording, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w: %w", key, store.ErrCorrupt, err)
	}
	if digest(r.Answer) != r.SHA256 {
		return r, fmt.Errorf("%s: %w: its answer has another checksum", key, store.ErrCorrupt)
	}
	return r, nil
}

// save stores an answer and returns the one that counts: the first.
func save(ctx context.Context, s store.Store, campaign string, q program.Question,
	answer json.RawMessage) (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // it would change the bytes of the answer
	if err := e.Encode(recording{q.Command, q.Input, answer, digest(answer)}); err != nil {
		return nil, err
	}
	err := s.PutIfAbsent(ctx, Key(campaign, q.Command, q.Input), out.Bytes())
	if errors.Is(err, store.ErrExists) {
		return load(ctx, s, campaign, q)
	}
	return answer, err
}

// Check returns how many answers of programs a campaign has recorded, and which of them are
// damaged.
func Check(ctx context.Context, s store.Store, campaign string) (recorded int, findings []lake.Finding, err error) {
	objects, err := s.List(ctx, Folder(campaign))
	if err != nil {
		return 0, nil, err
	}
	for _, o := range objects {
		data, err := s.Get(ctx, o.Key)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return recorded, findings, err
		}
		r := recording{}
		if err == nil {
			r, err = read(o.Key, data)
		}
		if err == nil && Key(campaign, r.Command, r.Request) != o.Key {
			err = errors.New("it answers another question than its name says")
		}
		if err != nil {
			findings = append(findings, lake.NewFinding(o.Key, err))
			continue
		}
		recorded++
	}
	return recorded, findings, nil
}
