package google

import (
	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// classifyRefusal classifies a response that is no answer.
// https://ai.google.dev/gemini-api/docs/billing ("Am I charged for failed requests?", read on 2026-11-22)
// excludes tokens of requests that fail with 400 or 500; of other statuses it is assumed.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	return model.Response{}, c.Report.Refused(f, wire.ReadWords(f.Body, f.Header))
}
