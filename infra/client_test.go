package infra

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"roundtable/infra/codec"
)

func TestPlaintextStaysOnThisMachine(t *testing.T) {
	own := &tls.Config{ServerName: "own"}
	for _, c := range []struct {
		target Target
		tls    bool
	}{
		{Target{HostPort: "127.0.0.1:7233"}, false},
		{Target{HostPort: "[::1]:7233"}, false},
		{Target{HostPort: "localhost:7233"}, false},
		{Target{HostPort: "127.0.0.1:7233", TLS: own}, true},
		{Target{HostPort: "temporal.example.org:7233"}, true},
		{Target{HostPort: "localhost.example.org:7233"}, true},
		{Target{HostPort: "10.0.0.1:7233"}, true},
		{Target{HostPort: "0.0.0.0:7233"}, true},
		{Target{HostPort: "10.0.0.1:7233", Insecure: true}, false},
	} {
		got, err := c.target.connectionOptions()
		if err != nil || (got.TLS != nil) != c.tls || got.TLSDisabled == c.tls {
			t.Errorf("%s: TLS %t, disabled %t, %v; want TLS %t", c.target.HostPort, got.TLS != nil, got.TLSDisabled, err, c.tls)
		}
	}
	for _, bad := range []Target{{}, {HostPort: "host"}, {HostPort: ":7233"}, {HostPort: "host:"}, {HostPort: "h:1", TLS: own, Insecure: true}} {
		if _, err := Dial(t.Context(), bad); err == nil {
			t.Errorf("%+v was dialled", bad)
		}
	}
}

func TestDialSaysWhoDidNotAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	began := time.Now()
	_, err = Dial(t.Context(), Target{HostPort: l.Addr().String(), Patience: 300 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), l.Addr().String()+" did not answer within 300ms") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("waited %s", took)
	}
}

func TestTargetFromEnv(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "cluster:7233")
	t.Setenv("TEMPORAL_NAMESPACE", "lab")
	if got := TargetFromEnv(""); got.HostPort != "cluster:7233" || got.Namespace != "lab" {
		t.Errorf("%+v", got)
	}
	if got := TargetFromEnv("flag:1"); got.HostPort != "flag:1" {
		t.Errorf("%+v", got)
	}
}

func TestDialRefusesABadKey(t *testing.T) {
	t.Setenv(codec.KeyEnv, "c0ffee")
	if _, err := Dial(t.Context(), Target{HostPort: "127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), codec.KeyEnv) {
		t.Errorf("dialled with a bad key: %v", err)
	}
}

func TestWorkerOptions(t *testing.T) {
	o := WorkerOptions()
	if o.DisableEagerActivities || *o.MaxEagerActivityReservationsPerWorkflowTask < 80 {
		t.Error("80 agents do not speak eagerly")
	}
	if o.TaskQueueActivitiesPerSecond != 0 {
		t.Error("a limit of the task queue turns eager activities off")
	}
}

// An API key and an own authority come from the environment; a file that cannot be read is said.
func TestCredentialsFromEnv(t *testing.T) {
	t.Setenv("TEMPORAL_API_KEY", "secret")
	got, err := Target{HostPort: "cloud:7233"}.WithCredentialsFromEnv()
	if err != nil || got.Credentials == nil || got.TLS == nil {
		t.Errorf("%+v, %v", got, err)
	}
	t.Setenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH", "/nowhere/ca.pem")
	if _, err := (Target{}).WithCredentialsFromEnv(); err == nil || !strings.Contains(err.Error(), "/nowhere/ca.pem") {
		t.Errorf("error %v", err)
	}
}
