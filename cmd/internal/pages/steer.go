package pages

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/cmd/internal/runs"
	"roundtable/workflows"
)

// steer pauses, resumes, tunes or cancels a campaign, and answers with what came of it.
func (v *Server) steer(w http.ResponseWriter, r *http.Request) error {
	ctx, name := r.Context(), r.PathValue("campaign")
	c, err := v.of(ctx, name)
	if err != nil {
		return err
	}
	said := ""
	switch action := r.PathValue("action"); action {
	case "pause":
		said, err = name+" is pausing; answers in flight are kept", runs.Pause(ctx, v.options, name, "")
	case "resume":
		said, err = name+" goes on", v.resume(r, name)
	case "tune":
		said, err = v.tune(r, name)
	case "cancel":
		said, err = name+" is being cancelled", runs.Signal(ctx, v.options, name, workflows.SignalCancel, nil, "")
	default:
		err = cli.UsageError(fmt.Errorf("a campaign cannot be asked to %q; it can be paused, resumed, tuned and cancelled", action))
	}
	if errors.Is(err, engine.ErrNotRunning) {
		http.Error(w, fmt.Sprintf("no program runs %s at present; roundtable %s %s does this in a terminal", name, r.PathValue("action"), name), http.StatusConflict)
		return nil
	}
	if err != nil {
		return err
	}
	c.watched.forget()
	return write(w, said)
}

func (v *Server) resume(r *http.Request, name string) error {
	s, _, m, err := campaigns.Open(r.Context(), v.options, name)
	if err != nil {
		return err
	}
	return runs.Resume(r.Context(), v.options, s, m, "")
}

// limits are the fields of the form that tunes, named as the flags of `roundtable tune`.
var limits = []string{"collaborations", "concurrency", "cost-usd", "tokens"}

// tune changes the limits that the form fills in, by the rules of the command.
func (v *Server) tune(r *http.Request, name string) (string, error) {
	s, _, m, err := campaigns.Open(r.Context(), v.options, name)
	if err != nil {
		return "", err
	}
	var t runs.Tuning
	cmd := &cobra.Command{}
	t.Flags(cmd)
	for _, field := range limits {
		if value := r.FormValue(field); value != "" {
			if err := cmd.Flags().Set(field, value); err != nil {
				return "", cli.UsageError(err)
			}
		}
	}
	before := m.Limits
	if err := t.Apply(cmd, &m.Limits); err != nil {
		return "", err
	}
	tuned, err := runs.Tune(r.Context(), v.options, s, m, before)
	return tuned.String(), err
}
