package transcripts

import (
	"context"
	"errors"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/report"
)

// Asked returns how each turn of a collaboration was asked for, for a page. Next to an
// error is what can be shown.
func Asked(ctx context.Context, reader *collaboration.Reader, rows record.Rows) (map[int32]report.Asked, error) {
	of, all := rows.Collaborations[0].Key, map[int32]report.Asked{}
	for _, call := range rows.Calls {
		a := all[call.Entry]
		a.Calls = append(a.Calls, call)
		all[call.Entry] = a
	}
	rendered, err := reader.Prompts(ctx, of)
	asked := rendered
	if err != nil { // answers without the prompts
		rest, lost := reader.Answers(ctx, of)
		asked, err = append(asked, rest[min(len(rendered), len(rest)):]...), errors.Join(err, lost)
	}
	for _, turn := range asked {
		a := all[int32(turn.Entry)]
		for _, m := range turn.Prompt {
			a.Prompt = append(a.Prompt, report.Message{Role: m.Role, Content: m.Content})
		}
		if turn.Prompt != nil && !turn.Same() {
			a.Differs = turn.Recorded
		}
		for _, answer := range turn.Asks {
			a.Answers = append(a.Answers, report.Answer{Ask: answer.Ask, Fault: answer.Fault, Raw: answer.Text()})
		}
		all[int32(turn.Entry)] = a
	}
	return all, err
}
