package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	openTime  = 30 * time.Second
	openTries = 5
	// probeName is hidden: it does not show in lists.
	probeName = ".roundtable"
	maxPrefix = 300 // with maxKey less than the 1,024 bytes that S3 allows
)

var (
	bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
)

// location is s3://bucket/prefix?endpoint=…&path_style=…&region=…
type location struct {
	bucket, prefix   string
	endpoint, region string
	pathStyle        *bool
}

// Open opens the store at, an s3://bucket/prefix, and checks that it can be read, listed and
// written conditionally. The bucket must exist.
func Open(at string) (store.Store, error) {
	return openS3(context.Background(), at, stallTime)
}

// OpenToRead is Open without the check of writing, which is made before the first write: reading
// needs no right to write.
func OpenToRead(at string) (store.Store, error) {
	return readS3(context.Background(), at, stallTime)
}

func openS3(ctx context.Context, at string, stall time.Duration) (*S3, error) {
	s, err := readS3(ctx, at, stall)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	if err := s.checkWritable(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// readS3 opens the store without a write: who may only read can.
func readS3(ctx context.Context, at string, stall time.Duration) (*S3, error) {
	l, err := parseS3(at)
	if err != nil { // the text may hold a secret and is not repeated
		return nil, fmt.Errorf("lake s3://…: %w", err)
	}
	s := &S3{bucket: l.bucket, prefix: l.prefix}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	if s.client, err = newClient(ctx, l, stall); err != nil {
		return nil, fmt.Errorf("lake %s: %w", s, err)
	}
	if err := s.probeBucket(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func parseS3(at string) (location, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "s3" || u.User != nil || u.Fragment != "" {
		return location{}, errors.New("the location is s3://bucket/prefix; credentials are not part of it")
	}
	if !bucketName.MatchString(u.Host) {
		return location{}, errors.New("the location is s3://bucket/prefix, and this bucket's name is none: 3 to 63 " +
			"characters of a-z, 0-9, dot and hyphen")
	}
	l := location{bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	if l.prefix != "" {
		if err := store.CheckKey(l.prefix); err != nil || len(l.prefix) > maxPrefix {
			return l, fmt.Errorf("the prefix has names that are not empty and do not begin with a dot, and at most %d bytes", maxPrefix)
		}
		l.prefix += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return l, errors.New("what follows the ? cannot be read; it is name=value, joined by &")
	}
	for name, values := range query {
		if err := l.setOption(name, values); err != nil {
			return l, err
		}
	}
	return l, nil
}

func (l *location) setOption(name string, values []string) error {
	if len(values) != 1 || values[0] == "" {
		return fmt.Errorf("parameter %.40q has one value", name)
	}
	switch v := values[0]; name {
	case "endpoint":
		l.endpoint = v
	case "region":
		if !regionName.MatchString(v) {
			return errors.New("the region is a name such as eu-central-1")
		}
		l.region = v
	case "path_style":
		if !slices.Contains([]string{"true", "false"}, v) {
			return errors.New("path_style is true or false")
		}
		l.pathStyle = aws.Bool(v == "true")
	default:
		return fmt.Errorf("unknown parameter %.40q; expected endpoint, path_style or region", name)
	}
	return nil
}

// probeBucket finds out now what would otherwise fail in the middle of a command.
func (s *S3) probeBucket(ctx context.Context) error {
	list := &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &s.prefix, MaxKeys: aws.Int32(1)}
	if _, err := s.client.ListObjectsV2(ctx, list, fewTries); err != nil {
		return s.explainError("opening", "it", err)
	}
	// Without the right to list, a missing object looks like a forbidden one.
	missing := &s3.HeadObjectInput{Bucket: &s.bucket, Key: s.keyInBucket(probeName + "-missing")}
	if _, err := s.client.HeadObject(ctx, missing, fewTries); err != nil && !errors.Is(reasonOf(err), fs.ErrNotExist) {
		return s.explainError("opening", "it", err)
	}
	return nil
}

// checkWritable checks, once, that the bucket can be written with conditions.
func (s *S3) checkWritable(ctx context.Context) error {
	s.probing.Lock()
	defer s.probing.Unlock()
	if s.writable {
		return nil
	}
	if err := s.probeCondition(ctx, "If-None-Match", condition{noneMatch: aws.String("*")}); err != nil {
		return err
	}
	err := s.probeCondition(ctx, "If-Match", condition{match: aws.String(`"00000000000000000000000000000000"`)})
	s.writable = err == nil
	return err
}

// probeCondition writes the hidden object. The first time this may make it;
// after that the server has to refuse.
func (s *S3) probeCondition(ctx context.Context, header string, c condition) error {
	w := write{condition: c, name: s.keyInBucket(probeName), data: []byte("roundtable keeps a lake here\n")}
	for range 2 {
		err := s.sendWhole(ctx, w, fewTries)
		if w.isRefused(err) {
			return nil
		}
		if err != nil {
			return s.explainError("opening", "it", err)
		}
	}
	return fmt.Errorf("lake %s: the server ignores %s; two writers could both take themselves for the first, so it "+
		"cannot hold a lake", s, header)
}

// fewTries is for a user who waits in front of the screen.
func fewTries(o *s3.Options) { o.RetryMaxAttempts = openTries }
