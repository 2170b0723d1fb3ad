package wire

import (
	"net/http"
	"net/url"
	"strconv"

	"roundtable/activities/model"
)

// turnHeader returns the headers with those that say which turn is asked for. Texts
// are percent-encoded as in a path, so that every name fits into a header.
func turnHeader(header http.Header, t model.Turn) http.Header {
	all := header.Clone()
	if all == nil {
		all = http.Header{}
	}
	for _, x := range [][2]string{
		{"Campaign", t.Campaign}, {"Condition", t.Condition}, {"Collaboration", t.Collaboration},
		{"Agent", t.Agent}, {"Role", t.Role}, {"Phase", t.Phase},
		{"Instance", strconv.Itoa(t.Instance)}, {"Replicate", strconv.Itoa(t.Replicate)},
		{"Round", strconv.Itoa(t.Round)}, {"Entry", strconv.Itoa(t.Entry)}, {"Ask", strconv.Itoa(t.Ask)},
	} {
		if x[1] != "" {
			all.Set("Roundtable-"+x[0], url.PathEscape(x[1]))
		}
	}
	return all
}
