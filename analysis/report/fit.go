package report

import (
	"cmp"
	"fmt"
	"iter"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
)

// Of transcripts in one page, which a browser has to open.
const (
	mostPacked = 20 << 20 // bytes of them, about
	sampled    = 10       // transcripts that tell how large the others are
	callWeight = 20       // a call's heading and prompt, in the tokens of an answer
)

// Reading returns the rows of the collaborations in told.
type Reading func(told map[lake.Run]bool) iter.Seq2[record.Rows, error]

// FitInPage returns the source with as many transcripts as fit in one page; if not all do, the first instances
// and replicates, equally many per condition.
func (s Source) FitInPage(read Reading) (Source, error) { return s.fitIn(mostPacked, read) }

func (s Source) fitIn(most int, read Reading) (Source, error) {
	order := tellingOrder(s.Campaign)
	if len(order) <= sampled {
		return s, nil
	}
	sample, weight := map[lake.Run]bool{}, 0.0
	for i := range sampled { // from the first to the last: they need not be alike
		r := order[i*len(order)/sampled]
		sample[runOf(r)] = true
		weight += weighRun(r)
	}
	size, err := s.packedSize(read(sample))
	if err != nil {
		return s, err
	}
	told, room := map[lake.Run]bool{}, float64(most)/float64(max(1, size))*weight
	for _, r := range order {
		if room -= weighRun(r); room < 0 {
			s.Told, s.Collaborations = told, read(told)
			return s, nil
		}
		told[runOf(r)] = true
	}
	return s, nil
}

// tellingOrder is the first run of each condition, then the second of each, and so on.
func tellingOrder(c campaign.Campaign) (order []campaign.Run) {
	groups := c.Groups()
	for i := 0; len(order) < len(c.Runs); i++ {
		for _, g := range groups {
			if i < len(g.Runs) {
				order = append(order, g.Runs[i])
			}
		}
	}
	return order
}

// weighRun returns how long a transcript is, in tokens of answers.
func weighRun(r campaign.Run) float64 {
	return float64(max(0, r.OutputTokens)) + callWeight*float64(max(1, r.Calls))
}

func runOf(r campaign.Run) lake.Run {
	return lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}
}

// packedSize returns how many bytes the transcripts of some collaborations take in a page.
func (s Source) packedSize(all iter.Seq2[record.Rows, error]) (size int, err error) {
	packed := transcripts{packed: true}
	for rows, err := range all {
		if err != nil {
			return 0, err
		}
		story, err := s.StoryOf(rows.Collaborations[0].CollaborationID, rows).tell()
		if err := cmp.Or(err, packed.add(story)); err != nil {
			return 0, err
		}
	}
	err = packed.close()
	for _, blocks := range [][]block{packed.Told.Blocks, packed.Asked.Blocks, packed.Said.Blocks} {
		for _, b := range blocks {
			size += len(b.Data)
		}
	}
	return size, err
}

// describeLeftOut says which transcripts are not in a page; "" if all are.
func (s Source) describeLeftOut() string {
	if s.Told == nil {
		return ""
	}
	return fmt.Sprintf("The transcripts of %d of %s are in this page, as many of each condition; "+
		"all would be too large for one page. roundtable report %s -o FOLDER/ writes all of them, "+
		"roundtable view %s shows them.",
		len(s.Told), wording.Count(len(s.Campaign.Runs), "collaboration"), s.Campaign.Name, s.Campaign.Name)
}
