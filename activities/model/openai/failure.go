package openai

import (
	"net/http"
	"slices"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// classifyRefusal returns a response that is no answer, unless it holds one: Groq says 400
// to an answer that is not the JSON that was asked for, and quotes it.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	w := wire.ReadWords(f.Body, f.Header)
	if f.Status == http.StatusBadRequest && slices.Contains(w.Codes, "json_validate_failed") &&
		w.Generated.Kind() == '"' {
		return c.newAnswer(wire.Unquote(w.Generated), "json_validate_failed", f.Header, nil, nil, model.Usage{}), nil
	}
	return model.Response{}, c.statusError(f)
}

// statusError classifies a response that is no answer.
func (c *client) statusError(f *wire.Failure) *model.Error {
	w := wire.ReadWords(f.Body, f.Header)
	if f.Status == http.StatusForbidden && c.host.isTogether() {
		w.Codes = append(w.Codes, "context_length_exceeded") // what it means there
	}
	err := c.Report.Refused(f, w)
	// Azure charges for prompts that it filters or finds too long, and what is quoted was written.
	if slices.Contains(w.Codes, "content_filter") || f.Status == http.StatusBadRequest && c.host.isAzure() ||
		wire.Present(w.Generated) {
		err.Unbilled = false
	}
	return err
}
