package bedrock

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/wire"
)

func TestEndpoint(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		env    map[string]string
		want   string
	}{
		"region":            {Config{Region: "us-west-2"}, nil, "https://bedrock-runtime.us-west-2.amazonaws.com"},
		"AWS_REGION":        {Config{}, map[string]string{"AWS_REGION": "eu-central-1"}, "https://bedrock-runtime.eu-central-1.amazonaws.com"},
		"region wins":       {Config{Region: "us-west-2"}, map[string]string{"AWS_REGION": "eu-central-1"}, "https://bedrock-runtime.us-west-2.amazonaws.com"},
		"China":             {Config{Region: "cn-north-1"}, nil, "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"},
		"base_url":          {Config{Region: "us-west-2", BaseURL: "https://vpce-1.example.org"}, map[string]string{endpointEnv: "https://x.org"}, "https://vpce-1.example.org"},
		"nowhere":           {Config{}, nil, ""},
		"no profile":        {Config{Region: "us-west-2"}, map[string]string{"AWS_PROFILE": "not-there"}, ""},
		"the environment's": {Config{Region: "us-west-2"}, map[string]string{endpointEnv: "https://x.org"}, "https://x.org"},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			if got := Endpoint(c.config); got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestRegionOfTheProfile(t *testing.T) {
	clean(t)
	if err := os.WriteFile(os.Getenv("AWS_CONFIG_FILE"), []byte("[profile lab]\nregion = eu-north-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_PROFILE", "lab")
	if got := Endpoint(Config{}); got != "https://bedrock-runtime.eu-north-1.amazonaws.com" {
		t.Errorf("got %q", got)
	}
}

func TestConfig(t *testing.T) {
	good := Config{Model: claude, Region: "eu-central-1"}
	with := func(change func(*Config)) Config { c := good; change(&c); return c }
	for name, c := range map[string]struct {
		config Config
		env    map[string]string
		want   string // part of the error; "" if none
	}{
		"good":              {good, nil, ""},
		"no model":          {with(func(c *Config) { c.Model = "" }), nil, "model is empty"},
		"no region":         {with(func(c *Config) { c.Region = "" }), nil, "AWS_REGION"},
		"region is a host":  {with(func(c *Config) { c.Region = "x.evil.org/#" }), nil, "eu-central-1"},
		"no URL":            {with(func(c *Config) { c.BaseURL = "localhost:8000" }), nil, "http:// or https://"},
		"password":          {with(func(c *Config) { c.BaseURL = "https://me:" + modeltest.Canary + "@x.org" }), nil, "password"},
		"metadata":          {with(func(c *Config) { c.BaseURL = "http://169.254.169.254" }), nil, "metadata"},
		"environment's URL": {good, map[string]string{endpointEnv: "nonsense"}, endpointEnv},
		"mode":              {with(func(c *Config) { c.JSON = "yaml" }), nil, "auto, schema, plain"},
		"timeout":           {with(func(c *Config) { c.Timeout = -1 }), nil, "positive"},
		"profile":           {good, map[string]string{"AWS_PROFILE": "not-there"}, "not-there"},
		"several at once":   {Config{JSON: "yaml"}, nil, "auto, schema, plain"},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			_, err := New(c.config)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), modeltest.Canary) {
				t.Errorf("secret in %v", err)
			}
		})
	}
}

// In AWS's automatic mode of defaults the SDK asks a metadata service for the region.
func TestNewAsksNoMetadataService(t *testing.T) {
	clean(t)
	t.Setenv("AWS_DEFAULTS_MODE", "auto")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", silent(t))
	if _, err := New(Config{Model: claude, Region: "eu-central-1"}); err != nil {
		t.Error(err)
	}
}

func TestAWrongClockIsNamed(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		exception string
		date      time.Time
		want      bool
	}{
		"ahead":         {"InvalidSignatureException", now.Add(-12 * time.Minute), true},
		"behind":        {"RequestExpired", now.Add(time.Hour), true},
		"right":         {"InvalidSignatureException", now.Add(2 * time.Second), false},
		"another fault": {"AccessDeniedException", now.Add(time.Hour), false},
	} {
		f := &wire.Failure{Status: 403, At: now, Body: []byte(`{"message":"no"}`), Header: http.Header{
			"X-Amzn-Errortype": {c.exception}, "Date": {c.date.Format(http.TimeFormat)}}}
		e := classifyFailure(f, wire.NewReporter(provider))
		if e.Class != model.Pause || strings.Contains(e.Message, "clock") != c.want || !strings.HasSuffix(e.Message, "no") {
			t.Errorf("%s: got %+v", name, *e)
		}
	}
}

// doer is an HTTP client that keeps the request and sends nothing.
type doer struct{ request *http.Request }

func (d *doer) Do(r *http.Request) (*http.Response, error) {
	d.request = r
	return nil, errors.New("not sent")
}

// An API key is sent as it is, so only to AWS and to where the user's own environment says.
func TestAPIKeyIsBoundToItsPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		base, env string
		sent      bool
	}{
		"public endpoint":     {"", "", true},
		"VPC endpoint":        {"https://vpce-0a1b-2c3d.bedrock-runtime.eu-central-1.vpce.amazonaws.com", "", true},
		"China":               {"https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "", true},
		"elsewhere":           {"https://models.example.org", "", false},
		"like AWS":            {"https://evil-amazonaws.com", "", false},
		"not encrypted":       {"http://bedrock-runtime.eu-central-1.amazonaws.com", "", false},
		"the environment's":   {"", "https://gateway.example.org", true},
		"the same origin":     {"https://gateway.example.org/b", "https://gateway.example.org/a", true},
		"not the environment": {"https://models.example.org", "https://gateway.example.org", false},
	} {
		t.Run(name, func(t *testing.T) {
			keys(t)
			t.Setenv(apiKeyEnv, "ABSK-"+modeltest.Canary)
			t.Setenv(endpointEnv, c.env)
			t.Setenv(wire.TrustEnv, c.base)
			m, err := New(Config{Model: claude, BaseURL: c.base})
			if err != nil {
				t.Fatal(err)
			}
			cl := m.(*client)
			in, err := cl.converseInput(modeltest.Question, Plain)
			if err != nil {
				t.Fatal(err)
			}
			who, err := cl.account.findIdentity(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var d doer
			_, err = cl.runtime.Converse(t.Context(), in, who.configureSigning, func(o *sdk.Options) { o.HTTPClient = &d })
			if d.request == nil {
				t.Fatal(err)
			}
			a := d.request.Header.Get("Authorization")
			if sent := a == "Bearer ABSK-"+modeltest.Canary; sent != c.sent {
				t.Errorf("sent: %v, want %v; signed with %.30s…", sent, c.sent, a)
			}
			if !c.sent && !strings.HasPrefix(a, "AWS4-HMAC-SHA256 ") {
				t.Errorf("signed with %.30s…", a)
			}
		})
	}
}
