package records

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// Names that public files give the parts of a question, in lower case without spaces,
// hyphens and underscores.
var (
	questionNames = []string{"question", "problem", "prompt", "input", "query", "stem", "questionstem", "questiontext",
		"instruction", "goal", "sentence", "sentence1", "hypothesis", "ctx", "q"}
	answerNames = []string{"answer", "answers", "answerkey", "answeridx", "answerindex", "answerlabel", "answerletter",
		"correct", "correctanswer", "correctanswers", "correctoption", "correctidx",
		"correctindex", "bestanswer", "finalanswer", "rightanswer", "right", "gold", "goldlabel", "goldanswer",
		"goldanswers", "target", "targets", "key", "label", "labels", "cop", "groundtruth", "isright", "iscorrect",
		"finaldecision", "answernumber", "correctanswernum"}
	contextNames = []string{"context", "contexts", "passage", "paragraph", "paragraphs", "premise", "story", "article",
		"document", "documents", "background", "support", "narrative", "sharedinformation", "hiddeninformation",
		"body", "florespassage", "pretext", "posttext", "table", "dialogue", "dialog", "conversation", "scenario",
		"situation", "transcript", "abstract", "text", "sentence", "sentence1", "sentence2",
		"hint", "lecture", "backgrounddescription"}
	optionsNames = []string{"options", "choices", "endings", "candidates", "alternatives", "possibleanswers",
		"answerchoices", "answeroptions", "distractors", "incorrectanswers"}
	imageNames = []string{"image", "images", "img", "imagepath", "imageurl", "figure", "picture"}
	// pluralNames end the names of columns that hold all accepted answers.
	pluralNames = regexp.MustCompile(`(?i)(?:answers|aliases|golds|targets|references)$`)
	// wrongOption is a column that holds one of the wrong ones.
	wrongOption = regexp.MustCompile(`^(?:incorrect|wrong|distractor)`)
	// oneOption is a column that holds one of several options.
	oneOption = regexp.MustCompile(`^(?:[a-h]|(?:op|opt|option|choice|answer|mcanswer|ans|ending|sol|distractor|alternative|candidate|incorrectanswer|wronganswer|incorrect|wrong|correctanswer|rightanswer)(?:[a-h]|\d)?)$`)
)

