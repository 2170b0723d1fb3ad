package prompt

// Rubric is what a judge is told besides a decision.
type Rubric struct {
	Rubric    string
	Low, High float64 // of the scale
}

// JudgeTemplate is where a pack has the words for a judge.
const JudgeTemplate = "score/judge.tmpl"

// RenderJudge renders what a judge is told throughout.
func (t *Templates) RenderJudge(r Rubric) (string, error) { return t.execute(JudgeTemplate, r) }
