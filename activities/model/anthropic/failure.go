package anthropic

import (
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// classifyRefusal classifies a response that is no answer.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	w := wire.ReadWords(f.Body, f.Header)
	if slices.Contains(w.Codes, "invalid_request_error") &&
		strings.Contains(w.Message, "blocked by content filtering policy") {
		// The answer was written, and then held back.
		w.Codes = append([]string{"content_filter"}, w.Codes...)
		err := c.Report.Refused(f, w)
		err.Unbilled = false
		return model.Response{}, err
	}
	return model.Response{}, c.Report.Refused(f, w)
}
