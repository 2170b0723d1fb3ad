package qa

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"roundtable/envs/qa/records"
	"roundtable/envs/qa/scoring"
	"roundtable/envs/wording"
)

const maxErrors = 20

// mappedKinds have prompts of their own.
var mappedKinds = []Kind{Number, Text, Several, Open}

// source is where questions come from, for readers of the plan.
type source struct {
	files   []string
	columns records.Columns // as they were found in the first file
	unused  []string        // columns
	notes   []string
}

// readFiles gives the questions of all files that the pattern names, in the order of
// their names; every faulty question is reported with its file, line and column.
func readFiles(p Params, files fs.FS) ([]Question, source, error) {
	names, err := fileNames(p, files)
	if err != nil {
		return nil, source{}, err
	}
	from := source{files: names}
	var all []Question
	var errs []error
	seen, skipped := map[string]bool{}, map[string]bool{}
	doubled := 0
	for _, name := range names {
		data, err := readWhole(files, name)
		if err != nil {
			return nil, from, err
		}
		questions, table, cols, err := p.readFile(name, data)
		if err != nil {
			return nil, from, eachIn(fmt.Sprintf("%s, read as %s", name, p.Format), err)
		}
		from.add(table, cols, len(questions) > 0)
		table.Records = nil // the questions have what is needed of them
		stem := records.Stem(name)
		if all == nil { // the questions of the first file stay where they are
			all = questions[:0]
		}
		for i, q := range questions {
			own := strings.TrimSpace(q.ID)
			if own == "" {
				own = fmt.Sprintf("%s-%d", stem, i)
			}
			if q.ID = plainID(own); seen[q.ID] {
				doubled++
			}
			for n := i; seen[q.ID]; n++ {
				q.ID = fmt.Sprintf("%s-%d", plainID(own), n)
			}
			seen[q.ID] = true
			if slices.Contains(p.Skip, own) || slices.Contains(p.Skip, q.ID) {
				skipped[own], skipped[q.ID] = true, true
				continue
			}
			q.place = name + ", " + table.Place(records.Record{At: q.at})
			if f := (partError{}); errors.As(p.checkQuestion(q), &f) && len(errs) < maxErrors {
				errs = append(errs, fmt.Errorf("%s, %s (question %s): %w", q.place, columnOf(f.part, cols),
					q.ID, f.error))
			}
			all = append(all, q)
		}
	}
	for _, id := range p.Skip {
		if !skipped[id] {
			var ids []string
			for _, q := range all {
				ids = append(ids, q.ID)
			}
			errs = append(errs, fmt.Errorf("skip names %q; there is no such question%s", id,
				wording.DidYouMean(id, ids)))
		}
	}
	if doubled > 0 {
		from.notes = append(from.notes, wording.Count(doubled, "question")+
			" with an id that another one has; it is told apart by a number after it")
	}
	if len(p.Skip) > 0 {
		from.notes = append(from.notes, wording.Count(len(p.Skip), "question")+" left out (skip)")
	}
	if len(all) == 0 {
		return nil, from, fmt.Errorf("%s holds no questions", p.File)
	}
	return all, from, errors.Join(errs...)
}

// add takes over what is to be said of a file.
func (s *source) add(t records.Table, cols records.Columns, some bool) {
	if s.columns.Question == "" && some {
		s.columns = cols
	}
	for _, column := range cols.Unused(t.Columns) {
		if some && !slices.Contains(s.unused, column) {
			s.unused = append(s.unused, column)
		}
	}
	for _, note := range t.Notes {
		if !slices.Contains(s.notes, note) {
			s.notes = append(s.notes, note)
		}
	}
}

