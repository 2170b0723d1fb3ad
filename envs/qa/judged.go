package qa

import (
	"roundtable/envs"
	"roundtable/envs/qa/scoring"
)

// JudgeCase returns what the model of score: {judge: …} is shown of a final answer;
// nil if something else scores it.
func (in *Instance) JudgeCase(p envs.Proposal) *envs.JudgeCase {
	if in.scoring().Name != scoring.ByJudge {
		return nil
	}
	answer := proposalText(p)
	c := &envs.JudgeCase{Question: in.q.Text, Context: in.q.Context, Answer: in.q.withOption(answer), ID: in.q.ID, About: in.about(answer)}
	for i, option := range in.q.Options {
		c.Options = append(c.Options, "("+string(rune('A'+i))+") "+option)
	}
	for _, key := range in.acceptedAnswers() {
		c.References = append(c.References, in.q.withOption(key))
	}
	return c
}

// withOption returns an answer in canonical form with the text of its option, if it
// is one.
func (q Question) withOption(answer string) string {
	if q.Kind == Choice && len(answer) == 3 && int(answer[1])-'A' < len(q.Options) {
		return answer + " " + q.Options[answer[1]-'A']
	}
	return answer
}
