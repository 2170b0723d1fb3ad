package recsys

import (
	"cmp"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Observation is what an agent knows at the start. Exactly one of Basic,
// Movie and User is set; Target and Access are the same for everybody.
type Observation struct {
	Target string   // title of the movie to be rated
	Access []Access // who can look into which tables
	Agent  string
	Basic  *BasicInfo
	Movie  *MovieHistory
	User   *UserHistory
}

// Access says which tables only this agent can look into.
type Access struct {
	Agent  string
	Holds  string // what its tables are about
	Tables []Schema
}

// Schema is a table's name and columns.
type Schema struct {
	Name    string
	Columns []string
}

// BasicInfo is the movie to be rated and the user who rates it.
type BasicInfo struct {
	Movie Movie
	User  User
}

// MovieHistory is what other users gave to the movie, the most similar user first.
type MovieHistory struct {
	Rows  []Viewer
	Total int // rows that there are, shown or not
}

// UserHistory is what the user gave to other movies, by movie id.
type UserHistory struct {
	Rows  []Viewed
	Total int // rows that there are, shown or not
}

// Movie is a row of u.item.
type Movie struct {
	ID       int
	Title    string // without the year
	Genres   []string
	Released string // yyyymmdd, empty if unknown
}

// User is a row of u.user.
type User struct {
	ID, Age            int
	Gender, Occupation string
	State              string // derived from the zip code, "other" outside the USA
}

// Viewer is a user who rated the movie.
type Viewer struct {
	User
	Similarity float64 // of tastes to the target user's, from 0 to 1, two decimals
	Average    float64 // of all the user's ratings, two decimals
	Rated      string  // yyyymmdd, UTC
	Rating     int
}

// Viewed is a movie that the user rated.
type Viewed struct {
	Movie
	Rated  string // yyyymmdd, UTC
	Rating int
}

// newAccess is built again for each observation, so that none shares a list that could be changed.
func newAccess() []Access {
	a := newAgents()
	return []Access{
		basicInfo: {a[basicInfo].Name, "the target movie and the target user themselves", []Schema{
			{"movie_info", []string{"movie_id", "movie_title", "release_date", "genre"}},
			{"user_info", []string{"user_id", "age", "gender", "occupation", "state"}}}},
		movieHistory: {a[movieHistory].Name, "the ratings that other users gave to the target movie", []Schema{
			{"movie_rating_history", []string{"user_id", "user_pref_similarity", "personal_average_score", "age",
				"gender", "occupation", "state", "rated_date", "rating"}}}},
		userHistory: {a[userHistory].Name, "the ratings that the target user gave to other movies", []Schema{
			{"user_rating_history", []string{"movie_id", "movie_title", "genre", "release_date", "rating",
				"rated_date"}}}},
	}
}

func (m *MovieLens) observationOf(agent, user, movie int) Observation {
	o := Observation{Target: m.data.movies[movie].Title, Access: newAccess(), Agent: newAgents()[agent].Name}
	switch agent {
	case basicInfo:
		o.Basic = &BasicInfo{m.data.movies[movie], m.data.users[user]}
	case movieHistory:
		o.Movie = m.viewersOf(user, movie)
	case userHistory:
		o.User = m.moviesOf(user, movie)
	}
	return o
}

// viewersOf sorts by similarity, ties by user id, and keeps the first.
func (m *MovieLens) viewersOf(user, movie int) *MovieHistory {
	type near struct {
		rating
		similarity float64
	}
	var list []near
	for _, r := range m.data.byMovie[movie] {
		if r.user != user {
			// Rounded, so that a last bit never orders users.
			list = append(list, near{r, roundTo(m.tastes().cosineOf(user, r.user), 1e6)})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), a.user-b.user)
	})
	h := &MovieHistory{Total: len(list)}
	for _, r := range list[:m.rowsShown(len(list))] {
		h.Rows = append(h.Rows, Viewer{m.data.users[r.user], roundTo(r.similarity, 100),
			roundTo(m.means.user[r.user], 100), dateOf(r.at), r.stars})
	}
	return h
}

