package bedrock

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth/bearer"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// account finds what calls are signed with: a Bedrock API key, or what AWS's
// chain finds (environment, files, single sign-on, web identity, roles), which
// asks with HTTP clients of its own and renews what expires.
type account struct {
	region string
	token  string

	mu    sync.Mutex
	chain aws.CredentialsProvider // nil: forgotten
}

// identity is what one call is signed with.
type identity struct {
	token string
	keys  aws.Credentials
	chain aws.CredentialsProvider // where the keys are from
}

func (a *account) findIdentity(ctx context.Context) (identity, error) {
	if a.token != "" {
		return identity{token: a.token}, nil
	}
	chain, err := a.currentCredentials()
	if err != nil {
		return identity{}, err
	}
	keys, err := chain.Retrieve(ctx)
	who := identity{keys: keys, chain: chain}
	if err != nil {
		a.forget(who)
	}
	return who, err
}

func (a *account) currentCredentials() (aws.CredentialsProvider, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.chain == nil {
		settings, err := loadAWS(a.region)
		if err != nil {
			return nil, err
		}
		a.chain = settings.Credentials
	}
	return a.chain, nil
}

// forget makes the next call read AWS's files again, as a user who was
// asked to act has perhaps changed them.
func (a *account) forget(who identity) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.chain == who.chain {
		a.chain = nil
	}
}

func (i identity) newReporter() wire.Reporter {
	return wire.NewReporter(provider, i.token, i.keys.SecretAccessKey, i.keys.SessionToken)
}

// configureSigning settles how one request is signed; by itself the SDK would send the API key anywhere.
func (i identity) configureSigning(o *sdk.Options) {
	if i.token != "" {
		o.AuthSchemePreference = []string{"httpBearerAuth"}
		o.BearerAuthTokenProvider = bearer.StaticTokenProvider{Token: bearer.Token{Value: i.token}}
		return
	}
	o.AuthSchemePreference = []string{"sigv4"}
	o.BearerAuthTokenProvider = nil
	o.Credentials = credentials.StaticCredentialsProvider{Value: i.keys}
}

const noCredentials = "no AWS credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, " +
	"or run where a role is attached; a Bedrock API key in " + apiKeyEnv +
	" is sent over https to AWS and to the address in " + endpointEnv + " only: "

// noIdentity classifies what kept credentials from being found; the service was not asked.
func noIdentity(ctx context.Context, err error) *model.Error {
	report := wire.NewReporter(provider)
	out := report.Failed(model.Denied, "no_credentials", noCredentials+err.Error())
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		out = report.Failed(model.Silent, "timeout", err.Error())
	case ctx.Err() != nil:
		out = report.Failed(model.Down, "canceled", err.Error())
	case isTemporary(err):
		out = report.Failed(model.Down, "credentials_unavailable", err.Error())
	}
	out.Unbilled = true
	return out
}

// isTemporary reports whether a service that gives credentials is out of order. A
// metadata service that cannot be reached is none: this is not a machine of AWS.
func isTemporary(err error) bool {
	type answered interface {
		error
		HTTPStatusCode() int
	}
	if r, ok := errors.AsType[answered](err); ok && r.HTTPStatusCode() != 0 {
		return r.HTTPStatusCode() == http.StatusTooManyRequests || r.HTTPStatusCode() >= 500
	}
	operation, ok := errors.AsType[*smithy.OperationError](err)
	_, unsent := errors.AsType[*smithyhttp.RequestSendError](err)
	return ok && unsent && operation.ServiceID != "ec2imds"
}
