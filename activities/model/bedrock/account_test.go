package bedrock

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

// without makes a model in an environment that the test then fills.
func without(t *testing.T, url string) model.Model {
	t.Helper()
	m, err := New(Config{Model: claude, Region: "eu-central-1", BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// silent is a server that nothing may be sent to.
func silent(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }))
	t.Cleanup(s.Close)
	return s.URL
}

func TestNoCredentials(t *testing.T) {
	clean(t)
	_, err := without(t, silent(t)).Complete(t.Context(), modeltest.Question)
	e := modeltest.Failure(t, err)
	if e.Class != model.Pause || e.Code != "no_credentials" || !e.Unbilled || e.Provider != "bedrock" {
		t.Errorf("got %+v", *e)
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"} {
		if !strings.Contains(e.Message, name) {
			t.Errorf("the message does not name %s: %s", name, e.Message)
		}
	}
}

// container serves credentials as ECS and EKS do, on this machine.
func container(t *testing.T, h http.HandlerFunc) (asked *atomic.Int32) {
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1); h(w, r) }))
	t.Cleanup(s.Close)
	clean(t)
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", s.URL)
	return asked
}

func TestCredentialsAreAskedForAtTheFirstCallOnly(t *testing.T) {
	asked := container(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"AccessKeyId":"ASIAROLE","SecretAccessKey":"`+modeltest.Canary+`","Token":"t","Expiration":"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a := r.Header.Get("Authorization"); !strings.Contains(a, "Credential=ASIAROLE/") || r.Header.Get("X-Amz-Security-Token") != "t" {
			t.Errorf("signed with %s", a)
		}
		_, _ = io.WriteString(w, answered)
	}))
	defer s.Close()
	m := without(t, s.URL)
	if n := asked.Load(); n != 0 {
		t.Errorf("New asked for credentials")
	}
	for range 3 {
		if _, err := m.Complete(t.Context(), modeltest.Question); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("credentials were asked for %d times", n)
	}
}

func TestCredentialsThatDoNotCome(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		class  model.Class
		code   string
	}{
		"refused":      {403, model.Pause, "no_credentials"},
		"out of order": {503, model.Retry, "credentials_unavailable"},
		"too many":     {429, model.Retry, "credentials_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			container(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) })
			m := without(t, silent(t))
			// As the chain makes it, but without the SDK's seconds of waiting.
			m.(*client).account.chain = endpointcreds.New(os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
				func(o *endpointcreds.Options) { o.Retryer = aws.NopRetryer{} })
			_, err := m.Complete(t.Context(), modeltest.Question)
			if e := modeltest.Failure(t, err); e.Class != c.class || e.Code != c.code || !e.Unbilled {
				t.Errorf("got %+v", *e)
			}
		})
	}
}

func TestSTSThatCannotBeReachedIsTriedAgain(t *testing.T) {
	clean(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	token := t.TempDir() + "/token"
	if err := os.WriteFile(token, []byte("jwt"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ENDPOINT_URL_STS", closed.URL)
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", token)
	t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/lab")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	_, err := without(t, silent(t)).Complete(t.Context(), modeltest.Question)
	if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "credentials_unavailable" || !e.Unbilled {
		t.Errorf("got %+v", *e)
	}
}

// This machine is perhaps none of AWS's, and then nothing will ever answer there.
func TestMetadataServiceThatCannotBeReached(t *testing.T) {
	clean(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	m := without(t, silent(t))
	m.(*client).account.chain = ec2rolecreds.New(func(o *ec2rolecreds.Options) {
		o.Client = imds.New(imds.Options{Endpoint: closed.URL, Retryer: aws.NopRetryer{}})
	})
	_, err := m.Complete(t.Context(), modeltest.Question)
	if e := modeltest.Failure(t, err); e.Class != model.Pause || e.Code != "no_credentials" || !e.Unbilled {
		t.Errorf("got %+v", *e)
	}
}

func TestWaitingForCredentialsEndsWithTheCall(t *testing.T) {
	over := make(chan struct{})
	container(t, func(http.ResponseWriter, *http.Request) { <-over })
	defer close(over)
	m := without(t, silent(t))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Complete(ctx, modeltest.Question)
	if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "timeout" || !e.Unbilled {
		t.Errorf("got %+v", *e)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	_, err = m.Complete(cancelled, modeltest.Question)
	if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "canceled" || !e.Unbilled {
		t.Errorf("got %+v", *e)
	}
}

// A person who was asked to act changes the file; the process goes on.
func TestCredentialsThatFailedAreReadAgain(t *testing.T) {
	clean(t)
	file := os.Getenv("AWS_SHARED_CREDENTIALS_FILE")
	write := func(id string) {
		if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = "+id+"\naws_secret_access_key = "+modeltest.Canary+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "=AKIAOLD/") {
			w.Header().Set("X-Amzn-Errortype", "ExpiredTokenException")
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, answered)
	}))
	defer s.Close()
	m := without(t, s.URL)
	for _, change := range []func(){func() {}, func() { write("AKIAOLD") }} {
		change()
		_, err := m.Complete(t.Context(), modeltest.Question)
		if e := modeltest.Failure(t, err); e.Class != model.Pause {
			t.Fatalf("got %+v", *e)
		}
	}
	write("AKIANEW")
	if _, err := m.Complete(t.Context(), modeltest.Question); err != nil {
		t.Error(err)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	who := identity{token: "ABSK-abc", keys: aws.Credentials{SecretAccessKey: "wJalrXUtn", SessionToken: "FwoGZXIv"}}
	got := who.newReporter().Text("ABSK-abc, wJalrXUtn and FwoGZXIv", 100)
	for _, secret := range []string{"abc", "wJal", "Fwo"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q in %q", secret, got)
		}
	}
}
