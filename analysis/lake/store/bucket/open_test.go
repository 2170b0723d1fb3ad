package bucket_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
)

// answers is a server that gives canned answers.
func answers(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	storetest.Credentials(t)
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

const emptyList = `<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated><KeyCount>0</KeyCount></ListBucketResult>`

// healthy answers like a server with an empty bucket that keeps to conditions.
func healthy(w http.ResponseWriter, r *http.Request) {
	switch {
	case isList(r):
		_, _ = w.Write([]byte(emptyList))
	case isConditional(r):
		refuse(w, r, http.StatusPreconditionFailed, "PreconditionFailed")
	case !isWrite(r):
		refuse(w, r, http.StatusNotFound, "NoSuchKey")
	}
}

// instead answers some requests otherwise than a healthy server.
func instead(of func(*http.Request) bool, status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if of(r) {
			w.Header().Set("X-Amz-Bucket-Region", "eu-west-3")
			refuse(w, r, status, code)
			return
		}
		healthy(w, r)
	}
}

// ignoring stores whatever comes, without a look at one header.
func ignoring(header string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if isWrite(r) && r.Header.Get(header) != "" {
			return
		}
		healthy(w, r)
	}
}

func TestS3OpeningSaysWhatIsWrong(t *testing.T) {
	for name, x := range map[string]struct {
		server http.HandlerFunc
		want   string
		is     error
	}{
		"healthy":              {healthy, "", nil},
		"no bucket":            {instead(isList, 404, "NoSuchBucket"), "no such bucket", nil},
		"nothing permitted":    {instead(anyRequest, 403, "AccessDenied"), "s3:ListBucket", fs.ErrPermission},
		"no right to look":     {instead(isHead, 403, ""), "s3:GetObject", fs.ErrPermission},
		"no right to write":    {instead(isWrite, 403, "AccessDenied"), "s3:PutObject", fs.ErrPermission},
		"unknown key":          {instead(anyRequest, 403, "InvalidAccessKeyId"), "does not accept the credentials", fs.ErrPermission},
		"wrong secret":         {instead(anyRequest, 403, "SignatureDoesNotMatch"), "does not accept the credentials", fs.ErrPermission},
		"expired":              {instead(anyRequest, 400, "ExpiredToken"), "expired", fs.ErrPermission},
		"redirect":             {instead(anyRequest, 301, "PermanentRedirect"), "another region; set AWS_REGION, or add ?region=… to the location: eu-west-3", nil},
		"another region":       {instead(anyRequest, 400, "AuthorizationHeaderMalformed"), "another region", nil},
		"clock":                {instead(isWrite, 403, "RequestTimeTooSkewed"), "clock", nil},
		"no conditions":        {ignoring("If-None-Match"), "ignores If-None-Match", nil},
		"no compare-and-swap":  {ignoring("If-Match"), "ignores If-Match", nil},
		"conditions unknown":   {instead(isConditional, 501, "NotImplemented"), "cannot do what a lake needs", nil},
		"full":                 {instead(isWrite, 507, "XMinioStorageFull"), "no room", syscall.ENOSPC},
		"something else":       {instead(isWrite, 400, "EntityTooSmall"), `the server says "injected" (EntityTooSmall, status 400)`, nil},
		"not an S3 server":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello")) }, "not an answer of an S3 server", nil},
		"an error page":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, `the server says "Not Found"`, nil},
		"unavailable too long": {instead(anyRequest, 503, "SlowDown"), "not able to serve just now", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bucket.Open(storetest.At(answers(t, x.server), "x"))
			told(t, err, x.want)
			if x.is != nil && !errors.Is(err, x.is) {
				t.Errorf("%v is not %v", err, x.is)
			}
			if x.is == nil && errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v would be taken for a missing object", err)
			}
		})
	}
}

// A bucket that may only be read is read; the first write says what is missing.
func TestS3WithoutTheRightToWrite(t *testing.T) {
	s, err := bucket.OpenToRead(storetest.At(answers(t, instead(isWrite, 403, "AccessDenied")), "x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing object: %v", err)
	}
	for range 2 {
		err = s.PutIfAbsent(t.Context(), "a", nil)
		if told(t, err, "s3:PutObject"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v is not %v", err, fs.ErrPermission)
		}
	}
}

// A server that ignores conditions is refused before anything is stored there.
func TestS3WithoutConditions(t *testing.T) {
	s, err := bucket.OpenToRead(storetest.At(answers(t, ignoring("If-Match")), "x"))
	if err != nil {
		t.Fatal(err)
	}
	told(t, s.Replace(t.Context(), "a", nil, ""), "ignores If-Match")
}

// told checks an error's text: no secrets, what is wanted, short enough to read.
func told(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want something with %q", err, want)
		return
	}
	if strings.Contains(err.Error(), "canary") || len(err.Error()) > 500 {
		t.Errorf("%v tells too much", err)
	}
	t.Log(err)
}

