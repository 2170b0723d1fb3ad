package scripted

import (
	"encoding/json"
	"fmt"

	"roundtable/activities/model"
	"roundtable/envs"
)

// writeReply returns a message of a discussion: it agrees with the draft if its answer is
// the agent's own, and otherwise tells that.
func (a agent) writeReply(d draws, s model.Scene) ([]byte, error) {
	own, err := a.writeSolution(d, s)
	if err != nil || len(s.Candidates) == 0 || s.Problem == nil {
		return own, err
	}
	if answer, err := readProposal(s.Problem, a, d, s.Situation); err == nil && answer == s.Candidates[0] {
		return append([]byte("[AGREE] "), own...), nil
	}
	return append([]byte("[DISAGREE] "), own...), nil
}

// readProposal returns the agent's proposal in canonical form.
func readProposal(in envs.Instance, a agent, d draws, sit envs.Situation) (envs.Proposal, error) {
	sit.Rand = d.newStream("proposal")
	proposal, ok := a.policy.Propose(sit)
	if !ok {
		return "", fmt.Errorf("it proposes nothing")
	}
	var words string
	if answering, is := in.(envs.Answering); is && json.Unmarshal([]byte(proposal), &words) == nil {
		p, _, err := answering.Answer(words, false)
		return p, err
	}
	return in.Parse([]byte(proposal))
}

// writePersona returns a persona with the number of those written before it.
func (a agent) writePersona(_ draws, s model.Scene) ([]byte, error) {
	n := len(s.Situation.Notes)
	return json.Marshal(map[string]string{
		"role":        fmt.Sprint("Expert ", n+1),
		"description": fmt.Sprintf("Looks at the question from the side that is number %d.", n+1),
	})
}