func normalName(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer(" ", "", "_", "", "-", "")

// looksLike returns those of some columns whose names mean a part.
func looksLike(columns, names []string) (all []string) {
	for _, column := range columns {
		if slices.Contains(names, normalName(column)) {
			all = append(all, column)
		}
	}
	return all
}

// Doubts returns an error that names columns that are not read but look as if they should be:
// like options, another right answer, or a part in another spelling. c is what given.For(t)
// returned; needsAnswer says that questions must have a right answer.
func (c Columns) Doubts(t Table, given Columns, needsAnswer bool) error {
	unused := c.Unused(t.Columns)
	var errs []error
	if given.Options == nil && len(c.Options) == 0 {
		if list, key := c.keyedList(t, unused); list != "" {
			return fmt.Errorf("the column %s holds lists and %s a place in each, as options and their key do; "+
				"write columns: {options: %s, answer: %s}, or {options: []} if the questions have none", list,
				key, list, key)
		}
		if scored := scoredColumn(t, unused); scored != "" && len(c.Answer) == 0 {
			return fmt.Errorf("the column %s gives each option its score; write columns: {options: %s, answer: %s}, "+
				"with answer_is: mask", scored, scored, scored)
		}
		if like := c.optionsAmong(t, unused); len(like) > 0 {
			if len(like) > 1 && len(c.Answer) == 1 &&
				!slices.ContainsFunc(like, func(s string) bool { return !wrongOption.MatchString(normalName(s)) }) {
				like = append([]string{c.Answer[0]}, like...) // the right one stands apart
			}
			errs = append(errs, fmt.Errorf("%s like options that would not be asked; "+
				"write columns: {options: %s}, or {options: []} if the questions have none",
				DescribeColumns(like, "looks", "look"), YAMLOf(like)))
		}
	}
	if given.Answer == nil {
		like := looksLike(unused, answerNames)
		hint := ""
		for _, column := range like {
			if isMaskIn(t, column) {
				hint = ", with answer_is: mask where it has 0 or 1 for each option"
			}
		}
		switch {
		case len(c.Answer) > 0 && len(like) > 0:
			errs = append(errs, fmt.Errorf("the right answer can be in the columns %s; write which: columns: "+
				"{answer: %s}%s",
				wording.And(append([]string{c.Answer[0]}, like...)), c.Answer[0], hint))
		case len(c.Answer) == 0 && len(like) > 0 && needsAnswer:
			errs = append(errs, fmt.Errorf("there is no column \"answer\"; write columns: {answer: %s}%s",
				wording.Or(like), hint))
		case len(c.Answer) == 0 && needsAnswer:
			errs = append(errs, fmt.Errorf("there is no column \"answer\"; the file has %s%s", listOf(t.Columns),
				wording.DidYouMean("answer", t.Columns)))
		}
	}
	for _, is := range []struct{ part, given, used string }{
		{"id", given.ID, c.ID}, {"question", given.Question, c.Question},
		{"context", given.Context.String(), c.Context.String()}, {"solution", given.Solution, c.Solution},
	} {
		for _, column := range unused {
			if is.given == "" && is.used != "" && normalName(column) == is.part {
				errs = append(errs, fmt.Errorf("the file has %s and %s; write which: columns: {%s: %s}", is.used,
					column, is.part, is.used))
			}
		}
	}
	return errors.Join(errs...)
}

// Contexts returns those of the unused columns whose names suggest a context.
func Contexts(unused []string) []string { return looksLike(unused, contextNames) }

// DescribeColumns returns "the column a" with the verb one, or "the columns a and b" with the
// verb several.
func DescribeColumns(names []string, one, several string) string {
	if len(names) == 1 {
		return "the column " + names[0] + " " + one
	}
	return "the columns " + wording.And(names) + " " + several
}

// YAMLOf returns one name, or a list in brackets, as a campaign file writes them.
func YAMLOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// optionsAmong returns the columns that look like options: by name, or because they hold a
// list in which the answer of each row is one.
func (c Columns) optionsAmong(t Table, unused []string) []string {
	var lists, single []string
	for _, column := range unused {
		if name := normalName(column); oneOption.MatchString(name) && !slices.Contains(answerNames, name) ||
			slices.Contains([]string{"correctanswer", "rightanswer"}, name) {
			single = append(single, column)
		}
		if holdsOptions(t, column, c.Answer, slices.Contains(optionsNames, normalName(column))) {
			lists = append(lists, column)
		}
	}
	if len(lists) > 0 {
		return lists
	}
	if len(single) == 0 {
		single = c.numberedOptions(t, unused)
	}
	if others := looksLike(single, []string{"correctanswer", "rightanswer"}); len(single) > 1 &&
		len(single) > len(others) {
		return single
	}
	return nil
}

// inSeries is the name of one of several columns: its stem, and a digit or a letter.
var inSeries = regexp.MustCompile(`^(.*[^0-9])([0-9]|[a-h])$`)

// numberedOptions returns columns of one stem, as holding_0 and holding_1, which are options
// whatever the stem if the answer of each row is the place or the text of one.
func (c Columns) numberedOptions(t Table, unused []string) []string {
	if len(c.Answer) != 1 {
		return nil
	}
	groups := map[string][]string{}
	var stems []string
	for _, column := range unused {
		if m := inSeries.FindStringSubmatch(strings.ToLower(column)); m != nil {
			if groups[m[1]] == nil {
				stems = append(stems, m[1])
			}
			groups[m[1]] = append(groups[m[1]], column)
		}
	}
	used := slices.DeleteFunc(slices.Clone(t.Columns),
		func(column string) bool { return slices.Contains(unused, column) })
	for _, stem := range stems {
		group := groups[stem]
		if slices.ContainsFunc(used, func(column string) bool {
			m := inSeries.FindStringSubmatch(strings.ToLower(column))
			return m != nil && m[1] == stem
		}) {
			continue // parts of the question
		}
		if len(group) > 1 && !slices.ContainsFunc(t.Records, func(r Record) bool {
			texts, err := Columns{Options: group}.separateOptions(r.Fields)
			row := Row{Options: texts, Right: -1}
			_, isText := r.Fields[group[0]].(string)
			return err != nil || !isText || !row.canMean(Lookup(r.Fields, c.Answer[0]))
		}) {
			return group
		}
	}
	return nil
}

// scoredColumn returns the column that holds a mapping of two texts or more to 0 and 1 in each row.
func scoredColumn(t Table, unused []string) string {
	i := slices.IndexFunc(unused, func(column string) bool {
		return len(t.Records) > 0 && !slices.ContainsFunc(t.Records, func(r Record) bool {
			_, marks := Columns{Options: Names{column}, Answer: Names{column}}.scoredOptions(r.Fields)
			return !isMask(marks)
		})
	})
	if i < 0 {
		return ""
	}
	return unused[i]
}

// keyedList returns the column whose lists the values of another one of c.Answer or the unused
// columns lead into, row by row, and that other one: ReClor has its options in answers, and
// the key in label. Both are "" if there are none.
func (c Columns) keyedList(t Table, unused []string) (list, key string) {
	candidates := slices.Concat(c.Answer, looksLike(unused, answerNames))
	for _, list := range candidates {
		for _, key := range candidates {
			if key != list && len(t.Records) > 0 && !slices.ContainsFunc(t.Records, func(r Record) bool {
				options, isList := Lookup(r.Fields, list).([]any)
				n, isPlace := wholeNumber(Lookup(r.Fields, key))
				return !isList || len(options) < 2 || isMask(options) || !isPlace || n > len(options)
			}) {
				return list, key
			}
		}
	}
	return "", ""
}

// holdsOptions reports whether all rows of a column that have anything have two options or
// more, of which the answer is one, unless the column is named for options.
func holdsOptions(t Table, column string, answer Names, named bool) bool {
	some := false
	for _, r := range t.Records {
		v := r.Fields[column]
		if object, ok := v.(map[string]any); ok && object["choices"] != nil {
			v = object["choices"]
		}
		texts, labels, err := parseOptions(v)
		if err != nil || len(texts) == 1 {
			return false
		}
		if len(texts) == 0 {
			continue
		}
		some = true
		if named || len(answer) != 1 {
			continue
		}
		row := Row{Options: texts, Labels: labels, Right: -1}
		for _, one := range itemsOf(Lookup(r.Fields, answer[0])) {
			if !row.canMean(one) {
				return false
			}
		}
	}
	return some && (named || len(answer) == 1)
}

func itemsOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func isMaskIn(t Table, column string) bool {
	return len(t.Records) > 0 && isMask(itemsOf(t.Records[0].Fields[column]))
}
