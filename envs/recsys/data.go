package recsys

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// rating is one line of u1.base or u1.test. Users and movies are indices, one less than their ids.
type rating struct {
	user, movie, stars int
	at                 int64 // unix time
}

// dataset is the content of the files.
type dataset struct {
	genres  []string
	movies  []Movie
	users   []User
	base    []rating // by user, then movie
	test    []rating // in the file's order
	byUser  [][]rating
	byMovie [][]rating // by user
}

func readFiles(files fs.FS) (*dataset, error) {
	d := &dataset{}
	text := map[string][]byte{}
	var missing []error
	for _, f := range official {
		b, err := readFile(files, f.Name)
		text[f.Name], missing = b, append(missing, err)
	}
	if err := errors.Join(missing...); err != nil {
		return nil, err
	}
	if err := d.readGenres(text["u.genre"]); err != nil {
		return nil, err
	}
	if err := errors.Join(d.readMovies(text["u.item"]), d.readUsers(text["u.user"])); err != nil {
		return nil, err
	}
	known := map[[2]int]string{}
	if err := errors.Join(d.readRatings("u1.base", text["u1.base"], &d.base, known),
		d.readRatings("u1.test", text["u1.test"], &d.test, known)); err != nil {
		return nil, err
	}
	d.indexRatings()
	return d, nil
}

// maxFile bounds what is read from a wrong path; the largest official file has 1.6 MB.
const maxFile = 64 << 20

func readFile(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s has more than %d MB; it is not a file of MovieLens-100k", name, maxFile>>20)
	}
	return text, nil
}

// form is how the lines of a file look.
type form struct {
	name, separator string
	columns         []string
}

// maxErrors of one file are told; more would hide the first.
const maxErrors = 5

// eachRow hands every line's fields to row. Faults carry file and line.
func (f form) eachRow(text []byte, row func(n int, fields []string) error) error {
	lines := strings.Split(strings.TrimRight(decodeLatin1(text), "\r\n"), "\n")
	if lines[0] == "" {
		return fmt.Errorf("%s is empty; a line of it is %s", f.name, f)
	}
	var errs []error
	more := 0
	for i, line := range lines {
		switch err := f.parseRow(i+1, strings.TrimSuffix(line, "\r"), row); {
		case err == nil:
		case len(errs) == maxErrors:
			more++
		default:
			errs = append(errs, fmt.Errorf("%s:%d: %w", f.name, i+1, err))
		}
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("%s: and %d more lines with faults", f.name, more))
	}
	return errors.Join(errs...)
}

func (f form) parseRow(n int, line string, row func(n int, fields []string) error) error {
	fields := strings.Split(line, f.separator)
	if len(fields) != len(f.columns) {
		return fmt.Errorf("there are %d fields; a line of this file is %s", len(fields), f)
	}
	for i, v := range fields {
		if strings.ContainsFunc(v, unicode.IsControl) {
			return fmt.Errorf("%s is %s; control characters are not accepted", f.columns[i], quoteForeign(v))
		}
	}
	return row(n, fields)
}

func (f form) String() string {
	separator := f.separator
	if separator == "\t" {
		separator = "<TAB>"
	}
	if len(f.columns) > 8 {
		return fmt.Sprintf("%s and %d flags, separated by %s", strings.Join(f.columns[:5], separator),
			len(f.columns)-5, separator)
	}
	return strings.Join(f.columns, separator)
}

// decodeLatin1 decodes ISO-8859-1, the encoding of MovieLens-100k, in which every byte is a character.
func decodeLatin1(text []byte) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, c := range text {
		b.WriteRune(rune(c))
	}
	return b.String()
}

func (d *dataset) readGenres(text []byte) error {
	f := form{"u.genre", "|", []string{"name", "index"}}
	return f.eachRow(text, func(n int, v []string) error {
		known := slices.Contains(d.genres, v[0]) // fewer than n-1 after a faulty line
		d.genres = append(d.genres, v[0])
		if v[0] == "" || known {
			return fmt.Errorf("the name %s is empty or comes twice", quoteForeign(v[0]))
		}
		return checkCount("index", v[1], n-1)
	})
}

