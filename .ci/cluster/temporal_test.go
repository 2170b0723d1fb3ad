package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
	"time"
)

// temporalServer is Temporal's own server, all four services in one process.
type temporalServer struct {
	*process
	address string
}

// temporalConfig is what its configuration is made of.
type temporalConfig struct {
	Postgres string // port; without one it keeps its data in memory
	Ports    []int
	Frontend string // lines of global.tls.frontend
	Worker   string // lines of global.tls.systemWorker: it is a client of the frontend, too
	Keys     string // address of the keys (JWKS) that sign API keys; "" asks for none
}

var temporalTemplate = template.Must(template.New("").Parse(`log: {stdout: true, level: error}
persistence:
  defaultStore: default
  visibilityStore: visibility
  numHistoryShards: 4
  datastores:
{{- range $store, $name := .Stores}}
    {{$store}}:
      sql:
{{- if $.Postgres}}
        pluginName: postgres12
        databaseName: {{$name}}
        connectAddr: 127.0.0.1:{{$.Postgres}}
        connectProtocol: tcp
        user: temporal
        maxConns: 20
        maxIdleConns: 20
        maxConnLifetime: 1h
{{- else}}
        pluginName: sqlite
        databaseName: {{$name}}
        connectAddr: localhost
        connectProtocol: tcp
        connectAttributes: {mode: memory, cache: private}
        maxConns: 1
        maxIdleConns: 1
{{- end}}
{{- end}}
global:
  membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}
{{- if .Frontend}}
  tls:
    frontend: {{.Frontend}}
    systemWorker: {{.Worker}}
{{- end}}
{{- if .Keys}}
  authorization:
    authorizer: default
    claimMapper: default
    jwtKeyProvider: {keySourceURIs: ["{{.Keys}}"], refreshInterval: 1m}
{{- end}}
services:
  frontend: {rpc: {grpcPort: {{index .Ports 0}}, membershipPort: {{index .Ports 1}}, bindOnLocalHost: true}}
{{- if .Keys}}
  internal-frontend: {rpc: {grpcPort: {{index .Ports 8}}, membershipPort: {{index .Ports 9}}, bindOnLocalHost: true}}
{{- end}}
  matching: {rpc: {grpcPort: {{index .Ports 2}}, membershipPort: {{index .Ports 3}}, bindOnLocalHost: true}}
  history: {rpc: {grpcPort: {{index .Ports 4}}, membershipPort: {{index .Ports 5}}, bindOnLocalHost: true}}
  worker: {rpc: {grpcPort: {{index .Ports 6}}, membershipPort: {{index .Ports 7}}, bindOnLocalHost: true}}
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation:
    active: {enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: 127.0.0.1:{{index .Ports 0}}}
dcRedirectionPolicy: {policy: noop}
`))

// Stores are the databases by what they are for.
func (temporalConfig) Stores() map[string]string {
	return map[string]string{"default": "temporal", "visibility": "visibility"}
}

func newTemporal(t *testing.T, c temporalConfig) *temporalServer {
	t.Helper()
	c.Ports = freePorts(t, 10)
	dir := t.TempDir()
	var text strings.Builder
	if err := temporalTemplate.Execute(&text, c); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "temporal.yaml")
	write(t, file, text.String())
	s := &temporalServer{address: local(c.Ports[0])}
	s.process = newProcess(t, dir, "temporal", func() *exec.Cmd {
		args := []string{"--config-file", file, "--allow-no-auth", "start"}
		if c.Keys != "" {
			args = []string{"--config-file", file, "start", "--service", "frontend", "--service", "internal-frontend", "--service", "history", "--service", "matching", "--service", "worker"}
		}
		return exec.Command(filepath.Join(*servers, "server"), args...)
	})
	until(t, "Temporal's server", time.Minute, func() bool {
		if !s.alive() {
			t.Fatalf("Temporal's server has ended\n%s", s.said())
		}
		return listens(s.address)
	})
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// bucketServer is a server that speaks S3, on a folder.
type bucketServer struct {
	*process
	address string
	folder  string // of the one bucket
}

const accessKey, secretKey, bucket = "cluster-test", "cluster-secret", "lab"

func newBucketServer(t *testing.T) *bucketServer {
	t.Helper()
	root := t.TempDir()
	s := &bucketServer{address: local(freePorts(t, 1)[0]), folder: filepath.Join(root, bucket)}
	if err := os.Mkdir(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s.process = newProcess(t, t.TempDir(), "s3", func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(*servers, "s3server"), "--quiet", "--keep-alive", "--health", "/health", "--port", s.address, "posix", root)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
		return cmd
	})
	until(t, "the S3 server", time.Minute, func() bool { return listens(s.address) })
	return s
}
