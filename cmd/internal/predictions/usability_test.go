package predictions

import (
	"errors"
	"fmt"
	"testing"

	"roundtable/analysis/lake/record"
)

// What a turn was asked again for counts as usable, but not at once; decisions count for nothing.
func TestCountUsable(t *testing.T) {
	turn := func(condition, kind, format, status string, asks int32) record.Turn {
		return record.Turn{Key: record.Key{ConditionID: condition}, Kind: kind, Format: format, Status: status, Asks: asks}
	}
	turns := []record.Turn{
		turn("b", "ask", "proposal", "said", 1), turn("c", "ask", "proposal", "invalid", 3), turn("b", "ask", "proposal", "skipped", 2),
		turn("b", "decide", "", "said", 0), turn("a", "ask", "answer", "invalid", 1), turn("b", "ask", "ballot", "abstained", 1),
	}
	for range 8 {
		turns = append(turns, turn("c", "ask", "proposal", "said", 1))
	}
	rows := func(failed error) func(func(record.Turn, error) bool) {
		return func(yield func(record.Turn, error) bool) {
			for _, t := range turns {
				if !yield(t, failed) {
					return
				}
			}
		}
	}
	all, err := countUsable(rows(nil), map[string]string{"a": "qa", "b": "exchange", "c": "exchange"})
	if got := fmt.Sprint(all); err != nil || got != "[{exchange ballot 1 1 1} {exchange proposal 11 9 10} {qa answer 1 0 0}]" {
		t.Errorf("counted %s, %v", got, err)
	}
	if all[0].isTooFew() || all[1].isTooFew() || !all[2].isTooFew() { // 1 of 11 is less than a tenth
		t.Errorf("too few are usable: %t %t %t", all[0].isTooFew(), all[1].isTooFew(), all[2].isTooFew())
	}
	if _, err := countUsable(rows(errors.New("lost")), nil); err == nil {
		t.Error("a row that could not be read is passed over")
	}
}