func (d *dataset) readMovies(text []byte) error {
	f := form{"u.item", "|", append([]string{"id", "title", "release date", "video release date", "URL"}, d.genres...)}
	return f.eachRow(text, func(n int, v []string) error {
		m := Movie{ID: n, Title: withoutYear(v[1])}
		released, err := parseDay(v[2])
		if err != nil {
			return err
		}
		m.Released = released
		for g, flag := range v[5:] {
			switch flag {
			case "0":
			case "1":
				m.Genres = append(m.Genres, d.genres[g])
			default:
				return fmt.Errorf("the flag of %s is %s; it is 0 or 1", d.genres[g], quoteForeign(flag))
			}
		}
		d.movies = append(d.movies, m)
		if m.Title == "" {
			return errors.New("the title is empty")
		}
		return checkCount("id", v[0], n)
	})
}

var year = regexp.MustCompile(` +\(\d{4}\)`)

// withoutYear takes the year out of a title, which the paper's tables do not show.
func withoutYear(title string) string {
	if at := year.FindAllStringIndex(title, -1); len(at) > 0 && at[len(at)-1][0] > 0 {
		last := at[len(at)-1]
		return title[:last[0]] + title[last[1]:]
	}
	return title
}

// parseDay turns 1-Jan-1995 into 19950101; an empty date stays empty.
func parseDay(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, err := time.Parse("2-Jan-2006", text)
	if err != nil {
		return "", fmt.Errorf("the release date is %s; it is empty or like 01-Jan-1995", quoteForeign(text))
	}
	return t.Format("20060102"), nil
}

func (d *dataset) readUsers(text []byte) error {
	f := form{"u.user", "|", []string{"id", "age", "gender", "occupation", "zip code"}}
	return f.eachRow(text, func(n int, v []string) error {
		age, err := parseWhole("age", v[1], 1, 150)
		d.users = append(d.users, User{ID: n, Age: age, Gender: v[2], Occupation: v[3], State: stateOf(v[4])})
		switch {
		case err != nil:
			return err
		case v[2] != "M" && v[2] != "F":
			return fmt.Errorf("gender is %s; it is M or F", quoteForeign(v[2]))
		case v[3] == "":
			return errors.New("the occupation is empty")
		}
		return checkCount("id", v[0], n)
	})
}

func (d *dataset) readRatings(name string, text []byte, list *[]rating, known map[[2]int]string) error {
	f := form{name, "\t", []string{"user", "item", "rating", "unix time"}}
	return f.eachRow(text, func(n int, v []string) error {
		user, err1 := parseWhole("user", v[0], 1, len(d.users))
		movie, err2 := parseWhole("item", v[1], 1, len(d.movies))
		stars, err3 := parseWhole("rating", v[2], 1, 5)
		at, err4 := parseWhole("unix time", v[3], 0, 1<<31-1)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		pair := [2]int{user, movie}
		if other := known[pair]; other != "" {
			return fmt.Errorf("user %d has already rated item %d in %s; a pair comes once in u1.base and u1.test together", user, movie, other)
		}
		known[pair] = name
		*list = append(*list, rating{user - 1, movie - 1, stars, int64(at)})
		return nil
	})
}

// indexRatings sorts the base ratings and groups them.
func (d *dataset) indexRatings() {
	slices.SortFunc(d.base, func(a, b rating) int { return cmp.Or(a.user-b.user, a.movie-b.movie) })
	d.byUser = make([][]rating, len(d.users))
	d.byMovie = make([][]rating, len(d.movies))
	for _, r := range d.base {
		d.byUser[r.user] = append(d.byUser[r.user], r)
		d.byMovie[r.movie] = append(d.byMovie[r.movie], r)
	}
}

func parseWhole(what, text string, low, high int) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil || v < low || v > high {
		return low, fmt.Errorf("%s is %s; it is a whole number from %d to %d", what, quoteForeign(text), low, high)
	}
	return v, nil
}

// checkCount checks a number that counts the lines.
func checkCount(what, text string, want int) error {
	if text != strconv.Itoa(want) {
		return fmt.Errorf("%s is %s; lines are numbered without gaps, so this is %d", what, quoteForeign(text), want)
	}
	return nil
}

// quoteForeign returns foreign text that can be shown: short and printable.
func quoteForeign(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}
