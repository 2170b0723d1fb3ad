package qa

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs"
	"roundtable/envs/qa/records"
)

// Survey returns how the files were read, with the first question as it is dealt.
func (e *QA) Survey(seed uint64) (envs.Survey, error) {
	s := envs.Survey{Files: e.source.files, Instances: e.Instances(), Unused: e.source.unused, Notes: e.source.notes}
	cols := e.source.columns
	for _, part := range []struct{ name, column string }{
		{"id", cols.ID}, {itsText, cols.Question}, {"context", cols.Context.String()},
		{itsOptions, e.optionsText(cols)}, {itsAnswer, e.answerText(cols)}, {"solution", cols.Solution},
	} {
		if part.column != "" {
			s.Read = append(s.Read, envs.Fact{Name: part.name, Text: part.column})
		}
	}
	if cols.ID == "" {
		s.Read = append(s.Read, envs.Fact{Name: "id", Text: "the file and a number"})
	}
	if e.params.Shuffle != "" {
		s.Notes = append(s.Notes, "options are shuffled by the campaign's seed")
	}
	if like := records.Contexts(s.Unused); len(like) > 0 && len(cols.Context) == 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s shown to anybody; write columns: {context: %s} if questions "+
			"are about it",
			records.DescribeColumns(like, "is not", "are not"), records.YAMLOf(like)))
	}
	if e.repeated != "" {
		s.Warnings = append(s.Warnings, e.repeated)
	}
	if i := slices.IndexFunc(e.questions, hasLettersOfItsOwn); i >= 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("options begin with letters of their own (%s), and get another "+
			"each; take theirs off in the file", e.questions[i].Options[0]))
	}
	for _, doubt := range []struct {
		holds func(Question) (string, bool)
		text  string
	}{
		{hasFiller, "question %s has the option %q, which is asked like the others; " +
			"leave the cell empty in the file where there is no option"},
		{hasOptionTwice, "question %s has the option %q twice, under different letters"},
		{joinsAnswers, "question %s has the right answer %q, which is compared as one text; " +
			"make it a list in the file if it is several"},
		{hasCode, "question %s has %q, which is asked as it stands; if that is to be another character, write it in " +
			"the file"},
	} {
		for _, q := range e.questions {
			if what, holds := doubt.holds(q); holds {
				s.Warnings = append(s.Warnings, fmt.Sprintf(doubt.text, q.ID, what))
				break
			}
		}
	}
	if i := slices.IndexFunc(e.questions, hidesOptions); i >= 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("question %s has options in its text and the letter %s as its "+
			"key, which is compared as a text; write options_after: with the line before the options, or skip: such questions", e.questions[i].ID, e.questions[i].Gold[0]))
	}
	e.countKeys(seed, &s)
	first, err := e.Instance(seed, 0)
	if err != nil {
		return s, err
	}
	if explained, ok := first.(envs.Explained); ok {
		s.Example = explained.Facts()
	}
	return s, nil
}

// hasLettersOfItsOwn reports whether each option begins with its letter or number, as "B) blue",
// "B. blue" or "(2) blue".
func hasLettersOfItsOwn(q Question) bool {
	number := func(i int) string { return strconv.Itoa(i + 1) }
	return len(q.Options) > 1 && (beginWith(q.Options, letterOf) || beginWith(q.Options, number))
}

func beginWith(options []string, mark func(int) string) bool {
	for i, o := range options {
		rest, found := strings.CutPrefix(strings.TrimPrefix(strings.ToUpper(o), "("), mark(i))
		if !found || len(rest) < 2 || !strings.ContainsRune(").:", rune(rest[0])) {
			return false
		}
		if rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' { // 1.5 is a number
			return false
		}
	}
	return true
}

// code is what is left where UTF-8 was read as Latin-1, or a text was taken from a web page.
var code = regexp.MustCompile(`[ÂÃ][\x{80}-\x{BF}]|â€.|&(?:amp|lt|gt|quot|nbsp|#x?[0-9a-fA-F]+);`)

