package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
)

const (
	connections = 256
	// stallTime is how long a connection with a request on it may move no byte.
	stallTime   = 30 * time.Second
	connectTime = 10 * time.Second
	// requestTries of one request, about 16 s apart in all.
	requestTries = 10
)

// newClient returns a client for a location, with credentials and, where the
// location does not say, endpoint and region from where all AWS tools have them.
func newClient(ctx context.Context, l location, stall time.Duration) (*s3.Client, error) {
	load := []func(*config.LoadOptions) error{
		config.WithHTTPClient(httpClient(stall)),
		config.WithLogger(logging.Nop{}), // what matters comes back as an error
		config.WithRetryer(func() aws.Retryer { return retry.NewStandard(configureRetries) }),
	}
	if l.region != "" {
		load = append(load, config.WithRegion(l.region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, fmt.Errorf("the AWS settings cannot be read: %w", err)
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		if l.endpoint != "" {
			o.BaseEndpoint = &l.endpoint
		}
		if o.BaseEndpoint != nil { // a compatible server: it knows one region and has no names for buckets
			o.UsePathStyle = true
			if o.Region == "" {
				o.Region = "us-east-1"
			}
		}
		if l.pathStyle != nil {
			o.UsePathStyle = *l.pathStyle
		}
		// We send a SHA-256 with each write, which old servers pass over; the SDK's
		// own checksums come as a trailer that some of them store as content.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenSupported
	})
	if err := checkEndpoint(client.Options().BaseEndpoint, l.endpoint != ""); err != nil {
		return nil, err
	}
	if client.Options().Region == "" {
		return nil, errors.New("the bucket's region is not known: set AWS_REGION, or add ?region=… to the location")
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return nil, fmt.Errorf("no AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "+
			"AWS_PROFILE, or run where a role is given: %w", err)
	}
	return client, nil
}

// checkEndpoint refuses what could leak: a password in an address, and an
// address on a network without encryption unless the user named it himself.
func checkEndpoint(endpoint *string, named bool) error {
	if endpoint == nil {
		return nil
	}
	u, err := url.Parse(*endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the endpoint is not an address; one is https://host or http://host:port")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the endpoint is more than an address; credentials belong into AWS_ACCESS_KEY_ID and " +
			"AWS_SECRET_ACCESS_KEY or a profile")
	case u.Scheme == "http" && !named && !isLoopback(u.Hostname()):
		return fmt.Errorf("the endpoint http://%s of the environment is not encrypted; if that is meant, say so in "+
			"the location: ?endpoint=http://%s", u.Host, u.Host)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// configureRetries are not counted against a quota: one bad minute of the server would
// turn into errors of requests that had nothing to do with it. Each request
// has its bound, and connections bound them all.
func configureRetries(o *retry.StandardOptions) {
	o.MaxAttempts = requestTries
	o.RateLimiter = ratelimit.None
	o.Backoff = retry.BackoffDelayerFunc(backoffFor)
	o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		if errors.Is(err, io.ErrUnexpectedEOF) { // a response that was cut
			return aws.TrueTernary
		}
		return aws.UnknownTernary
	}))
}

// backoffFor doubles from 100 ms to 10 s, with full jitter.
func backoffFor(try int, _ error) (time.Duration, error) {
	ceiling := 100 * time.Millisecond << min(max(try-1, 0), 7)
	return rand.N(min(ceiling, 10*time.Second)) + time.Millisecond, nil
}

func httpClient(stall time.Duration) *awshttp.BuildableClient {
	dialer := net.Dialer{Timeout: connectTime, KeepAlive: stallTime}
	return awshttp.NewBuildableClient().WithReadTimeout(0).WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxConnsPerHost = connections, connections, connections
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &stallConn{c, stall}, nil
		}
	})
}

// stallConn fails when nothing moves. Bytes that are sent count as well (the
// SDK's own read timeout would end every upload that takes longer than it).
type stallConn struct {
	net.Conn
	stall time.Duration
}

func (c *stallConn) Read(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *stallConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
