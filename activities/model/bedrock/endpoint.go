package bedrock

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"roundtable/activities/model/wire"
)

const (
	endpointEnv = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"
	apiKeyEnv   = "AWS_BEARER_TOKEN_BEDROCK"
)

// Endpoint returns the address that a model is asked at; "" if it is none. It sends nothing.
func Endpoint(c Config) string {
	settings, err := loadAWS(c.Region)
	if err != nil {
		return ""
	}
	return wire.Shown(c.endpointURL(settings.Region))
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
	named := err == nil && wire.SameOrigin(usual, base)
	if base.Scheme != "https" || !named && !ofAWS(base.Hostname()) {
		return ""
	}
	return strings.TrimSpace(os.Getenv(apiKeyEnv))
}

// ofAWS reports whether a host belongs to AWS, in any of its partitions.
func ofAWS(host string) bool {
	for _, domain := range []string{".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu", ".api.aws"} {
		if strings.HasSuffix(strings.ToLower(host), domain) {
			return true
		}
	}
	return false
}
