package planning

import "fmt"

// chosenPrompts says which prompts a plan asks with.
type chosenPrompts struct {
	Edition int    // of the built-in ones
	Stored  bool   // the campaign has begun and continues with these
	folder  string // that replaces some of them; "" if none
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
