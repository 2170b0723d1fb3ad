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

// Visibility is how much of a campaign Temporal's own tools are shown.
type Visibility struct {
	// Searchable sets search attributes on workflows; the namespace must have them.
	Searchable bool `json:"searchable,omitempty"`
}

// Search attributes of collaborations; campaigns have the first only. Status and cost are set
// when a collaboration ends.
var (
	CampaignAttribute  = temporal.NewSearchAttributeKeyKeyword("RoundtableCampaign")
	ConditionAttribute = temporal.NewSearchAttributeKeyKeyword("RoundtableCondition")
	InstanceAttribute  = temporal.NewSearchAttributeKeyInt64("RoundtableInstance")
	ReplicateAttribute = temporal.NewSearchAttributeKeyInt64("RoundtableReplicate")
	StatusAttribute    = temporal.NewSearchAttributeKeyKeyword("RoundtableStatus")
	CostAttribute      = temporal.NewSearchAttributeKeyFloat64("RoundtableCostUSD")
)

// SearchAttributes returns all search attributes above.
func SearchAttributes() []temporal.SearchAttributeKey {
	return []temporal.SearchAttributeKey{CampaignAttribute, ConditionAttribute, InstanceAttribute, ReplicateAttribute,
		StatusAttribute, CostAttribute}
}

// show adds to the options of a collaboration what tools show of it.
func (v Visibility) show(options *workflow.ChildWorkflowOptions, id string, ref task.Ref) {
	condition, _, _ := strings.Cut(id, "-i") // as plan.Cell.Suffix goes on
	attributes := []temporal.SearchAttributeUpdate{CampaignAttribute.ValueSet(ref.Campaign),
		ConditionAttribute.ValueSet(condition)}
	options.Memo = map[string]any{"campaign": ref.Campaign, "condition": condition, "generation": ref.Generation}
	if ref.Labeller != "" {
		options.StaticSummary = fmt.Sprintf("labels of %s by %s", id, ref.Labeller)
		options.Memo["labeller"] = ref.Labeller
	} else {
		options.StaticSummary = fmt.Sprintf("%s, instance %d, replicate %d", condition, ref.Cell.Instance,
			ref.Cell.Replicate)
		options.Memo["instance"], options.Memo["replicate"] = ref.Cell.Instance, ref.Cell.Replicate
		attributes = append(attributes, InstanceAttribute.ValueSet(int64(ref.Cell.Instance)),
			ReplicateAttribute.ValueSet(int64(ref.Cell.Replicate)))
	}
	if v.Searchable {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(attributes...)
	}
}

// ShowCampaign sets in options what Temporal's tools show of the campaign and its revision.
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
		if err := workflow.UpsertTypedSearchAttributes(ctx, StatusAttribute.ValueSet(result.Status),
			CostAttribute.ValueSet(result.CostUSD)); err != nil {
			return result, err
		}
	}
	if result.Status == task.Failed {
		return result, temporal.NewNonRetryableApplicationError(result.Failure, task.ErrCellFailed, nil, result)
	}
	return result, nil
}

// describeRound says in a line what the pending round of a session consists of.
func describeRound(s *protocol.Session) string {
	phases, calls := s.Outline()
	text := fmt.Sprintf("round %d of %d: %s (%d calls)", s.Round(), s.Protocol().Rounds(),
		strings.Join(phases, ", "), calls)
	return strings.Replace(text, "(1 calls)", "(1 call)", 1)
}
