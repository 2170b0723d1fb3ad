package bedrock

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth/bearer"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

const (
	endpointEnv = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"
	apiKeyEnv   = "AWS_BEARER_TOKEN_BEDROCK"
)

// Endpoint returns the address at which the model is asked; "" if c has no valid one. It sends
// nothing.
func Endpoint(c Config) string {
	settings, err := loadAWS(c.Region)
	if err != nil {
		return ""
	}
	return wire.ShowAddress(c.endpointURL(settings.Region))
}

// loadAWS reads AWS's environment variables and files. It sends nothing: the
// automatic mode of defaults, which would ask a metadata service, is off.
func loadAWS(region string) (aws.Config, error) {
	settings, err := config.LoadDefaultConfig(context.Background(),
		config.WithRegion(region), config.WithDefaultsMode(aws.DefaultsModeStandard))
	if err != nil {
		return aws.Config{}, fmt.Errorf("the settings of AWS cannot be read (AWS_* and the files in ~/.aws): %w", err)
	}
	return settings, nil
}

// A region becomes part of a host's name.
var regionName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)

func (c Config) endpointURL(region string) (*url.URL, error) {
	switch {
	case region == "":
		return nil, errors.New("region is not set; set region or AWS_REGION, such as eu-central-1")
	case !regionName.MatchString(region):
		return nil, fmt.Errorf("region is %q; it is a name such as eu-central-1", region)
	case c.BaseURL != "":
		return wire.ParseBase("base_url", c.BaseURL)
	case os.Getenv(endpointEnv) != "":
		return wire.ParseBase(endpointEnv, os.Getenv(endpointEnv))
	}
	found, err := sdk.NewDefaultEndpointResolverV2().ResolveEndpoint(context.Background(),
		sdk.EndpointParameters{Region: &region, UseFIPS: aws.Bool(false), UseDualStack: aws.Bool(false)})
	if err != nil {
		return nil, fmt.Errorf("region %q: %w", region, err)
	}
	return &found.URI, nil
}

// apiKey returns the Bedrock API key, if there is one and it may be sent to the
// address: it is sent as it is, unlike secret keys, which only sign.
func apiKey(base *url.URL) string {
	usual, err := url.Parse(os.Getenv(endpointEnv))
	named := err == nil && wire.HasSameOrigin(usual, base)
	if base.Scheme != "https" || !named && !isOfAWS(base.Hostname()) {
		return ""
	}
	return strings.TrimSpace(os.Getenv(apiKeyEnv))
}

// isOfAWS reports whether a host belongs to AWS, in any of its partitions.
func isOfAWS(host string) bool {
	for _, domain := range []string{".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu", ".api.aws"} {
		if strings.HasSuffix(strings.ToLower(host), domain) {
			return true
		}
	}
	return false
}

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

const noCredentials = "no AWS credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or " +
	"AWS_PROFILE, or run where a role is attached; a Bedrock API key in " + apiKeyEnv +
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