func hasCode(q Question) (string, bool) {
	for _, text := range append([]string{q.Text, q.Context}, q.Options...) {
		if found := code.FindString(text); found != "" {
			return found, true
		}
	}
	return "", false
}

// hasFiller returns the last option if it is what programs write where there is none.
func hasFiller(q Question) (string, bool) {
	if !q.hasOptions() || len(q.Options) == 0 {
		return "", false
	}
	last := q.Options[len(q.Options)-1]
	return last, slices.Contains([]string{"n/a", "nan", "<na>", "null", "-"}, strings.ToLower(last))
}

func hasOptionTwice(q Question) (string, bool) {
	for i, o := range q.Options {
		if q.hasOptions() && slices.Contains(q.Options[:i], o) {
			return o, true
		}
	}
	return "", false
}

// joinsAnswers returns a right answer that looks like several with semicolons or bars between them.
func joinsAnswers(q Question) (string, bool) {
	if len(q.Gold) != 1 || q.Kind != Text && q.Kind != Span {
		return "", false
	}
	return q.Gold[0], strings.Contains(q.Gold[0], "; ") || strings.Contains(strings.Trim(q.Gold[0], "|"), "|")
}

func (e *QA) optionsText(cols records.Columns) string {
	switch {
	case len(e.params.Choices) > 0:
		return "the same for all (choices)"
	case e.params.OptionsAfter != "":
		return fmt.Sprintf("what follows %q in %s", e.params.OptionsAfter, cols.Question)
	}
	return cols.Options.String()
}

func (e *QA) answerText(cols records.Columns) string {
	text := cols.Answer.String()
	if text == "" {
		return "none"
	}
	if e.params.AnswerAfter != "" {
		text += fmt.Sprintf(" after %q", e.params.AnswerAfter)
	}
	if e.params.AnswerIs != records.Any {
		text += fmt.Sprintf(" (%s)", e.params.AnswerIs)
	}
	var kinds []string
	for _, kind := range allKinds() {
		for _, q := range e.questions {
			if q.Kind == kind {
				kinds = append(kinds, string(kind))
				break
			}
		}
	}
	return text + ", of the kind " + strings.Join(kinds, " or ")
}

// leastForPlace is how many right answers must all be in one place to be no accident.
const leastForPlace = 3

// countKeys counts where among the options the right ones are.
func (e *QA) countKeys(seed uint64, s *envs.Survey) {
	var counts [mostOptions]int
	most, all := 0, 0
	for _, q := range e.questions {
		if !q.hasOptions() {
			continue
		}
		all++
		most = max(most, len(q.Options))
		for _, gold := range q.withShuffledOptions(seed).Gold {
			for _, c := range gold {
				if i := int(c - 'A'); i >= 0 && i < mostOptions {
					counts[i]++
				}
			}
		}
	}
	places := 0
	for i := range most {
		if counts[i] > 0 {
			places++
		}
		s.Keys = append(s.Keys, envs.Fact{Name: "(" + letterOf(i) + ")", Text: strconv.Itoa(counts[i])})
	}
	for i, n := range counts {
		if places == 1 && n >= leastForPlace && n == all {
			s.Warnings = append(s.Warnings,
				fmt.Sprintf("the right answer is always option (%s), which agents can learn from examples and from "+
					"each other; write shuffle: options under env to deal the options by the seed", letterOf(i)))
		}
	}
}

// hidesOptions reports whether a question without options has them in its text, and one of
// their letters as its key.
func hidesOptions(q Question) bool {
	return len(q.Options) == 0 && len(q.Gold) == 1 && letterKey.MatchString(q.Gold[0]) &&
		optionLines.MatchString(q.Text)
}

var (
	letterKey   = regexp.MustCompile(`^\(?[A-Z]\)?$`)
	optionLines = regexp.MustCompile(`(?s)\s\(?A[).:] .*\s\(?B[).:] `)
)
