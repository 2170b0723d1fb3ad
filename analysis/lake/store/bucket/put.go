package bucket

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"roundtable/analysis/lake/store"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"
)

const (
	// singlePut is the size up to which an object is one request.
	singlePut = 64 << 20
	partSize  = 16 << 20
	// partsAtOnce of one object.
	partsAtOnce = 4
	// uploadTries bounds uploads in parts that a conflict has ended.
	uploadTries = 4
	// abortTime is how long the parts of a failed upload may take to go.
	abortTime = 15 * time.Second
)

// condition is what must hold for a write, and the error if it does not.
type condition struct {
	match, noneMatch *string
	unmet            error
}

// write is one object on its way.
type write struct {
	condition
	name *string // in the bucket
	data []byte
	meta map[string]string
}

// putObject writes an object. The server may refuse it because our own earlier
// request, whose response was lost, had stored it. The random writer in the
// metadata tells that from another writer's object; a hash could not, for two
// writers may announce the same thing and only one may be first.
func (s *S3) putObject(ctx context.Context, doing, key string, data []byte, c condition) error {
	if err := checkUsable(ctx, key); err != nil {
		return err
	}
	if len(data) > store.MaxObject {
		return s.explainError(doing, key,
			fmt.Errorf("%d bytes are too many; an object has at most %d", len(data), store.MaxObject))
	}
	if err := s.checkWritable(ctx); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	w := write{condition: c, name: s.keyInBucket(key), data: data, meta: map[string]string{
		metaSHA256: hex.EncodeToString(sum[:]), metaWriter: rand.Text(),
	}}
	err := s.sendObject(ctx, w)
	unmet := w.isRefused(err)
	if unmet {
		var mine bool
		if mine, err = s.isWritten(ctx, w); mine {
			unmet = false
		}
	}
	if err != nil {
		return s.explainError(doing, key, err)
	}
	s.own.add(key) // also another's that was first
	if unmet {
		return fmt.Errorf("%s: %w", key, c.unmet)
	}
	return nil
}

// isRefused reports whether the condition did not hold.
func (w write) isRefused(err error) bool {
	return statusOf(err) == http.StatusPreconditionFailed || w.match != nil && codeOf(err) == missingCode
}

// isWritten reports whether the object that is there is this write's.
func (s *S3) isWritten(ctx context.Context, w write) (bool, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: w.name})
	if errors.Is(reasonOf(err), fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && out.Metadata[metaWriter] == w.meta[metaWriter], err
}

func (s *S3) sendObject(ctx context.Context, w write) error {
	if len(w.data) <= singlePut {
		return s.sendWhole(ctx, w)
	}
	for try := 1; ; try++ {
		err := s.sendParts(ctx, w)
		// The server has dropped the parts: because of a conflict, or because an
		// earlier request to join them was carried out.
		if lost := codeOf(err) == "NoSuchUpload"; !lost && !isConflict(err) {
			return err
		} else if lost {
			if mine, err := s.isWritten(ctx, w); mine || err != nil {
				return err
			}
		}
		if try == uploadTries || waitBefore(ctx, try) != nil {
			return err
		}
	}
}

func (s *S3) sendWhole(ctx context.Context, w write, options ...func(*s3.Options)) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: w.name, Body: bytes.NewReader(w.data), Metadata: w.meta,
		ChecksumSHA256: checksumOf(w.data), IfMatch: w.match, IfNoneMatch: w.noneMatch,
	}, append(options, retryConflicts)...)
	return err
}

// sendParts uploads a large object in parts; joining them is the one
// conditional step. Parts that cannot become an object are removed.
func (s *S3) sendParts(ctx context.Context, w write) error {
	created, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &s.bucket, Key: w.name, Metadata: w.meta, ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
	})
	if err != nil {
		return err
	}
	parts, err := s.uploadParts(ctx, w, created.UploadId)
	if err == nil {
		_, err = s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &s.bucket, Key: w.name, UploadId: created.UploadId, IfMatch: w.match, IfNoneMatch: w.noneMatch,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
		})
		if !isRejected(err) { // done, or nobody knows
			return err
		}
	}
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	_, _ = s.client.AbortMultipartUpload(later, &s3.AbortMultipartUploadInput{
		Bucket: &s.bucket, Key: w.name, UploadId: created.UploadId,
	})
	return err
}

func (s *S3) uploadParts(ctx context.Context, w write, upload *string) ([]types.CompletedPart, error) {
	parts := make([]types.CompletedPart, (len(w.data)+partSize-1)/partSize)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(partsAtOnce)
	for i := range parts {
		g.Go(func() error {
			data := w.data[i*partSize : min((i+1)*partSize, len(w.data))]
			part := types.CompletedPart{PartNumber: aws.Int32(int32(i) + 1), ChecksumSHA256: checksumOf(data)}
			out, err := s.client.UploadPart(ctx, &s3.UploadPartInput{
				Bucket: &s.bucket, Key: w.name, UploadId: upload, PartNumber: part.PartNumber,
				Body: bytes.NewReader(data), ChecksumSHA256: part.ChecksumSHA256,
			})
			if err != nil {
				return err
			}
			part.ETag = out.ETag
			parts[i] = part
			return nil
		})
	}
	return parts, g.Wait()
}

// checksumOf returns the SHA-256 as the server compares it with what arrived.
func checksumOf(data []byte) *string {
	sum := sha256.Sum256(data)
	return aws.String(base64.StdEncoding.EncodeToString(sum[:]))
}

// isConflict reports whether two writes met and neither was made: try again.
func isConflict(err error) bool { return codeOf(err) == conflictCode }

const conflictCode = "ConditionalRequestConflict"

// retryConflicts repeats what met another write; the SDK by itself does not.
func retryConflicts(o *s3.Options) {
	o.Retryer = retry.AddWithErrorCodes(o.Retryer, conflictCode)
}
