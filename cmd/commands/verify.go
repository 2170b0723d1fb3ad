package commands

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
)

func newVerify(o *cli.Options) *cobra.Command {
	var file, keyFile string
	cmd := &cobra.Command{
		Use: "verify NAME",
		Short: "Check everything that a campaign has stored: checksums, row digests, counts against the plan, " +
			"decisions against ballots",
		GroupID: toRead,
		Long: `Check every object of a campaign against its checksum, count its cells, and
recount every decision from its ballots.

With --attest, compare it also with a file that roundtable attest has written,
here or elsewhere. With --public-key, the file must be signed by that key.`,
		Example: `  roundtable verify my-campaign
  roundtable verify my-campaign --attest my-campaign.attestation.json --public-key key.pub.pem`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			compare, err := readComparison(args[0], file, keyFile)
			if err != nil {
				return cli.UsageError(err)
			}
			s, err := o.CheckLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			v, err := integrity.Check(cmd.Context(), s, o.Plugins, args[0])
			if err == nil && compare != nil {
				err = v.Compare(cmd.Context(), s, *compare)
			}
			if err != nil {
				return err
			}
			return v.Write(cmd.OutOrStdout(), o.JSON)
		},
	}
	cmd.Flags().StringVar(&file, "attest", "", "compare with this file of roundtable attest, too")
	cmd.Flags().StringVar(&keyFile, "public-key", "",
		"with --attest: the Ed25519 public key, a PEM file, that must have signed it")
	return cmd
}

// readComparison reads what a campaign is to be compared with; nil if with nothing.
func readComparison(campaign, file, keyFile string) (*integrity.Expected, error) {
	if file == "" {
		if keyFile != "" {
			return nil, errors.New("--public-key needs --attest FILE, whose signature it checks")
		}
		return nil, nil
	}
	key, err := integrity.ReadPublicKey(keyFile)
	if err != nil {
		return nil, err
	}
	a, err := integrity.ReadAttestation(file)
	if err != nil {
		return nil, err
	}
	if a.Campaign != campaign {
		return nil, fmt.Errorf("%s is of campaign %q, not of %s", file, a.Campaign, campaign)
	}
	return &integrity.Expected{Attestation: a, File: file, Key: key}, nil
}
