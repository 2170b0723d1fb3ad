package plan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// addressKey is the parameter of a model that says where it is served; keyVariable the
// one that names the variable with that server's key, cachesMarks says what that server keeps.
const (
	addressKey  = "base_url"
	keyVariable = "api_key_env"
	cachesMarks = "cache_control"
)

// WithoutAddresses returns the condition without its models' addresses: a server that moves is
// the same treatment. A model with an address also loses the name of the variable that holds its
// key.
func (c Condition) WithoutAddresses() Condition {
	c.Env.Params, c.Protocol.Params = withoutInnerAddresses(c.Env.Params), withoutInnerAddresses(c.Protocol.Params)
	c.Rule.Params, c.Stop.Params = withoutInnerAddresses(c.Rule.Params), withoutInnerAddresses(c.Stop.Params)
	c.Model = c.Model.WithoutAddress()
	c.Models = maps.Clone(c.Models)
	for speaker, m := range c.Models {
		c.Models[speaker] = m.WithoutAddress()
	}
	if c.Agents != nil {
		a := *c.Agents
		a.List, a.Pool = agentsWithoutAddresses(a.List), agentsWithoutAddresses(a.Pool)
		c.Agents = &a
	}
	return c
}

func agentsWithoutAddresses(agents []Agent) []Agent {
	agents = slices.Clone(agents)
	for i, a := range agents {
		if a.Model != nil {
			m := a.Model.WithoutAddress()
			agents[i].Model = &m
		}
	}
	return agents
}

// Address returns the address at which a model is served; "" if the file gives none.
func (c Choice) Address() string {
	var address string
	_ = json.Unmarshal(c.ListParameters()[addressKey], &address) // the provider refuses other types
	return address
}

// WithoutAddress returns a model without its address.
func (c Choice) WithoutAddress() Choice {
	given := c.ListParameters()
	if given[addressKey] == nil {
		return c
	}
	delete(given, addressKey)
	delete(given, keyVariable)
	delete(given, cachesMarks)
	c.Params = nil
	if len(given) > 0 {
		c.Params = JSON(given)
	}
	return c
}

// withoutInnerAddresses does the same for models within a plug-in's parameters, such as
// a judge. What has no address stays byte for byte.
func withoutInnerAddresses(params json.RawMessage) json.RawMessage {
	if !bytes.Contains(params, []byte(`"`+addressKey+`"`)) {
		return params
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(params, &object) == nil {
		if object["name"] != nil && object[addressKey] != nil {
			return JSON(choiceOf(params).WithoutAddress().asWritten())
		}
		for key, v := range object {
			object[key] = withoutInnerAddresses(v)
		}
		return JSON(object)
	}
	var list []json.RawMessage
	if json.Unmarshal(params, &list) != nil {
		return params // a text that has the word
	}
	for i, v := range list {
		list[i] = withoutInnerAddresses(v)
	}
	return JSON(list)
}

// asWritten returns a choice as files write it: see choiceOf.
func (c Choice) asWritten() any {
	given := c.ListParameters()
	if len(given) == 0 {
		return c.Name
	}
	given["name"] = JSON(c.Name)
	return given
}
