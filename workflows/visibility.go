package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// Visibility is how much of a campaign Temporal's own tools are shown. An embedded
// server has no such tools, and histories of before show nothing.
type Visibility struct {
	// Shown gives workflows memos and activities summaries, and makes failed cells failed workflows.
	Shown bool `json:"shown,omitempty"`
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
	if !v.Shown {
		return
	}
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
	if !v.Shown {
		return
	}
	options.StaticSummary = "campaign " + campaign
	options.Memo = map[string]any{"campaign": campaign, "revision": revision}
	if v.Searchable {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(CampaignAttribute.ValueSet(campaign))
	}
}

// showEnd returns what a collaboration ends with: where it is shown, a failed cell is a
// failed workflow, whose error holds the result.
func (v Visibility) showEnd(ctx workflow.Context, result task.Result) (task.Result, error) {
	if v.Searchable {
		if err := workflow.UpsertTypedSearchAttributes(ctx, StatusAttribute.ValueSet(result.Status), CostAttribute.ValueSet(result.CostUSD)); err != nil {
			return result, err
		}
	}
	if v.Shown && result.Status == task.Failed {
		return result, temporal.NewNonRetryableApplicationError(result.Failure, task.ErrCellFailed, nil, result)
	}
	return result, nil
}

// describeRound says in a line what the pending round of a session consists of.
func describeRound(s *protocol.Session) string {
	phases, calls := s.Outline()
	text := fmt.Sprintf("round %d of %d: %s (%d calls)", s.Round(), s.Protocol().Rounds(), strings.Join(phases, ", "), calls)
	return strings.Replace(text, "(1 calls)", "(1 call)", 1)
}
