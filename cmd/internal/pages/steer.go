package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/pflag"

	"roundtable/activities/people"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// serveSteering pauses, resumes, tunes or cancels a campaign, and answers with the result.
func (v *Server) serveSteering(w http.ResponseWriter, r *http.Request) error {
	ctx, name := r.Context(), r.PathValue("campaign")
	c, err := v.shownOf(ctx, name)
	if err != nil {
		return err
	}
	said := ""
	switch action := r.PathValue("action"); action {
	case "pause":
		said, err = name+" is pausing; answers in flight are kept", runs.Pause(ctx, v.options, name, "")
	case "resume":
		said, err = name+" continues", v.resume(r, name)
	case "tune":
		said, err = v.tune(r, name)
	case "cancel":
		said, err = name+" is being cancelled", runs.RequestCancel(ctx, v.options, name, "")
	default:
		err = wrongInput{fmt.Errorf("a campaign cannot be asked to %q; it can be paused, resumed, tuned and cancelled", action)}
	}
	if errors.Is(err, campaigns.ErrNotRunning) {
		c.watched.forget()
		said := name + " is not running here"
		if r.PathValue("action") == "resume" {
			said += "; resume it in a terminal: " + resumeCommand(v.options, name)
		}
		http.Error(w, said, http.StatusConflict)
		return nil
	}
	if err != nil {
		return err
	}
	c.watched.forget()
	return write(w, said)
}

// resumeCommand returns the command that resumes a campaign in a terminal.
func resumeCommand(o *cli.Options, name string) string {
	said := "roundtable resume " + name
	if o.Lake != "./lake" {
		said += " --lake " + cli.QuoteShell(o.Lake)
	}
	if o.State != "./.roundtable" {
		said += " --state " + cli.QuoteShell(o.State)
	}
	return said
}

func (v *Server) resume(r *http.Request, name string) error {
	s, _, m, err := campaigns.Open(r.Context(), v.options, name)
	if err != nil {
		return err
	}
	return runs.Resume(r.Context(), v.options, s, m, "")
}

// Fields of the form that tunes, named as the flags of `roundtable tune`; those of one
// model begin with "model-".
var (
	limits      = []string{"collaborations", "calls", "cost-usd", "tokens"}
	modelLimits = []string{"calls", "requests-per-minute", "tokens-per-minute", "timeout"}
)

// tune changes the limits that the form fills in, by the rules of the command.
func (v *Server) tune(r *http.Request, name string) (string, error) {
	s, _, m, err := campaigns.Open(r.Context(), v.options, name)
	if err != nil {
		return "", err
	}
	before := m.Limits
	if err := setLimits(r, "", limits, &m.Limits); err != nil {
		return "", wrongInput{err}
	}
	if err := setLimits(r, "model-", modelLimits, &m.Limits); err != nil {
		return "", wrongInput{err}
	}
	tuned, err := runs.Tune(r.Context(), v.options, s, m, before)
	if errors.Is(err, runs.ErrNothingTuned) {
		return "", wrongInput{err}
	}
	return tuned.String(), err
}

// setLimits sets the limits of some fields, whose names in the form have a prefix.
func setLimits(r *http.Request, prefix string, fields []string, l *plan.Limits) error {
	var t runs.Tuning
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	t.Flags(flags)
	for _, field := range fields {
		value := strings.TrimSpace(r.FormValue(prefix + field))
		if value == "" {
			continue
		}
		if err := flags.Set(field, value); err != nil {
			return fmt.Errorf("%s is %q; expected a whole number", strings.ReplaceAll(field, "-", " "), value)
		}
		if prefix != "" {
			_ = flags.Set("model", r.FormValue("model"))
		}
	}
	return t.Apply(flags, l)
}

// questions are the body of the page on which persons answer.
type questions struct {
	Open []question
}

// question is what one person is asked.
type question struct {
	ID, Title string
	Said      []turnText
	JSON      bool // the answer must be the JSON object that is asked for
}

// turnText is a message of the chat that a person is in.
type turnText struct{ From, Text string }

// fromWhom names the roles of a chat to the one who answers.
var fromWhom = map[string]string{"system": "Who you are", "user": "Asked", "assistant": "Your answer before"}

// questionsPage shows the questions of a campaign that wait for a person.
func (v *Server) questionsPage(w http.ResponseWriter, r *http.Request) error {
	c, err := v.shownOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	open, err := people.Open(r.Context(), v.store, c.plan.Name)
	if err != nil {
		return err
	}
	var body questions
	for _, q := range open {
		one := question{ID: q.ID, Title: runs.QuestionTitle(q), JSON: len(q.Schema) > 0}
		for _, m := range q.Messages {
			one.Said = append(one.Said, turnText{fromWhom[m.Role], wording.SafeLines(m.Content)})
		}
		body.Open = append(body.Open, one)
	}
	p := v.newPage("Questions", step{c.plan.Name, "/" + v.token + "/c/" + c.plan.Name + "/"})
	p.Campaign, p.Body = c.plan.Name, body
	return v.render(w, "questions.tmpl", p)
}

// answer stores a person's answer.
func (v *Server) answer(w http.ResponseWriter, r *http.Request) error {
	c, err := v.shownOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, 2*people.MaxAnswer)
	text := strings.ReplaceAll(r.FormValue("text"), "\r\n", "\n")
	err = people.Answer(r.Context(), v.store, c.plan.Name, r.PathValue("id"), text)
	switch {
	case errors.Is(err, people.ErrAnswered):
		http.Error(w, err.Error(), http.StatusConflict)
		return nil
	case err != nil:
		return wrongInput{err}
	}
	return write(w, "The answer is stored.")
}
