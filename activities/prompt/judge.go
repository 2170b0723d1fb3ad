package prompt

// Rubric is what a judge reads next to a decision.
type Rubric struct {
	Rubric    string
	Low, High float64 // of the scale
}

// JudgeTemplate is where a pack has the words for a judge.
const JudgeTemplate = "score/judge.tmpl"

// RenderJudge renders what a judge reads in every question.
func (t *Templates) RenderJudge(r Rubric) (string, error) { return t.executeTemplate(JudgeTemplate, r) }
