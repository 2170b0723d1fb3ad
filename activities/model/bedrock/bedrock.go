// Package bedrock asks models on Amazon Bedrock through its Converse operation.
//
// It promises: one request for one call (the SDK's retries are off and
// redirects are not followed); nothing is sent before the first call, also not
// to find credentials; every error is a *model.Error classified (package wire);
// no error text holds a key; the answer's bytes are those of
// the service; a parameter that the model does not take is refused, never
// dropped. A Bedrock API key is sent to AWS only.
package bedrock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/middleware"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

const provider = "bedrock"

// JSONMode is how the service is told that the answer must be JSON.
type JSONMode = wire.JSONMode

const (
	Auto   = wire.Auto   // Schema until the model refuses it, then Plain
	Schema = wire.Schema // outputConfig.textFormat, which some models take
	Plain  = wire.Plain  // the prompt alone says so
)

// Config is one model in one region.
type Config struct {
	// Model is the id of a model or inference profile, or the ARN of either.
	Model string `json:"model"`
	// Region, such as eu-central-1. Empty: AWS_REGION, or that of the profile in AWS_PROFILE.
	Region string `json:"region,omitempty"`
	// BaseURL ends before /model. Empty: AWS_ENDPOINT_URL_BEDROCK_RUNTIME, or
	// the region's public endpoint. VPC endpoints are named here.
	BaseURL string `json:"base_url,omitempty"`
	// JSON is Auto if empty.
	JSON JSONMode `json:"json,omitempty"`
	// Timeout of one call; 10 minutes if zero.
	Timeout model.Duration `json:"-"`
}

// client is one model; it remembers what that refuses.
type client struct {
	config  Config
	account *account
	runtime *sdk.Client
	forms   wire.Forms
}

// New checks c and returns its model; it sends nothing. Make one for the life of the process, since
// it keeps connections, credentials and the outcome of Auto.
func New(c Config) (model.Model, error) {
	settings, base, err := c.resolveSettings()
	if err != nil {
		return nil, fmt.Errorf("bedrock model %q: %w", c.Model, err)
	}
	c.Timeout = cmp.Or(c.Timeout, wire.DefaultTimeout)
	runtime := sdk.New(sdk.Options{
		Region:       settings.Region,
		BaseEndpoint: aws.String(base.String()),
		// No name is public here: in a VPC that of the public endpoint leads to a private address.
		HTTPClient: wire.NewClient(),
		Retryer:    aws.NopRetryer{},
		APIOptions: []func(*middleware.Stack) error{leaveUndecoded},
	})
	a := &account{region: settings.Region, token: apiKey(base), chain: settings.Credentials}
	return &client{config: c, account: a, runtime: runtime, forms: wire.Forms{JSON: cmp.Or(c.JSON, Auto)}}, nil
}

// resolveSettings returns AWS's settings and the endpoint, or every error of the configuration.
func (c Config) resolveSettings() (aws.Config, *url.URL, error) {
	var found []error
	if c.Model == "" {
		found = append(found, errors.New("model is empty; name a model id or an inference profile, such as "+
			"eu.anthropic.claude-sonnet-4-5-20250929-v1:0"))
	}
	found = append(found, wire.CheckSettings(c.JSON, c.Timeout, Auto, Schema, Plain)...)
	settings, err := loadAWS(c.Region)
	if err != nil {
		return settings, nil, errors.Join(append(found, err)...)
	}
	base, err := c.endpointURL(settings.Region)
	if err == nil && c.BaseURL != "" {
		err = wire.CheckTrust(base, "", false)
	}
	return settings, base, errors.Join(append(found, err)...)
}

// Complete asks once, and once more in another form where the model refuses one (wire.Forms).
func (c *client) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	return c.forms.Complete(r, func(sent model.Request, mode JSONMode) (model.Response, *model.Error) {
		return c.askOnce(ctx, sent, mode)
	})
}

// ModeOf returns the mode in which a request is sent now.
func (c *client) ModeOf(r model.Request) string { return c.forms.ModeOf(r) }

// askOnce makes one HTTP request.
func (c *client) askOnce(ctx context.Context, r model.Request, mode JSONMode) (model.Response, *model.Error) {
	input, err := c.converseInput(r, mode)
	if err != nil {
		return model.Response{}, wire.NewReporter(provider).Unasked(err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.config.Timeout))
	defer cancel()
	// Before the exchange is watched: what this may ask of STS or a metadata service is not part of it.
	who, err := c.account.findIdentity(ctx)
	if err != nil {
		return model.Response{}, noIdentity(ctx, err)
	}
	report := who.newReporter()
	ctx, call := wire.Watch(ctx, "") // Converse takes no idempotency key
	_, err = c.runtime.Converse(ctx, input, who.configureSigning)
	if refused, ok := errors.AsType[*wire.Failure](err); ok {
		fault := classifyFailure(refused, report)
		if fault.Class == model.Pause {
			c.account.forget(who)
		}
		return model.Response{}, fault
	}
	if err != nil {
		return model.Response{}, report.Broken(ctx, call, err)
	}
	response, fault := answer{report, c.config.Model}.readAnswer(call.Body, call.Header)
	return report.Clean(response), fault
}

// leaveUndecoded keeps the SDK from decoding an answer, which would replace
// bytes that are not UTF-8: it is read from the Call.
func leaveUndecoded(stack *middleware.Stack) error {
	const decoder = "OperationDeserializer"
	_, err := stack.Deserialize.Swap(decoder, middleware.DeserializeMiddlewareFunc(decoder,
		func(ctx context.Context, in middleware.DeserializeInput,
			next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			out.Result = &sdk.ConverseOutput{}
			return out, metadata, err
		}))
	return err
}

// classifyFailure classifies a response that is no answer.
func classifyFailure(f *wire.Failure, report wire.Reporter) *model.Error {
	w := wire.ReadWords(f.Body, f.Header)
	if clock := wrongClock(f, w); clock != "" {
		w.Message = clock + ": " + w.Message
	}
	err := report.Refused(f, w)
	err.Unbilled = isUnbilled(f, w)
	return err
}

// isUnbilled is only what is certain: in the others the model may have begun.
func isUnbilled(f *wire.Failure, w wire.Words) bool {
	for _, begun := range []string{"ModelTimeoutException", "ModelErrorException", "ModelStreamErrorException",
		"RequestAbortedException"} {
		if slices.Contains(w.Codes, begun) {
			return false
		}
	}
	return f.Status != http.StatusFailedDependency && f.IsUnbilled()
}

// wrongClock says how far this machine's clock is off, if a signature was
// refused and that may be why: AWS takes five minutes.
func wrongClock(f *wire.Failure, w wire.Words) string {
	if !slices.ContainsFunc(w.Codes, func(code string) bool {
		return code == "InvalidSignatureException" || code == "SignatureDoesNotMatch" || code == "RequestExpired" ||
			code == "RequestTimeTooSkewed"
	}) {
		return ""
	}
	server, err := http.ParseTime(f.Header.Get("Date"))
	if off := f.At.Sub(server).Round(time.Second); err == nil && off.Abs() > 4*time.Minute {
		return fmt.Sprintf("the clock of this machine is %v off that of AWS; set it", off)
	}
	return ""
}