// moviesOf keeps the movies rated last (ties by movie id) and sorts by movie id, as the paper's table does.
func (m *MovieLens) moviesOf(user, movie int) *UserHistory {
	list := slices.DeleteFunc(slices.Clone(m.data.byUser[user]), func(r rating) bool { return r.movie == movie })
	h := &UserHistory{Total: len(list)}
	slices.SortFunc(list, func(a, b rating) int { return cmp.Or(cmp.Compare(b.at, a.at), a.movie-b.movie) })
	list = list[:m.rowsShown(len(list))]
	slices.SortFunc(list, func(a, b rating) int { return a.movie - b.movie })
	for _, r := range list {
		h.Rows = append(h.Rows, Viewed{m.data.movies[r.movie], dateOf(r.at), r.stars})
	}
	return h
}

func (m *MovieLens) rowsShown(rows int) int {
	if m.params.History == 0 {
		return rows
	}
	return min(rows, m.params.History)
}

func roundTo(v, scale float64) float64 { return math.Round(v*scale) / scale }

//workflowcheck:ignore UTC() takes the zone of the machine away at once
func dateOf(unix int64) string { return time.Unix(unix, 0).UTC().Format("20060102") }

// Table is a table as the background prompt shows it.
type Table struct {
	Schema
	Text         string // comma-separated lines, the columns' names first
	Shown, Total int
	Choice       string // which rows are shown if not all are
}

// Tables returns the agent's own tables.
func (o Observation) Tables() []Table {
	switch {
	case o.Basic != nil:
		a := o.Access[basicInfo]
		return []Table{
			{a.Tables[0], renderTable(a.Tables[0], [][]string{o.Basic.Movie.fields()}), 1, 1, ""},
			{a.Tables[1], renderTable(a.Tables[1], [][]string{o.Basic.User.fields()}), 1, 1, ""},
		}
	case o.Movie != nil:
		a := o.Access[movieHistory]
		return []Table{{a.Tables[0], renderTable(a.Tables[0], fieldsOf(o.Movie.Rows)), len(o.Movie.Rows), o.Movie.Total,
			"those of the users with the most similar taste"}}
	case o.User != nil:
		a := o.Access[userHistory]
		return []Table{{a.Tables[0], renderTable(a.Tables[0], fieldsOf(o.User.Rows)), len(o.User.Rows), o.User.Total,
			"the movies rated last"}}
	}
	return nil
}

func fieldsOf[R interface{ fields() []string }](rows []R) [][]string {
	list := make([][]string, len(rows))
	for i, r := range rows {
		list[i] = r.fields()
	}
	return list
}

func renderTable(s Schema, rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	// Writing to memory cannot fail.
	_ = w.Write(s.Columns)
	_ = w.WriteAll(rows)
	return strings.TrimSuffix(b.String(), "\n")
}

func (m Movie) fields() []string {
	return []string{strconv.Itoa(m.ID), m.Title, m.releaseYear(), m.genreText()}
}

func (m Movie) genreText() string { return strings.Join(m.Genres, "|") }

func (m Movie) releaseYear() string {
	if m.Released == "" {
		return "unknown"
	}
	return m.Released
}

func (u User) fields() []string {
	return []string{strconv.Itoa(u.ID), strconv.Itoa(u.Age), u.Gender, u.Occupation, u.State}
}

func (v Viewer) fields() []string {
	id, rest := v.User.fields()[:1], v.User.fields()[1:]
	return slices.Concat(id, []string{twoDecimals(v.Similarity), twoDecimals(v.Average)}, rest,
		[]string{v.Rated, strconv.Itoa(v.Rating)})
}

func (v Viewed) fields() []string {
	return []string{strconv.Itoa(v.ID), v.Title, v.genreText(), v.releaseYear(), strconv.Itoa(v.Rating), v.Rated}
}

func twoDecimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
