package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Visibility is how much of a campaign Temporal's own tools are shown.
type Visibility struct {
	// Searchable gives workflows search attributes, which the namespace must have.
	Searchable bool `json:"searchable,omitempty"`
}

// Search attributes of collaborations; campaigns have the first. Status and cost are set
// when a collaboration ends.
var (
	CampaignAttribute  = temporal.NewSearchAttributeKeyKeyword("RoundtableCampaign")
	ConditionAttribute = temporal.NewSearchAttributeKeyKeyword("RoundtableCondition")
	InstanceAttribute  = temporal.NewSearchAttributeKeyInt64("RoundtableInstance")
	ReplicateAttribute = temporal.NewSearchAttributeKeyInt64("RoundtableReplicate")
	StatusAttribute    = temporal.NewSearchAttributeKeyKeyword("RoundtableStatus")
	CostAttribute      = temporal.NewSearchAttributeKeyFloat64("RoundtableCostUSD")
)

// SearchAttributes returns all of them.
func SearchAttributes() []temporal.SearchAttributeKey {
	return []temporal.SearchAttributeKey{CampaignAttribute, ConditionAttribute, InstanceAttribute, ReplicateAttribute, StatusAttribute, CostAttribute}
}

// show adds to the options of a collaboration what tools show of it.
func (v Visibility) show(options *workflow.ChildWorkflowOptions, campaign, id string, cell task.Ref) {
	condition, _, _ := strings.Cut(id, "-i") // as plan.Cell.Suffix goes on
	options.StaticSummary = fmt.Sprintf("%s, instance %d, replicate %d", condition, cell.Cell.Instance, cell.Cell.Replicate)
	options.Memo = map[string]any{"campaign": campaign, "condition": condition, "instance": cell.Cell.Instance, "replicate": cell.Cell.Replicate, "generation": cell.Generation}
	if v.Searchable {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(
			CampaignAttribute.ValueSet(campaign), ConditionAttribute.ValueSet(condition),
			InstanceAttribute.ValueSet(int64(cell.Cell.Instance)), ReplicateAttribute.ValueSet(int64(cell.Cell.Replicate)))
	}
}

// ShowCampaign adds to the options of a campaign what tools show of it.
func (v Visibility) ShowCampaign(options *client.StartWorkflowOptions, campaign, revision string) {
	options.StaticSummary = "campaign " + campaign
	options.Memo = map[string]any{"campaign": campaign, "revision": revision}
	if v.Searchable {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(CampaignAttribute.ValueSet(campaign))
	}
}

// showEnd returns what a collaboration ends with: a failed cell is a failed workflow, whose
// error holds the result.
func (v Visibility) showEnd(ctx workflow.Context, result task.Result) (task.Result, error) {
	if v.Searchable {
		if err := workflow.UpsertTypedSearchAttributes(ctx, StatusAttribute.ValueSet(result.Status), CostAttribute.ValueSet(result.CostUSD)); err != nil {
			return result, err
		}
	}
	if result.Status == task.Failed {
		return result, temporal.NewNonRetryableApplicationError(result.Failure, task.ErrCellFailed, nil, result)
	}
	return result, nil
}

// describePending says in a line what a collaboration waits for.
func describePending(pending []protocol.Pending) string {
	if len(pending) == 0 {
		return ""
	}
	var asked, phases []string
	for _, p := range pending {
		if p.Kind == transcript.Ask {
			asked = append(asked, task.Speaker(p.Speaker))
		}
		if len(phases) == 0 || phases[len(phases)-1] != p.Phase {
			phases = append(phases, p.Phase)
		}
	}
	text := fmt.Sprintf("round %d, %s", pending[0].Round, strings.Join(phases, ", "))
	if len(asked) > 0 {
		text += ": " + strings.Join(asked, ", ")
	}
	return text
}

// summaryOf returns an activity's input in a line.
func summaryOf(input any) string {
	switch in := input.(type) {
	case task.Playing:
		return fmt.Sprintf("from entry %d", in.Entry)
	case task.Turn:
		return fmt.Sprintf("entry %d", in.Entry)
	case task.Notice:
		return in.Event
	case task.Ending:
		return in.Status
	case task.Page:
		return fmt.Sprintf("cells from %d", in.From)
	case task.Batch:
		return fmt.Sprintf("%d cells", len(in.Cells))
	case string:
		return in
	}
	return ""
}
