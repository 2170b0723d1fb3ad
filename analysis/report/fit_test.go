package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// One page has the transcripts that it has room for, as many of each condition; all are listed,
// and the page says what is not in it.
func TestPageHasWhatFits(t *testing.T) {
	var all []record.Rows
	for _, rule := range []string{"majority", "rated"} {
		for replicate := range 50 {
			all = append(all, collaboration(rule, replicate, 1, fmt.Sprint("I want apples: ", replicate*7919%100)))
		}
	}
	read := func(told map[lake.Run]bool) iter.Seq2[record.Rows, error] {
		return sequence(slices.DeleteFunc(slices.Clone(all), func(r record.Rows) bool {
			return !told[lake.Run{Collaboration: r.Collaborations[0].CollaborationID}]
		}))
	}
	s := source(all...)
	if whole, err := s.FitInPage(read); err != nil || whole.Told != nil {
		t.Fatalf("all have room (%v), and %v are told", err, whole.Told)
	}
	sample := map[lake.Run]bool{}
	for i := range sampled { // every tenth, conditions taking turns
		sample[lake.Run{Collaboration: fmt.Sprintf("majority-1-i0-r%d", 5*i)}] = true
	}
	size, err := s.packedSize(read(sample))
	if err != nil {
		t.Fatal(err)
	}
	some, err := s.fitIn(2*size+size/20, read)
	if err != nil || len(some.Told) != 2*sampled {
		t.Fatalf("%d are told (%v), expected room for %d", len(some.Told), err, 2*sampled)
	}
	for run := range some.Told {
		var replicate int
		if _, err := fmt.Sscanf(run.Collaboration[strings.LastIndex(run.Collaboration, "-"):], "-r%d", &replicate); err != nil || replicate >= sampled {
			t.Errorf("%s is told before those of the other condition (%v)", run.Collaboration, err)
		}
	}
	page := write(t, some)
	if !strings.Contains(page, "The transcripts of 20 of 100 collaborations are in this page") {
		t.Error("the page does not say what is left out")
	}
	if strings.Contains(write(t, s), "are in this page") {
		t.Error("a page with all transcripts says that some are left out")
	}
	if n := strings.Count(page, `<details class="transcript"`); n != 2*sampled {
		t.Errorf("%d transcripts are in the page", n)
	}
	var list struct{ Rows [][]any }
	data := regexp.MustCompile(`(?s)id="list-data">(.*?)</script>`).FindStringSubmatch(page)
	if err := json.Unmarshal([]byte(data[1]), &list); err != nil || len(list.Rows) != len(all) {
		t.Errorf("%d are listed (%v)", len(list.Rows), err)
	}
}

// Damage that is met while the sample is read is no report.
func TestSampleOfDamagedRows(t *testing.T) {
	var all []record.Rows
	for replicate := range sampled + 1 {
		all = append(all, collaboration("rated", replicate, 1, "."))
	}
	damage := errors.New("a part is damaged")
	_, err := source(all...).FitInPage(func(map[lake.Run]bool) iter.Seq2[record.Rows, error] {
		return func(yield func(record.Rows, error) bool) { yield(record.Rows{}, damage) }
	})
	if !errors.Is(err, damage) {
		t.Errorf("%v", err)
	}
}
