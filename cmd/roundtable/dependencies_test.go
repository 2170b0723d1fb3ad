package main

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy are packages that a build must not compile again: all that the program
// needs of them is small. Names that end with a slash stand for all below as
// well. What they take of a build is in docs/decisions/README.md.
var heavy = []string{
	"github.com/openai/openai-go/",
	"github.com/anthropics/anthropic-sdk-go/",
	"google.golang.org/genai/",
	"go.temporal.io/server/temporal",
	"k8s.io/",
	"cloud.google.com/go/run/",
	"github.com/aws/aws-sdk-go-v2/service/bedrockagentcore/",
	"github.com/aws/aws-sdk-go-v2/service/ecs/",
	"github.com/aws/aws-sdk-go-v2/service/lambda/",
}

func TestProgramLinksNothingHeavyForNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	noError(t, err)
	for p := range strings.FieldsSeq(string(out)) {
		for _, h := range heavy {
			if p == h || strings.HasSuffix(h, "/") && strings.HasPrefix(p+"/", h) {
				t.Errorf("the program links %s", p)
			}
		}
	}
}
