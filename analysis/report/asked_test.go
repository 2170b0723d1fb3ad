package report

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// Each line of a collaboration's prompts is in the page once, and every prompt can be put together again.
func TestAskedIsPacked(t *testing.T) {
	rows := collaboration("majority", 0, 2, "I want 30 apples.")
	prompts := map[int32]string{}
	said := "You are Ann.\n\nThe rules:\n"
	for _, turn := range rows.Turns {
		said += fmt.Sprintf("line %d <b>\n", turn.Entry)
		prompts[turn.Entry] = said + "Answer in JSON.\n"
	}
	s := source(rows)
	s.Asked = func(record.Rows) (map[int32]Asked, error) {
		all := map[int32]Asked{}
		for entry, text := range prompts {
			all[entry] = Asked{Prompt: []Message{{"user", text}}, Calls: rows.Calls[:1], Answers: []Answer{{Ask: 0, Raw: "</script>" + text[:3], Fault: "none"}}, Differs: "abc"}
		}
		return all, nil
	}
	page := write(t, s)
	if !strings.Contains(page, `<details class="asked" data-entry="0">`) || strings.Contains(page, "The rules:") {
		t.Error("prompts cannot be opened, or are in the page as they are")
	}
	found := regexp.MustCompile(`<script type="application/gzip" class="asked" data-ids="majority-1-i0-r0">([^<]*)</script>`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("nothing is packed")
	}
	packed := unpack[packedAsked](t, found[1])["majority-1-i0-r0"]
	if most := len(rows.Turns) + 5; len(packed.Lines) > most {
		t.Errorf("%d lines, want at most %d", len(packed.Lines), most)
	}
	for entry, want := range prompts {
		e := packed.Entries[entry]
		var lines []string
		for run := range slices.Chunk(e.Prompt[0].Runs, 2) {
			lines = append(lines, packed.Lines[run[0]:run[0]+run[1]]...)
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("the prompt of entry %d is %q, want %q", entry, got, want)
		}
		for _, says := range []string{"gpt-2026", "NOT the prompt that was sent"} {
			if !strings.Contains(string(e.Calls), says) {
				t.Errorf("%q is not in %s", says, e.Calls)
			}
		}
		if !strings.Contains(string(e.Answers), "&lt;/script&gt;") {
			t.Errorf("the answer is %s", e.Answers)
		}
	}
	s.Asked = func(record.Rows) (map[int32]Asked, error) { return nil, errors.New("the plan has gone") }
	if page := write(t, s); !strings.Contains(page, "Prompts and answers cannot be shown: the plan has gone") {
		t.Error("the page is silent about prompts that are lost")
	}
}
