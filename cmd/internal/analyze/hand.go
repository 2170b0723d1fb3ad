package analyze

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/study/dialogue"
	"roundtable/envs/qa/records"
)

const acceptedHand = "needed are score and either collaboration or question, with answer if a question has several"

// ReadHand reads scores by hand: a table with a header, or JSON lines, with the names collaboration,
// question, answer and score. All errors come at once, with lines.
func ReadHand(name string, data []byte) ([]dialogue.Hand, error) {
	form := records.FormOf(name)
	if form == "" {
		form = records.CSV
	}
	t, err := records.Read(name, data, records.Options{Form: form})
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", name, err, acceptedHand)
	}
	if !slices.Contains(t.Columns, "score") || !slices.Contains(t.Columns, "collaboration") &&
		!slices.Contains(t.Columns, "question") {
		return nil, fmt.Errorf("%s: it has %s; %s", name, strings.Join(t.Columns, ", "), acceptedHand)
	}
	var all []dialogue.Hand
	var errs []error
	for _, r := range t.Records {
		h, err := dialogue.NewHand(r.At, r.Fields)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s, %s: %w", name, t.Place(r), err))
		}
		all = append(all, h)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no scores; %s", name, acceptedHand)
	}
	return all, errors.Join(errs...)
}
