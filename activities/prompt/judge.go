package prompt

// Rubric is what a judge is told to score a decision by.
type Rubric struct {
	Rubric    string
	Low, High float64 // of the scale
}

// JudgeTemplate is the path of a judge's template in a pack.
const JudgeTemplate = "score/judge.tmpl"

// RenderJudge returns the text that a judge reads in every question.
func (t *Templates) RenderJudge(r Rubric) (string, error) { return t.executeTemplate(JudgeTemplate, r) }
