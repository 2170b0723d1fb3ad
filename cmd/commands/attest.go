package commands

import (
	"cmp"
	"crypto/ed25519"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

func newAttest(o *cli.Options) *cobra.Command {
	var keyFile, file string
	var force bool
	cmd := &cobra.Command{
		Use:     "attest NAME",
		Short:   "Write the hashes of everything that a campaign has stored to a file, signed if a key is given",
		GroupID: toRead,
		Long: `Verify a campaign and write the length and SHA-256 of each of its objects to a
file. Elsewhere, roundtable verify NAME --attest FILE compares a copy of the
lake with the file. The same lake gives the same file.

With --key the file is signed, so that a reader who has the public key knows
who vouches for the results. Ed25519 keys are made by

  openssl genpkey -algorithm ed25519 -out key.pem
  openssl pkey -in key.pem -pubout -out key.pub.pem`,
		Example: `  roundtable attest my-campaign
  roundtable attest my-campaign --key key.pem -o my-campaign.signed.json`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := integrity.ReadPrivateKey(keyFile)
			if err != nil {
				return cli.UsageError(err)
			}
			file := cmp.Or(file, args[0]+".attestation.json")
			if err := cli.CheckOutput(file, force); err != nil {
				return cli.UsageError(err)
			}
			s, err := o.CheckLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			a, err := attestCampaign(cmd, s, o.Plugins, args[0])
			if err != nil {
				return err
			}
			if err := writeAttestation(a, key, file, force); err != nil {
				return err
			}
			return reportAttested(cmd.OutOrStdout(), o.JSON, a, key, file)
		},
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "sign with the Ed25519 private key in this PEM file")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to FILE (default: NAME.attestation.json)")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that exists")
	return cmd
}

// attestCampaign vouches for nothing that verify finds wrong.
func attestCampaign(cmd *cobra.Command, s store.Store, plugins catalogue.Catalogue,
	campaign string) (integrity.Statement, error) {
	ctx := cmd.Context()
	v, err := integrity.Check(ctx, s, plugins, campaign)
	if err != nil {
		return integrity.Statement{}, err
	}
	if !v.OK {
		return integrity.Statement{}, v.Write(cmd.ErrOrStderr(), false)
	}
	if n := len(v.Unlisted); n > 0 {
		return integrity.Statement{}, cli.FailedError(fmt.Errorf("the store does not list %s of %s yet; attest it again "+
			"later", wording.Count(n, "object"), campaign))
	}
	if v.Ended < v.Planned {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d planned cells have finished; attest the campaign again once more have\n", v.Ended, v.Planned)
	}
	a, err := integrity.NewStatement(ctx, s, campaign, v.Digest)
	info, _ := debug.ReadBuildInfo()
	program := cli.VersionOf(info)
	a.Program, a.Commit = program.Program, program.Commit
	return a, err
}

func writeAttestation(a integrity.Statement, key ed25519.PrivateKey, file string, force bool) error {
	f, err := cli.StageFile(file, func(w io.Writer) (int64, error) { return int64(len(a.Objects)), a.Write(w, key) })
	if err != nil {
		return err
	}
	return f.Publish(force)
}

// attested is the JSON of attest.
type attested struct {
	File      string `json:"file"`
	Campaign  string `json:"campaign"`
	Digest    string `json:"digest"`
	Objects   int    `json:"objects"`
	Bytes     int64  `json:"bytes"`
	Key       string `json:"key,omitempty"`        // fingerprint
	PublicKey string `json:"public_key,omitempty"` // PEM
}

func reportAttested(w io.Writer, asJSON bool, a integrity.Statement, key ed25519.PrivateKey, file string) error {
	r := attested{File: file, Campaign: a.Campaign, Digest: a.Digest, Objects: len(a.Objects), Bytes: a.Size()}
	if key != nil {
		public := key.Public().(ed25519.PublicKey)
		r.Key, r.PublicKey = integrity.Fingerprint(public), integrity.PublicPEM(public)
	}
	if asJSON {
		return cli.WriteJSON(w, r)
	}
	fmt.Fprintf(w, "%s: %s of campaign %s with %d bytes\nDigest: %s\n", r.File, wording.Count(r.Objects, "object"),
		r.Campaign, r.Bytes, r.Digest)
	if key == nil {
		fmt.Fprintln(w, "Signed: no; --key KEY signs it")
		return nil
	}
	fmt.Fprintf(w, "Signed: by key %s. Give this public key to readers:\n%s", r.Key, r.PublicKey)
	return nil
}
