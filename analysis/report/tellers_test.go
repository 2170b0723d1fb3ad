package report

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Stories are kept in the order in which they were begun, whichever is told first, and the
// first error ends it.
func TestStoriesAreKeptInOrder(t *testing.T) {
	broken := errors.New("broken")
	for fails, want := range map[string]error{"none": nil, "3 when told": broken, "3 when kept": broken} {
		var kept, all []string
		stories := tellStories(func(one toldStory) error {
			if one.ID+" when kept" == fails {
				return broken
			}
			kept = append(kept, one.ID)
			return nil
		})
		var begun error
		for i := range 40 {
			id := fmt.Sprint(i)
			all = append(all, id)
			if begun = stories.tell(func() (toldStory, error) {
				time.Sleep(time.Duration(40-i) * 100 * time.Microsecond)
				if id+" when told" == fails {
					return toldStory{}, broken
				}
				return toldStory{Transcript: Transcript{ID: id}}, nil
			}); begun != nil {
				break
			}
		}
		if want != nil {
			all = all[:3]
		}
		if err := stories.end(); !errors.Is(err, want) || begun != nil && !errors.Is(begun, want) || !slices.Equal(kept, all) {
			t.Errorf("fails: %s: %v and %v, kept %v", fails, err, begun, kept)
		}
	}
}
