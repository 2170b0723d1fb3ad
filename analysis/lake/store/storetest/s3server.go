package storetest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	// ServerVariable names a built versitygw; .ci/s3server builds one.
	ServerVariable = "ROUNDTABLE_S3_SERVER"
	bucket         = "bucket"
	accessKey      = "TESTACCESSKEY"
	secretKey      = "canary-of-the-secret-key"
)

// S3Server runs a real S3 server on an empty folder and is its endpoint. The
// test is skipped where ROUNDTABLE_S3_SERVER names none.
func S3Server(t testing.TB) string {
	t.Helper()
	program := os.Getenv(ServerVariable)
	if program == "" {
		t.Skipf("%s names no S3 server; see docs/guides/s3.md for how to build one", ServerVariable)
	}
	Credentials(t)
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	address := FreeAddress(t)
	var output bytes.Buffer
	server := exec.Command(program, "--quiet", "--keep-alive", "--health", "/health", "--port", address, "posix", root)
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	server.Stdout, server.Stderr = &output, &output
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		if err := <-ended; err == nil {
			t.Error("the S3 server has ended by itself")
		}
	})
	health := http.Client{Timeout: time.Second} // another process may have taken the address
	for {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the S3 server has ended: %v\n%s", err, &output)
		case <-time.After(10 * time.Millisecond):
		}
		if r, err := health.Get("http://" + address + "/health"); err == nil {
			r.Body.Close()
			return "http://" + address
		}
	}
}

// FreeAddress of this computer that nobody listens at.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Credentials keeps this computer's own AWS settings away from a test.
func Credentials(t testing.TB) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_SESSION_TOKEN": "",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_PROFILE": "",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "",
		"AWS_WEB_IDENTITY_TOKEN_FILE": "",
	} {
		if value == "" {
			t.Setenv(name, "x") // so that it comes back after the test
			os.Unsetenv(name)
			continue
		}
		t.Setenv(name, value)
	}
}

// At returns the address of a lake on such a server.
func At(endpoint, prefix string) string {
	return fmt.Sprintf("s3://%s/%s?endpoint=%s", bucket, prefix, url.QueryEscape(endpoint))
}
