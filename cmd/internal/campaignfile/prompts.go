package campaignfile

import (
	"fmt"

	"roundtable/analysis/lake/campaign"
)

// chosenPrompts says which prompts a plan asks with.
type chosenPrompts struct {
	Edition int    // of the built-in ones
	Stored  bool   // the campaign has begun and continues with these
	folder  string // that replaces some of them; "" if none
}

// choosePrompts returns which prompts a run of a plan would ask with: those that
// the lake's campaign began with, or, if recorded is nil, the built-in ones of today.
func choosePrompts(stored *campaign.Plan, p campaign.Plan, folder string) chosenPrompts {
	if stored == nil {
		return chosenPrompts{Edition: p.Edition, folder: folder}
	}
	return chosenPrompts{max(1, stored.Edition), true, folder} // plans of the first edition do not name it
}

// String returns the prompts in a sentence.
func (c chosenPrompts) String() string {
	text := fmt.Sprintf("Prompts: edition %d of the built-in ones", c.Edition)
	if c.folder != "" {
		text += ", with templates of " + c.folder
	}
	if c.Stored {
		text += ", as recorded when the campaign began"
	}
	return text + "."
}
