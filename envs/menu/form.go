package menu

import (
	"roundtable/envs"
	"roundtable/envs/joint"
	"roundtable/envs/jsonschema"
)

// ProposalForm is a list of dishes, each at most once.
func (s *session) ProposalForm() envs.Form {
	items := s.Items()
	return envs.Form{
		Schema:  jsonschema.Set(jsonschema.OneOf(items...), 0, len(items)),
		Example: string(s.Proposal([]int{0})),
	}
}

// EstimateForm names every ingredient and every dish in each of its parts.
func (s *session) EstimateForm() envs.Form {
	quantity := jsonschema.Number(0, joint.Most)
	ingredients, dishes := jsonschema.ObjectOf(s.ingredients, quantity), jsonschema.ObjectOf(s.Items(), quantity)
	example := Estimate{
		Ingredients: joint.State{s.ingredients[0]: 37}, PartnerIngredients: joint.State{s.ingredients[0]: 23},
		Values: joint.State{s.offered[0].Name: 41}, PartnerValues: joint.State{s.offered[0].Name: 19},
	}
	return envs.Form{
		Schema: jsonschema.Object(
			jsonschema.Property{Name: "partner_ingredients", Schema: ingredients},
			jsonschema.Property{Name: "partner_values", Schema: dishes},
			jsonschema.Property{Name: "ingredients", Schema: ingredients},
			jsonschema.Property{Name: "values", Schema: dishes}),
		Example: example.String(),
	}
}
