package exports

import (
	"encoding/json"
	"io"
	"iter"
)

// writeTraces writes the Hub's simple format of session traces, a file for each collaboration:
// https://huggingface.co/docs/hub/session-traces-format
func writeTraces(all iter.Seq2[talk, error], add stage) error {
	for c, err := range all {
		if err != nil {
			return err
		}
		err := add(c.CollaborationID+".jsonl", func(w io.Writer) (int64, error) {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			err := e.Encode(map[string]any{
				"type": "session", "harness": "roundtable", "id": c.talkID(),
				"name":   c.CampaignID + ": " + c.CollaborationID,
				"status": c.Status, "score": c.Score, "simulated": c.Simulated,
			})
			for _, m := range c.messages {
				one := map[string]any{"role": m.roleName(), "content": m.text}
				if m.thinking != "" {
					one["reasoningContent"] = m.thinking
				}
				if m.model != "" {
					one["model"] = m.model
				}
				if err == nil {
					err = e.Encode(map[string]any{"type": "message", "message": one})
				}
			}
			return int64(len(c.messages)), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
