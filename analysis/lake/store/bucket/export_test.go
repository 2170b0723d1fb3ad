package bucket

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

var (
	// OpenStalling is Open with another stallTime.
	OpenStalling  = openS3
	CheckEndpoint = checkEndpoint
)

// Uploads is the number of uploads in parts that have neither ended nor been removed.
func (s *S3) Uploads(t testing.TB) int {
	t.Helper()
	out, err := s.client.ListMultipartUploads(context.Background(), &s3.ListMultipartUploadsInput{Bucket: &s.bucket})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Uploads)
}