func TestS3WithoutCredentials(t *testing.T) {
	server := answers(t, healthy)
	os.Unsetenv("AWS_SECRET_ACCESS_KEY")
	os.Unsetenv("AWS_ACCESS_KEY_ID")
	_, err := bucket.Open(storetest.At(server, "x"))
	told(t, err, "no AWS credentials were found")
}

func TestS3WithoutServer(t *testing.T) {
	storetest.Credentials(t)
	_, err := bucket.Open(storetest.At("http://"+storetest.FreeAddress(t), "x"))
	told(t, err, "cannot be reached")
}

func TestS3Locations(t *testing.T) {
	storetest.Credentials(t)
	server := answers(t, healthy)
	for location, want := range map[string]string{
		"s3://bucket?endpoint=" + server:                                       "",
		"s3://bucket/a/b/?region=eu-west-3&path_style=true&endpoint=" + server: "",
		"s3://bucket/x":            "region is not known",
		"s3://":                    "s3://bucket/prefix",
		"s3:///x":                  "s3://bucket/prefix",
		"s3://key:canary@bucket/x": "credentials are not part of it",
		"s3://b/exp":               "3 to 63 characters",
		"s3://b%zz:canary@x":       "s3://bucket/prefix",
		"s3://bucket:canary/x":     "s3://bucket/prefix",
		"s3://bu cket/x":           "s3://bucket/prefix",
		"s3://bucket/x#canary":     "s3://bucket/prefix",
		"s3://bucket/a/../b":       "prefix has names",
		"s3://bucket/a//b":         "prefix has names",
		"s3://bucket/.hidden":      "prefix has names",
		"s3://bucket/" + strings.Repeat("x/", 200):  "prefix has names",
		"s3://bucket/x?colour=canary":               `unknown parameter "colour"; expected endpoint, path_style or region`,
		"s3://bucket/x?region=a&region=b":           "one value",
		"s3://bucket/x?region=":                     "one value",
		"s3://bucket/x?region=evil.example/":        "eu-central-1",
		"s3://bucket/x?path_style=yes":              "true or false",
		"s3://bucket/x?%zz=canary":                  "cannot be read",
		"s3://bucket/x?endpoint=canary":             "endpoint is not an address",
		"s3://bucket/x?endpoint=ftp://canary":       "endpoint is not an address",
		"s3://bucket/x?endpoint=http://me:canary@h": "more than an address",
	} {
		_, err := bucket.Open(location)
		told(t, err, want)
	}
}

// What the SDK reads from the environment counts, but an address there may not
// send data over a network in the clear.
func TestS3Endpoints(t *testing.T) {
	server := answers(t, healthy)
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Run(name, func(t *testing.T) {
			storetest.Credentials(t)
			t.Setenv(name, server)
			_, err := bucket.Open("s3://bucket/x")
			told(t, err, "")
			t.Setenv(name, "http://192.0.2.1:9000")
			_, err = bucket.Open("s3://bucket/x")
			told(t, err, "not encrypted")
			t.Setenv(name, "https://me:canary@192.0.2.1")
			_, err = bucket.Open("s3://bucket/x")
			told(t, err, "more than an address")
		})
	}
	for endpoint, want := range map[string]bool{
		"https://192.0.2.1": true, "http://192.0.2.1": false, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://localhost": true, "http://localhost.example": false, "http://127.0.0.1.example": false,
	} {
		if err := bucket.CheckEndpoint(&endpoint, false); (err == nil) != want {
			t.Errorf("the environment's endpoint %s: %v", endpoint, err)
		}
		if err := bucket.CheckEndpoint(&endpoint, true); err != nil {
			t.Errorf("the named endpoint %s: %v", endpoint, err)
		}
	}
}

// Where a server lists late, this process lists what it has stored itself, and its folders.
func TestListsWhatItStored(t *testing.T) {
	var opened atomic.Bool
	s, err := bucket.Open(storetest.At(answers(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !opened.Load() || isList(r):
			healthy(w, r)
		case isWrite(r):
			w.Header().Set("ETag", `"1"`)
		default:
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Content-Length", "3")
		}
	}), "x"))
	if err != nil {
		t.Fatal(err)
	}
	opened.Store(true)
	if err := s.PutIfAbsent(t.Context(), "a/b/1.json", []byte("123")); err != nil {
		t.Fatal(err)
	}
	all, err := s.List(t.Context(), "a/")
	if err != nil || len(all) != 1 || all[0].Key != "a/b/1.json" || all[0].Size != 3 {
		t.Errorf("it lists %v, %v", all, err)
	}
	if folders, err := s.(interface {
		Folders(ctx context.Context, prefix string) ([]string, error)
	}).Folders(t.Context(), "a/"); err != nil || !slices.Equal(folders, []string{"b"}) {
		t.Errorf("its folders are %v, %v", folders, err)
	}
}
