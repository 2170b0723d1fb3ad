package dialogue

import (
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// speaker is a run of one planned round more than texts, with a message of each
// in its round; texts of one round are separated by a bar.
func speaker(rule string, replicate int, texts ...string) campaign.Run {
	c := analysistest.Majority(replicate)
	c.Condition, c.Rule, c.Planned = rule+"-1", rule, 2
	base := c.Run()
	var rounds []record.Round
	var turns []record.Turn
	for i, said := range texts {
		rounds = append(rounds, record.Round{Round: int32(i + 1)})
		for text := range strings.SplitSeq(said, "|") {
			turns = append(turns, record.Turn{Round: int32(i + 1), Kind: "ask", Format: "message", Text: &text})
		}
		turns = append(turns,
			record.Turn{Round: int32(i + 1), Kind: "ask", Format: "message"}, // an invalid one
			record.Turn{Round: int32(i + 1), Kind: "ask", Format: "message", Role: "moderator", Text: new("I do not vote and I do not count.")},
			record.Turn{Round: int32(i + 1), Kind: "ask", Format: "proposal", Text: new("nor do I")})
	}
	return newRun(base.Collaboration, rounds, turns)
}

// By hand: "The cat sat." is 3 words of one syllable in a sentence, grade
// 0.39·3 + 11.8 - 15.59 = -2.62; "Give me apples. Take bread." is 5 words and 6
// syllables in 2 sentences, grade 0.39·2.5 + 11.8·1.2 - 15.59 = -0.455.
func TestWordsByHand(t *testing.T) {
	const cat, bread = "The cat sat.", "Give me apples. Take bread."
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{speaker("majority", 0, cat+"|"+bread, cat), speaker("majority", 1, cat)}}
	table, ok := wordsTable(c)
	if !ok {
		t.Fatal("no table")
	}
	words, grade := analysistest.Row(t, table, "words per message"), analysistest.Row(t, table, "Flesch-Kincaid grade")
	analysistest.Near(t, "words", words["@1"].Value, 3.5) // 4 and 3
	analysistest.Near(t, "their standard error", words["@1"].SE, 0.5)
	analysistest.Near(t, "grade", grade["@1"].Value, (-2.62+(-2.62-0.455)/2)/2)
	if second := words["@2"]; second.N != 1 || !second.Partial || *second.Value != 3 {
		t.Errorf("round 2, which one of two runs had, has %+v", second)
	}
}

func TestWordsWithoutMessages(t *testing.T) {
	if _, ok := wordsTable(analysistest.ByHand(SpeechStudy().Readers...)); ok {
		t.Error("without messages there is a table of words")
	}
}

func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	return analysistest.NewRun(c, rounds, turns, SpeechStudy().Readers...)
}

// Chinese has words, and no grade of English.
func TestWordsOfOtherLanguages(t *testing.T) {
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{speaker("majority", 0, "我同意。大家呢？", "好")}}
	table, ok := wordsTable(c)
	if !ok {
		t.Fatal("no table")
	}
	words, grade := analysistest.Row(t, table, "words per message"), analysistest.Row(t, table, "Flesch-Kincaid grade")
	analysistest.Near(t, "words", words["@1"].Value, 6)
	if grade["@1"].Value != nil || !strings.Contains(strings.Join(table.Notes, " "), "No grade where") {
		t.Errorf("the grade is %+v; %q", grade["@1"], table.Notes)
	}
}
