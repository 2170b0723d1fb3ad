package codec

import (
	"context"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// DataConverter returns the SDK's JSON, compressed by zstd from 1 KB on and then
// encrypted, if there is a key.
func (k Keys) DataConverter() converter.DataConverter {
	return dataConverter{converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), k.Codecs()...)}
}

// Codecs returns what payloads go through on their way from the server: the first opens
// them, the second unpacks them.
func (k Keys) Codecs() []converter.PayloadCodec { return []converter.PayloadCodec{k, zstdCodec{}} }

// AreEmpty reports whether there is no key.
func (k Keys) AreEmpty() bool { return len(k.ring) == 0 }

// FailureConverter also encrypts messages and stacks of failures; without a key they are
// plain text in every history, as everything else is. A failure that cannot be
// opened says so instead of its message.
func (k Keys) FailureConverter() converter.FailureConverter {
	return failureConverter{&k, temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter:          k.DataConverter(),
		EncodeCommonAttributes: len(k.ring) > 0,
	})}
}

type failureConverter struct {
	keys *Keys
	converter.FailureConverter
}

func (c failureConverter) FailureToError(failure *failurepb.Failure) error {
	for f := failure; f != nil; f = f.GetCause() {
		if p := f.GetEncodedAttributes(); p != nil {
			if _, err := c.keys.openPayload(p); err != nil {
				f.Message = err.Error()
			}
		}
	}
	return c.FailureConverter.FailureToError(failure)
}

// dataConverter is stricter inside of workflows.
type dataConverter struct{ converter.DataConverter }

func (c dataConverter) WithContext(context.Context) converter.DataConverter { return c }

func (c dataConverter) WithWorkflowContext(converter.WorkflowContext) converter.DataConverter {
	return workflowConverter(c)
}

// workflowConverter panics when a key is missing: the SDK then tries the
// workflow's task again, until a worker with the key comes. An error would end
// the workflow, and cells that were begun as failed.
type workflowConverter struct{ converter.DataConverter }

func (c workflowConverter) FromPayload(p *commonpb.Payload, value any) error {
	return unsealError(c.DataConverter.FromPayload(p, value))
}

func (c workflowConverter) FromPayloads(p *commonpb.Payloads, values ...any) error {
	return unsealError(c.DataConverter.FromPayloads(p, values...))
}

func unsealError(err error) error {
	if errors.Is(err, errSealed) {
		panic(err.Error())
	}
	return err
}
