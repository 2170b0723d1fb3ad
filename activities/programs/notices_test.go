package programs_test

import (
	"strings"
	"testing"

	"roundtable/activities/programs"
	"roundtable/analysis/lake"
	"roundtable/workflows/plan"
)

// A campaign's file sends notices to no other machine unencrypted, and errors hold no secret.
func TestAddress(t *testing.T) {
	t.Setenv("ROUNDTABLE_TRUST", "")
	t.Setenv("HOOK", "https://hooks.example/secret?token=secret")
	t.Setenv("PLAIN", "http://hooks.example/secret?token=secret")
	t.Setenv("NO_ADDRESS", "sk-secret")
	for _, c := range []struct {
		n    plan.Notify
		says string // in the error; empty if there is none
	}{
		{plan.Notify{Webhook: "https://hooks.example/x"}, ""},
		{plan.Notify{Webhook: "http://127.0.0.1:9/x"}, ""},
		{plan.Notify{WebhookEnv: "HOOK"}, ""},
		{plan.Notify{Webhook: "http://hooks.example/x"}, "ROUNDTABLE_TRUST"},
		{plan.Notify{Webhook: "http://169.254.169.254/latest"}, "notify.webhook"},
		{plan.Notify{WebhookEnv: "PLAIN"}, "ROUNDTABLE_TRUST"},
		{plan.Notify{WebhookEnv: "NO_ADDRESS"}, "holds no address"},
		{plan.Notify{WebhookEnv: "NOT_SET_AT_ALL"}, "is not set"},
	} {
		u, err := programs.WebhookAddress(c.n)
		if c.says == "" {
			if err != nil || u.Hostname() == "" {
				t.Errorf("%+v: %v", c.n, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", c.n, err)
		}
	}
}

// Ids are the same each time, and tell events apart.
func TestIDs(t *testing.T) {
	id := programs.NewNoticeID("pause", "c", "run/1")
	if id != programs.NewNoticeID("pause", "c", "run/1") || id == programs.NewNoticeID("pause", "c", "run/2") || !strings.HasPrefix(id, "pause-") || len(id) != len("pause-")+16 {
		t.Error(id)
	}
	sealed := lake.Success{Revision: "r", Digest: "d"}
	if programs.EndNoticeID("c", sealed, 1, 0, 0) != programs.EndNoticeID("c", sealed) || programs.EndNoticeID("c", lake.Success{}, 1, 0, 0) == programs.EndNoticeID("c", lake.Success{}, 2, 0, 0) {
		t.Error("ids of ends")
	}
}
