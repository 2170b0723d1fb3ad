// Command provider is a provider of Terraform that knows the schema of a real one and
// nothing else, so that `terraform validate` and `terraform test` check a configuration
// against that schema without Terraform's registry. It makes nothing: what would reach a
// cloud is refused.
//
// The name of the program says which provider: terraform-provider-NAME. The schema is
// read from the file NAME.json in the folder SCHEMAS, as `terraform providers schema
// -json` writes it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
)

func main() {
	name := strings.TrimPrefix(filepath.Base(os.Args[0]), "terraform-provider-")
	s, err := load(filepath.Join(os.Getenv("SCHEMAS"), name+".json"))
	if err == nil {
		err = tf5server.Serve("registry.terraform.io/hashicorp/"+name, func() tfprotov5.ProviderServer { return &server{schema: s} })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "provider:", err)
		os.Exit(1)
	}
}

// load reads the one provider of a file.
func load(path string) (*tfprotov5.GetProviderSchemaResponse, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Providers map[string]struct {
			Provider    schema            `json:"provider"`
			Resources   map[string]schema `json:"resource_schemas"`
			DataSources map[string]schema `json:"data_source_schemas"`
		} `json:"provider_schemas"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range file.Providers {
		made := &tfprotov5.GetProviderSchemaResponse{
			ResourceSchemas:   map[string]*tfprotov5.Schema{},
			DataSourceSchemas: map[string]*tfprotov5.Schema{},
		}
		if made.Provider, err = p.Provider.protocol(); err != nil {
			return nil, fmt.Errorf("%s: provider: %w", path, err)
		}
		for of, schemas := range map[*map[string]*tfprotov5.Schema]map[string]schema{&made.ResourceSchemas: p.Resources, &made.DataSourceSchemas: p.DataSources} {
			for name, s := range schemas {
				if (*of)[name], err = s.protocol(); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", path, name, err)
				}
			}
		}
		return made, nil
	}
	return nil, fmt.Errorf("%s holds no provider", path)
}

// server answers what `validate` and mocked tests ask; the embedded interface is nil, so
// that any other request ends the program.
type server struct {
	tfprotov5.ProviderServer
	schema *tfprotov5.GetProviderSchemaResponse
}

func (s *server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	made := &tfprotov5.GetMetadataResponse{}
	for name := range s.schema.ResourceSchemas {
		made.Resources = append(made.Resources, tfprotov5.ResourceMetadata{TypeName: name})
	}
	for name := range s.schema.DataSourceSchemas {
		made.DataSources = append(made.DataSources, tfprotov5.DataSourceMetadata{TypeName: name})
	}
	return made, nil
}

func (s *server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return s.schema, nil
}

func (s *server) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{}, nil
}

func (s *server) PrepareProviderConfig(_ context.Context, r *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: r.Config}, nil
}

func (s *server) ConfigureProvider(context.Context, *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	return nil, errors.New("this provider knows schemas only, and makes nothing")
}

func (s *server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

// Terraform itself compares a configuration with the schema; a real provider would add
// its own rules here.

func (s *server) ValidateResourceTypeConfig(context.Context, *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return &tfprotov5.ValidateResourceTypeConfigResponse{}, nil
}

func (s *server) ValidateDataSourceConfig(context.Context, *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return &tfprotov5.ValidateDataSourceConfigResponse{}, nil
}
