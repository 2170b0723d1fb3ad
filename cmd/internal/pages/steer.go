package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/runs"
	"roundtable/workflows/plan"
)

// serveSteering pauses, resumes, tunes or cancels a campaign, and answers with what came of it.
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
		said += " --lake " + shellWord(o.Lake)
	}
	if o.State != "./.roundtable" {
		said += " --state " + shellWord(o.State)
	}
	return said
}

// shellWord returns a text as one word of a shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("/._-:", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
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
