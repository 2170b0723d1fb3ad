// Package bucket keeps the objects of a lake in a bucket of Amazon S3, or of a server that
// speaks its protocol, with all that package store promises. It is apart from that package so
// that only the program links the client.
package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// S3 is a Store in a bucket of Amazon S3 or of a server that speaks its
// protocol. The server decides which writer is first (If-None-Match) and
// whether an object has changed (If-Match); one that ignores these is refused
// when the store is opened. An ETag is the server's. Requests that fail in
// passing are repeated; what was read is checked against the SHA-256 that was
// stored with it. A write whose outcome is not known is an error, and is never undone.
type S3 struct {
	client *s3.Client
	bucket string
	prefix string // of all keys; empty or ends in "/"

	probing  sync.Mutex
	writable bool // checkWritable found so

	own ownWrites
}

// readTries bounds how often an object is read whose bytes arrive cut or damaged.
const readTries = 6

// Metadata of every object that was written here.
const (
	metaSHA256 = "sha256" // of the content, hexadecimal
	metaWriter = "writer" // random, of one call of PutIfAbsent or Replace
)

func (s *S3) String() string {
	return strings.TrimSuffix("s3://"+s.bucket+"/"+s.prefix, "/")
}

func (s *S3) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return s.putObject(ctx, "storing", key, data, condition{noneMatch: aws.String("*"), unmet: store.ErrExists})
}

func (s *S3) Replace(ctx context.Context, key string, data []byte, etag string) error {
	c := condition{unmet: store.ErrChanged}
	if etag != "" {
		c.match = &etag
	}
	return s.putObject(ctx, "replacing", key, data, c)
}

func (s *S3) Get(ctx context.Context, key string) ([]byte, error) {
	var body bytes.Buffer
	_, _, err := s.downloadObject(ctx, key, func(size int64) io.Writer {
		body.Reset()
		body.Grow(int(size))
		return &body
	})
	if err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// Hash reads the whole object and hashes it: what the server says of it is no proof.
func (s *S3) Hash(ctx context.Context, key string) (size int64, sum string, err error) {
	return s.downloadObject(ctx, key, func(int64) io.Writer { return io.Discard })
}

// downloadObject reads an object into what begin returns, which is called once for each try.
func (s *S3) downloadObject(ctx context.Context, key string, begin func(size int64) io.Writer) (size int64,
	sum string, err error) {
	if err := checkUsable(ctx, key); err != nil {
		return 0, "", err
	}
	for try := 1; ; try++ {
		size, sum, again, err := s.readObject(ctx, key, begin)
		if err == nil {
			return size, sum, nil
		}
		if !again || try == readTries || waitBefore(ctx, try) != nil {
			return 0, "", s.explainError("reading", key, err)
		}
	}
}

// readObject reads an object once; again says that the bytes were bad, not the answer.
func (s *S3) readObject(ctx context.Context, key string, begin func(size int64) io.Writer) (n int64, sum string,
	again bool, err error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: s.keyInBucket(key)})
	if err != nil {
		return 0, "", false, err
	}
	defer out.Body.Close()
	size := aws.ToInt64(out.ContentLength)
	if size > store.MaxObject {
		return 0, "", false, fmt.Errorf("%d bytes are too many; an object has at most %d", size, store.MaxObject)
	}
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(begin(size), h), io.LimitReader(out.Body, store.MaxObject+1))
	if err != nil {
		return 0, "", ctx.Err() == nil, fmt.Errorf("cut after %d of %d bytes: %w", n, size, err)
	}
	if out.ContentLength != nil && n != size {
		return 0, "", true, fmt.Errorf("%d of %d bytes arrived: %w", n, size, io.ErrUnexpectedEOF)
	}
	sum = hex.EncodeToString(h.Sum(nil))
	if want := out.Metadata[metaSHA256]; want != "" && want != sum {
		return 0, "", true, fmt.Errorf("%w: its SHA-256 is not the one it was stored with", store.ErrCorrupt)
	}
	return n, sum, false, nil
}

func (s *S3) Head(ctx context.Context, key string) (store.Object, error) {
	if err := checkUsable(ctx, key); err != nil {
		return store.Object{}, err
	}
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: s.keyInBucket(key)})
	if err != nil {
		return store.Object{}, s.explainError("reading", key, err)
	}
	return store.Object{Key: key, Size: aws.ToInt64(out.ContentLength), ETag: aws.ToString(out.ETag)}, nil
}

func (s *S3) List(ctx context.Context, prefix string) ([]store.Object, error) {
	var all []store.Object
	own := s.own.keysBelow(prefix)
	err := s.eachPage(ctx, prefix, "", func(page *s3.ListObjectsV2Output) {
		for _, o := range page.Contents {
			key := strings.TrimPrefix(aws.ToString(o.Key), s.prefix)
			if store.CheckKey(key) == nil { // others are not of the lake
				all = append(all, store.Object{Key: key, Size: aws.ToInt64(o.Size), ETag: aws.ToString(o.ETag)})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) })
	return s.own.completeListing(ctx, all, own, s.Head)
}

// Folders returns the names directly below a prefix that have objects below them, sorted.
func (s *S3) Folders(ctx context.Context, prefix string) ([]string, error) {
	var folders []string
	err := s.eachPage(ctx, prefix, "/", func(page *s3.ListObjectsV2Output) {
		for _, p := range page.CommonPrefixes {
			if name := path.Base(aws.ToString(p.Prefix)); store.CheckKey(name) == nil {
				folders = append(folders, name)
			}
		}
	})
	for _, key := range s.own.keysBelow(prefix) {
		if name, _, isFolder := strings.Cut(strings.TrimPrefix(key, prefix), "/"); isFolder {
			folders = append(folders, name)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), err
}

func (s *S3) eachPage(ctx context.Context, prefix, delimiter string, each func(*s3.ListObjectsV2Output)) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	in := &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: s.keyInBucket(prefix)}
	if delimiter != "" {
		in.Delimiter = &delimiter
	}
	for pages := s3.NewListObjectsV2Paginator(s.client, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s.explainError("listing", prefix, err)
		}
		each(page)
	}
	return nil
}

func (s *S3) Delete(ctx context.Context, key string) error {
	if err := checkUsable(ctx, key); err != nil {
		return err
	}
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: s.keyInBucket(key)})
	if err = store.IgnoreMissing(s.explainError("deleting", key, err)); err == nil {
		s.own.drop(key)
	}
	return err
}

// keyInBucket returns a key's name in the bucket.
func (s *S3) keyInBucket(key string) *string { return aws.String(s.prefix + key) }

func checkUsable(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return store.CheckKey(key)
}

func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	folder, ok := strings.CutSuffix(prefix, "/")
	if !ok {
		return fmt.Errorf("lake: prefix %q does not end in a slash", prefix)
	}
	return store.CheckKey(folder)
}

// waitBefore waits before another try, or until ctx is done.
func waitBefore(ctx context.Context, try int) error {
	wait, _ := backoffFor(try, nil)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
