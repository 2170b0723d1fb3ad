package recsys

import (
	"strings"
	"testing"
	"text/template"
)

func background(t *testing.T, m *MovieLens, agent, user, movie int) string {
	t.Helper()
	tmpl, err := template.ParseFS(m.Prompts(), "background.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := tmpl.Execute(&b, m.observationOf(agent, user-1, movie-1)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBackgrounds(t *testing.T) {
	m := tiny(t)
	cases := []struct {
		agent, user, movie int
		want               []string
	}{
		{basicInfo, 10, 4, []string{"\nmovie_id,movie_title,release_date,genre\n4,\"Cartographer, The Amber\",19970801,Action|Comedy\n", "\n10,61,F,nurse,TX\n"}},
		{basicInfo, 10, 31, []string{"\n31,Velvet Parade,unknown,unknown\n"}},
		{movieHistory, 12, 40, []string{"## movie_rating_history\nThis table is empty", "\nuser_id,user_pref_similarity,personal_average_score,age,gender,occupation,state,rated_date,rating\n"}},
		{movieHistory, 12, 1, []string{"rows. 8 of them are shown, those of the users with the most similar taste.\nuser_id,"}},
		{userHistory, 10, 34, []string{"The table has 19 rows. 8 of them are shown, the movies rated last.\nmovie_id,movie_title,genre,release_date,rating,rated_date\n"}},
	}
	for _, c := range cases {
		got := background(t, m, c.agent, c.user, c.movie)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("agent %d is not told %q but\n%s", c.agent, want, got)
			}
		}
		if lines := strings.Count(got[strings.LastIndex(got, "##"):], "\n"); lines > 4+m.params.History {
			t.Errorf("agent %d is told %d lines", c.agent, lines)
		}
	}
	m.params.History = 0
	if got := background(t, m, userHistory, 10, 34); !strings.Contains(got, "The table has 19 rows.\nmovie_id,") {
		t.Errorf("all rows are shown, yet the prompt says\n%s", got)
	}
}
