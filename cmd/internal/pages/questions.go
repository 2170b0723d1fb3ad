package pages

import (
	"errors"
	"net/http"
	"strings"

	"roundtable/activities/people"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
)

// questions are the body of the page on which persons answer.
type questions struct {
	Open []question
}

// question is what one person is asked.
type question struct {
	ID, Title string
	Said      []turnText
	JSON      bool // the answer must be the JSON object that is asked for
}

// turnText is a message of the chat that a person is in.
type turnText struct{ From, Text string }

// fromWhom names the roles of a chat to the one who answers.
var fromWhom = map[string]string{"system": "Who you are", "user": "Asked", "assistant": "Your answer before"}

// questionsPage shows the questions of a campaign that wait for a person.
func (v *Server) questionsPage(w http.ResponseWriter, r *http.Request) error {
	c, err := v.shownOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	open, err := people.Open(r.Context(), v.store, c.plan.Name)
	if err != nil {
		return err
	}
	var body questions
	for _, q := range open {
		one := question{ID: q.ID, Title: runs.QuestionTitle(q), JSON: len(q.Schema) > 0}
		for _, m := range q.Messages {
			one.Said = append(one.Said, turnText{fromWhom[m.Role], wording.SafeLines(m.Content)})
		}
		body.Open = append(body.Open, one)
	}
	p := v.newPage("Questions", step{c.plan.Name, "/" + v.token + "/c/" + c.plan.Name + "/"})
	p.Campaign, p.Body = c.plan.Name, body
	return v.render(w, "questions.tmpl", p)
}

// answer stores a person's answer.
func (v *Server) answer(w http.ResponseWriter, r *http.Request) error {
	c, err := v.shownOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, 2*people.MaxAnswer)
	text := strings.ReplaceAll(r.FormValue("text"), "\r\n", "\n")
	err = people.Answer(r.Context(), v.store, c.plan.Name, r.PathValue("id"), text)
	switch {
	case errors.Is(err, people.ErrAnswered):
		http.Error(w, err.Error(), http.StatusConflict)
		return nil
	case err != nil:
		return wrongInput{err}
	}
	return write(w, "The answer is stored.")
}
