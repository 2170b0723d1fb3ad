package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/activities"
	store "roundtable/analysis/lake"
)

// chosenPrompts says which prompts a plan asks with.
type chosenPrompts struct {
	edition  int    // of the built-in ones
	recorded bool   // the campaign has begun and goes on with these
	folder   string // that replaces some of them; "" if none
	refusal  string // why the campaign of this name in the lake does not go on with the file
}

// choosePrompts gives a plan the prompts that a run of it would ask with: those
// that the campaign in the lake began with, or the built-in ones of today.
func choosePrompts(ctx context.Context, s store.Store, p *activities.Plan, folder string) (chosenPrompts, error) {
	chosen := chosenPrompts{edition: p.Edition, folder: folder}
	recorded, _, err := present(ctx, s, p.Campaign.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return chosen, nil
	case err != nil:
		return chosen, err
	case len(p.Campaign.Extends(recorded.Campaign)) > 0:
		chosen.refusal = fmt.Sprintf("the lake has another campaign %q, which this file cannot continue", p.Campaign.Name)
		return chosen, nil
	}
	if err := samePrompts(recorded, *p, folder); err != nil {
		chosen.refusal = err.Error()
		return chosen, nil
	}
	keepPrompts(recorded, p)
	chosen.edition, chosen.recorded = max(1, recorded.Edition), true // plans of the first edition do not name it
	return chosen, nil
}

func (c chosenPrompts) String() string {
	text := fmt.Sprintf("Prompts: edition %d of the built-in ones", c.edition)
	if c.folder != "" {
		text += ", with templates of " + c.folder
	}
	if c.recorded {
		text += ", as recorded when the campaign began"
	}
	if c.refusal != "" {
		text += ". A run would be refused: " + c.refusal
	}
	return text + "."
}