// fileNames returns the files that hold the questions.
func fileNames(p Params, files fs.FS) ([]string, error) {
	if p.Format == "hf" {
		return records.Folder(files, p.File, p.Config, p.Split)
	}
	if !strings.ContainsAny(p.File, `*?[\`) {
		if info, err := fs.Stat(files, p.File); err == nil && !info.IsDir() {
			return []string{p.File}, nil
		} else if err == nil {
			return nil, fmt.Errorf("file is %q, which is a folder; write %q, or format: hf for a folder of the "+
				"Hugging Face hub", p.File, p.File+"/*")
		}
	}
	all, err := listAll(files)
	if err != nil {
		return nil, err
	}
	names, err := records.Match(all, path.Clean(p.File))
	if err != nil {
		return nil, fmt.Errorf("file is %q, which is not a pattern: %w", p.File, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("file %q is not in the folder that data: names%s", p.File, nearestFile(p.File, all))
	}
	return names, nil
}

// mostRead is how large a file may be: rows take some 25 times as much memory.
const mostRead = 4 << 30

func checkSize(files fs.FS, name string) error {
	if info, err := fs.Stat(files, name); err == nil && info.Size() > mostRead {
		return fmt.Errorf("%s has %d MB; at most %d are read: take a part of it", name,
			info.Size()>>20, mostRead>>20)
	}
	return nil
}

// readWhole reads a file of questions, or says what keeps it from being read.
func readWhole(files fs.FS, name string) ([]byte, error) {
	if err := checkSize(files, name); err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(files, name)
	hint := ""
	switch {
	case err == nil:
		return data, nil
	case !utf8.ValidString(name):
		hint = "; its name is not UTF-8: rename it"
	case errors.Is(err, fs.ErrNotExist):
		hint = "; it is a link to a file that is not there"
	case strings.Contains(err.Error(), "path escapes"):
		hint = "; it is a link that leads out of the folder that data: names: " +
			"name a folder that holds both, or copy the file itself (cp -L)"
	}
	return nil, fmt.Errorf("file is %q, which cannot be read: %w%s", name, err, hint)
}

// readOther reads a file of something else than questions, which a key names.
func readOther(files fs.FS, key, name string) ([]byte, error) {
	if err := checkSize(files, name); err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(files, name)
	if err == nil {
		return data, nil
	}
	hint := ""
	if all, listed := listAll(files); listed == nil && errors.Is(err, fs.ErrNotExist) {
		hint = nearestFile(name, all)
	}
	return nil, fmt.Errorf("%s is %q, which cannot be read: %w%s", key, name, err, hint)
}

// nearestFile returns the file that may be meant by a name: one that is spelt nearly so, or with
// the same name in another folder; "" if there is none.
func nearestFile(name string, all []string) string {
	for _, one := range all {
		if strings.EqualFold(path.Base(one), path.Base(name)) {
			return "; did you mean " + one + "?"
		}
	}
	hint := wording.DidYouMean(name, all)
	for _, one := range all { // two spellings of é look alike
		if written := strconv.QuoteToASCII(one); hint == "; did you mean "+one+"?" && len(written) > len(one)+2 {
			hint += " (with its accents written out: " + written + ")"
		}
	}
	return hint
}

// mostListed is how many files of the folder are looked at for a pattern or a name.
const mostListed = 100_000

func listAll(files fs.FS) (all []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			return nil // what cannot be read is not looked for
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(path.Base(name), "."):
			return fs.SkipDir
		case len(all) >= mostListed:
			return fs.SkipAll
		case !d.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all, err
}

// readFile reads the rows of one file as questions.
func (p Params) readFile(name string, data []byte) ([]Question, records.Table, records.Columns, error) {
	table, err := records.Read(name, data, records.Options{Form: p.form, Rows: p.Rows, Header: p.Header})
	if err != nil || len(table.Records) == 0 {
		return nil, table, records.Columns{}, err
	}
	named := p.Columns
	if !p.isOwn() && !slices.Contains(table.Columns, named.ID) { // copies leave it out
		named.ID = ""
	}
	cols, err := named.For(table)
	if p.isOwn() && err == nil {
		given := p.Columns
		if len(p.Choices) > 0 || p.OptionsAfter != "" {
			given.Options = records.Names{}
		}
		err = cols.Doubts(table, given, p.Kind != Open)
	}
	if err != nil {
		return nil, table, cols, err
	}
	all := make([]Question, 0, len(table.Records))
	for _, r := range table.Records {
		q := p.makeQuestion(cols, r)
		if table.Semicolons && q.bad == nil && (p.Kind == Number || p.Kind == Integer) {
			q.bad = checkComma(q.Gold)
		}
		q.at = r.At
		all = append(all, q)
	}
	if p.Kind == "" {
		err = askForKind(all, table)
	}
	return all, table, cols, err
}

// checkComma refuses numbers as 2,500 in a file with semicolons, whose commas may be those of decimals.
func checkComma(golds []string) error {
	for _, gold := range golds {
		if thousands.MatchString(gold) {
			return errorIn(itsAnswer, "the right answer %q can be %s or %s, as cells are divided by semicolons; "+
				"write it without a comma", gold, strings.ReplaceAll(gold, ",", ""), strings.Replace(gold, ",", ".", 1))
		}
	}
	return nil
}

var thousands = regexp.MustCompile(`^\s*[+-]?\d{1,3},\d{3}\s*$`)

// askForKind refuses questions without options of which nobody said how they are answered.
func askForKind(all []Question, table records.Table) error {
	lacksOptions := func(q Question) bool { return len(q.Options) == 0 && q.bad == nil }
	first := slices.IndexFunc(all, lacksOptions)
	if first < 0 {
		return nil
	}
	if slices.ContainsFunc(all, func(q Question) bool { return len(q.Options) > 0 }) {
		return fmt.Errorf("%s has no options, and others have; give it some, or say how such questions are answered, "+
			"as kind: %s", table.Place(records.Record{At: all[first].at}), wording.Or([]Kind{YesNo, Integer, Text}))
	}
	hint := ""
	for _, kind := range []Kind{YesNo, Integer, Number, Text} {
		if !slices.ContainsFunc(all, func(q Question) bool {
			q.Kind = kind
			return lacksOptions(q) && q.check() != nil
		}) {
			hint = fmt.Sprintf(" (all right answers can be read as kind: %s)", kind)
			break
		}
	}
	return fmt.Errorf("there are no options, so the kind of the answers is needed: kind: %s%s",
		wording.Or([]Kind{Integer, Number, YesNo, Text, Open, Math, Span}), hint)
}

// columnOf returns the column that holds a part of a question.
func columnOf(part string, cols records.Columns) string {
	name := part
	switch part {
	case itsText:
		name = cols.Question
	case itsOptions:
		name = cols.Options.String()
	case itsAnswer:
		name = cols.Answer.String()
	}
	if name == "" {
		return part
	}
	return name
}

// makeQuestion makes a question of a row.
func (p Params) makeQuestion(cols records.Columns, r records.Record) Question {
	row, err := cols.Read(r.Fields)
	q := Question{ID: row.ID, Kind: p.Kind, Text: strings.TrimSpace(row.Question), Context: row.Context,
		solution: row.Solution, shuffle: p.Shuffle != ""}
	if name := p.Score.Name; name == scoring.ByExpression || name == scoring.ByCommand {
		q.fields, _ = records.Plain(r.Fields).(map[string]any)
	}
	if err == nil && p.OptionsAfter != "" {
		err = p.splitOptions(&q, &row)
	}
	if err == nil && p.AnswerAfter != "" {
		if row, err = row.FromMarker(p.AnswerAfter); err != nil {
			err = partError{itsAnswer, err}
		}
	}
	if len(p.Choices) > 0 && err == nil {
		if len(row.Options) > 0 {
			err = errorIn("choices", "the row has options of its own")
		}
		row.Options = p.Choices
	}
	for i := range row.Options {
		q.Options = append(q.Options, strings.TrimSpace(row.Options[i]))
	}
	row.Options = q.Options
	if column := (records.ColumnError{}); errors.As(err, &column) {
		q.bad = partError{column.Column, column.Err}
	} else if err != nil {
		q.bad = err
	}
	switch {
	case q.bad != nil:
	case len(q.Options) == 0:
		if q.Gold, err = row.Golds(); err != nil {
			q.bad = partError{itsAnswer, err}
		} else if impossible, said := r.Fields["is_impossible"].(bool); said && q.Kind == Span &&
			impossible != (len(q.Gold) == 0) {
			q.bad = errorIn(itsAnswer, "is_impossible is %v, and there are %s", impossible,
				wording.Count(len(q.Gold), "answer"))
		}
	default:
		if q.Kind != Several {
			q.Kind = Choice
		}
		if len(q.Options) <= mostOptions {
			q.setRight(row, p.AnswerIs)
		}
	}
	return q
}

// setRight finds the right options.
func (q *Question) setRight(row records.Row, as records.Reading) {
	right, err := row.RightOptions(as, q.Kind == Several)
	if err != nil {
		q.bad = partError{itsAnswer, err}
		return
	}
	for _, i := range right {
		q.Gold = append(q.Gold, letterOf(i))
	}
	if q.Kind == Several && len(right) > 0 {
		q.Gold = []string{"(" + strings.Join(q.Gold, ")(") + ")"}
	}
}

// splitOptions takes the options out of the text of a question: what follows a line, one a
// line, as "(A) …", "A. …" or "- …". A question without that line has none.
func (p Params) splitOptions(q *Question, row *records.Row) error {
	text, list, found := strings.Cut(q.Text, "\n"+p.OptionsAfter+"\n")
	if !found {
		if p.Kind == "" {
			return errorIn(itsOptions, "there is no line %q; say how questions without options are answered, as kind: %s", p.OptionsAfter, wording.Or([]Kind{YesNo, Integer, Text}))
		}
		return nil
	}
	q.Text = strings.TrimSpace(text)
	for n, line := range strings.Split(strings.TrimSpace(list), "\n") {
		option, ok := line, false
		for _, begins := range []string{"(" + letterOf(n) + ") ", letterOf(n) + ") ", letterOf(n) + ". ", "- "} {
			if option, ok = strings.CutPrefix(line, begins); ok {
				break
			}
		}
		if !ok {
			return errorIn(itsOptions, "option %d is %.40q; (%s) and a text are expected", n+1, line, letterOf(n))
		}
		row.Options = append(row.Options, option)
	}
	return nil
}

// checkQuestion returns what keeps a question from being asked and its answers
// from being scored, as a partError.
func (p Params) checkQuestion(q Question) error {
	if err := q.check(); err != nil {
		return err
	}
	return p.checkScore(q)
}

// eachIn puts where they are before every one of several errors.
func eachIn(where string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", where, err)
	}
	var errs []error
	for _, one := range joined.Unwrap() {
		errs = append(errs, eachIn(where, one))
	}
	return errors.Join(errs...)
}

// plainID returns an identifier that needs no quoting in tables and shells, in the letters of
// its own language.
func plainID(id string) string {
	id = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, id)
	if id = strings.TrimLeft(id, "-._"); id == "" {
		return "q"
	}
	return id
}
