package infra

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/durationpb"
)

// startsWithin is what a server that was just started may take until it answers.
const startsWithin = 30 * time.Second

// Prepared is what PrepareNamespace has made; what was there already is left out.
type Prepared struct {
	Namespace  string   `json:"namespace"`
	Made       bool     `json:"made"`       // the namespace is new
	Attributes []string `json:"attributes"` // search attributes that are new
}

// PrepareNamespace makes the target's namespace, which keeps closed workflows for
// retention, and the search attributes that it lacks; it may be repeated.
func PrepareNamespace(ctx context.Context, t Target, retention time.Duration,
	attributes []temporal.SearchAttributeKey) (Prepared, error) {
	if t.Namespace == "" {
		t.Namespace = Namespace
	}
	done := Prepared{Namespace: t.Namespace, Attributes: []string{}}
	options, err := t.clientOptions()
	if err != nil {
		return done, err
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return done, fmt.Errorf("infra: Temporal at %s: %w", t.HostPort, err)
	}
	defer c.Close()
	if done.Made, err = registerNamespace(ctx, c, t, retention); err != nil {
		return done, err
	}
	t.Patience = time.Minute // a new namespace is known everywhere a little later
	if err := awaitNamespace(ctx, c, t); err != nil {
		return done, err
	}
	missing, err := missingAttributes(ctx, c, t.Namespace, attributes)
	if err != nil {
		return done, err
	}
	if len(missing) > 0 {
		_, err = c.OperatorService().AddSearchAttributes(ctx,
			&operatorservice.AddSearchAttributesRequest{Namespace: t.Namespace, SearchAttributes: missing})
	}
	if err != nil {
		return done, fmt.Errorf("infra: Temporal at %s, search attributes of namespace %q: %w", t.HostPort,
			t.Namespace, err)
	}
	done.Attributes = append(done.Attributes, slices.Sorted(maps.Keys(missing))...)
	return done, awaitSearchable(ctx, c, t.Namespace, attributes)
}

// registerNamespace makes the namespace, unless it is there. A server that has just been
// started answers that it is not healthy yet.
func registerNamespace(ctx context.Context, c client.Client, t Target, retention time.Duration) (made bool, err error) {
	for began := time.Now(); ; {
		_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: t.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
			Description: "campaigns of roundtable",
		})
		if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err == nil || exists {
			return err == nil, nil
		}
		if refused := t.refusalOf(ctx, err); refused != nil {
			return false, refused
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Second):
		}
		if time.Since(began) > startsWithin {
			return false, fmt.Errorf("infra: Temporal at %s, namespace %q, after %s: %w", t.HostPort, t.Namespace,
				startsWithin, err)
		}
	}
}

// awaitSearchable waits until the server knows its new search attributes.
func awaitSearchable(ctx context.Context, c client.Client, namespace string,
	attributes []temporal.SearchAttributeKey) error {
	for tries := 0; ; tries++ {
		err := searchFor(ctx, c, namespace, attributes)
		if err == nil || tries == 60 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// HasSearchAttributes reports whether workflows of a namespace can be searched for by
// all of these.
func HasSearchAttributes(ctx context.Context, c client.Client, namespace string,
	attributes []temporal.SearchAttributeKey) bool {
	return searchFor(ctx, c, namespace, attributes) == nil
}

// searchFor asks for workflows without any of the attributes, which the server refuses
// if it does not know one.
func searchFor(ctx context.Context, c client.Client, namespace string, attributes []temporal.SearchAttributeKey) error {
	var without []string
	for _, a := range attributes {
		without = append(without, a.GetName()+" IS NULL")
	}
	_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace,
		Query: strings.Join(without, " AND ")})
	if err != nil {
		return fmt.Errorf("infra: search attributes of namespace %q: %w", namespace, err)
	}
	return nil
}

func missingAttributes(ctx context.Context, c client.Client, namespace string,
	attributes []temporal.SearchAttributeKey) (map[string]enumspb.IndexedValueType, error) {
	have, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("infra: search attributes of namespace %q: %w", namespace, err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, a := range attributes {
		if have.GetCustomAttributes()[a.GetName()] != a.GetValueType() {
			missing[a.GetName()] = a.GetValueType()
		}
	}
	return missing, nil
}
