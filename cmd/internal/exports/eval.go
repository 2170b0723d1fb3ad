package exports

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/cli"
)

// WriteEval writes inspect's log in version 2, a file for each condition: its instances are the
// samples, its replicates their epochs. https://inspect.aisi.org.uk/eval-logs.html
func WriteEval(all iter.Seq2[Talk, error], add Stage) error {
	var of []Talk // one condition's
	write := func() error {
		if len(of) == 0 {
			return nil
		}
		return add(logName(of[0]), func(w io.Writer) (int64, error) {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			return int64(len(of)), e.Encode(evalLog(of))
		})
	}
	for c, err := range all {
		if err != nil {
			return err
		}
		if len(of) > 0 && of[0].ConditionID != c.ConditionID {
			if err := write(); err != nil {
				return err
			}
			of = nil
		}
		of = append(of, c)
	}
	return write()
}

// logName returns the name of a log, which has to start with a time for inspect to list it.
func logName(c Talk) string {
	at := time.UnixMicro(c.StartedAt).UTC().Format("2006-01-02T15-04-05+00-00")
	return fmt.Sprintf("%s_%s_%s.json", at, c.CampaignID, c.ConditionID)
}

// object is a JSON object.
type object = map[string]any

// log is inspect's: it reads a header up to the samples, so these are last.
type log struct {
	Version int      `json:"version"`
	Status  string   `json:"status"`
	Eval    object   `json:"eval"`
	Plan    object   `json:"plan"`
	Results object   `json:"results"`
	Stats   object   `json:"stats"`
	Samples []object `json:"samples"`
}

func evalLog(all []Talk) log {
	first, began, ended := all[0], all[0].StartedAt, all[0].EndedAt
	var input, output int64
	var sum float64
	var ids []string
	var samples []object
	known, scored, completed, epochs := map[string]bool{}, 0, 0, int32(0)
	for _, c := range all {
		began, ended, epochs = min(began, c.StartedAt), max(ended, c.EndedAt), max(epochs, c.Replicate+1)
		input, output = input+c.InputTokens, output+c.OutputTokens
		if !known[c.InstanceID] {
			known[c.InstanceID], ids = true, append(ids, c.InstanceID)
		}
		if c.Status == record.Succeeded {
			completed++
		}
		if c.Outcome != nil {
			scored, sum = scored+1, sum+*c.Outcome
		}
		samples = append(samples, evalSample(c))
	}
	results := object{"total_samples": len(all), "completed_samples": completed}
	if scored > 0 {
		results["scores"] = []object{{
			"name": "outcome", "scorer": "outcome", "scored_samples": scored, "unscored_samples": len(all) - scored,
			"metrics": object{"mean": object{"name": "mean", "value": sum / float64(scored)}},
		}}
	}
	name := first.CampaignID + "/" + first.ConditionID
	return log{
		Version: 2, Status: "success",
		Eval: object{
			"eval_id": name, "run_id": first.CampaignID, "created": timeText(began), "task": first.CampaignID,
			"task_id":           name,
			"task_display_name": first.CampaignID + ": " + orElse(first.Label, first.ConditionID),
			"solver":            first.Protocol,
			"dataset": object{"name": first.Environment, "samples": len(ids), "sample_ids": ids,
				"shuffled": false},
			"model": first.Model, "config": object{"epochs": epochs},
			"packages": object{"roundtable": cli.ShortVersion()},
			"metadata": object{"condition_id": first.ConditionID, "rule": first.Rule, "measure": first.Measure,
				"settings": json.RawMessage(first.SettingsJSON)},
		},
		Plan: object{"name": first.Protocol}, Results: results,
		Stats: object{"started_at": timeText(began), "completed_at": timeText(ended),
			"model_usage": object{first.Model: usageObject(input, output)}},
		Samples: samples,
	}
}

func evalSample(c Talk) object {
	decision := orEmpty(c.DecisionJSON)
	answer := object{"id": c.talkID() + "/decision", "role": "assistant", "content": decision}
	s := object{
		"id": c.InstanceID, "epoch": c.Replicate + 1, "uuid": c.talkID(), "input": c.About,
		"target":   targetOf(c.KeyJSON),
		"messages": inspectMessages(c),
		"output": object{"model": c.Model, "completion": decision,
			"choices": []object{{"message": answer, "stop_reason": "stop"}}},
		"metadata": object{
			"collaboration": c.CollaborationID, "generation": c.Generation, "status": c.Status,
			"end_reason": c.EndReason, "rounds": c.RoundsRun,
			"agents": c.Agents, "simulated": c.Simulated, "cost_usd": c.CostUSD,
		},
		"model_usage": object{c.Model: usageObject(c.InputTokens, c.OutputTokens)},
		"started_at":  timeText(c.StartedAt), "completed_at": timeText(c.EndedAt), "total_time": c.secondsTaken(),
	}
	if c.Outcome != nil {
		s["scores"] = object{"outcome": object{"value": *c.Outcome, "answer": decision,
			"metadata": object{"measure": c.Measure}}}
	}
	if c.Status != record.Succeeded {
		text := fmt.Sprintf("%s: %s", c.Status, orEmpty(c.Failure))
		s["error"] = object{"message": text, "traceback": "", "traceback_ansi": ""}
	}
	return s
}

// targetOf returns the right answers, of which there may be several or none.
func targetOf(key *string) any {
	var all []string
	if json.Unmarshal([]byte(orEmpty(key)), &all) != nil {
		return orEmpty(key)
	}
	return all
}

func usageObject(input, output int64) object {
	return object{"input_tokens": input, "output_tokens": output, "total_tokens": input + output}
}
