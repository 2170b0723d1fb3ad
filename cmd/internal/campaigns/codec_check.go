package campaigns

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	querypb "go.temporal.io/api/query/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/cmd/internal/cli"
	"roundtable/infra/codec"
	"roundtable/workflows"
)

// CheckCodec refuses to steer a campaign whose worker uses another key: it
// could not read the signal, and would try to for ever. The worker's answer to
// a query says which key it uses; where nobody answers, nobody is asked.
func CheckCodec(ctx context.Context, o *cli.Options, c client.Client, workflowID string) error {
	keys, err := codec.KeysFromEnv()
	if err != nil {
		return cli.UsageError(err)
	}
	if keys.AreEmpty() { // nothing is encrypted here, and a busy worker answers late
		return nil
	}
	answer, err := c.WorkflowService().QueryWorkflow(ctx, &workflowservice.QueryWorkflowRequest{
		Namespace: Namespace(o), Execution: &commonpb.WorkflowExecution{WorkflowId: workflowID},
		Query: &querypb.WorkflowQuery{QueryType: workflows.QueryStatus},
	})
	if err != nil {
		return nil
	}
	for _, p := range answer.GetQueryResult().GetPayloads() {
		if err := keys.Match(p); err != nil {
			return cli.UsageError(fmt.Errorf("nothing was sent: %w", err))
		}
	}
	return nil
}
