package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// Once returns the value of a flag that may be given once: with a second one, one of the
// two would be passed over without a word.
func Once(text *string) pflag.Value { return &once{text: text} }

type once struct {
	text  *string
	given bool
}

func (o *once) String() string {
	if o.text == nil { // pflag asks a zero value for its default
		return ""
	}
	return *o.text
}

func (o *once) Type() string { return "string" }

func (o *once) Set(text string) error {
	if o.given {
		return errors.New("it can be given once only")
	}
	*o.text, o.given = text, true
	return nil
}
