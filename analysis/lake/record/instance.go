package record

import _ "embed"

// Instances is the name of what is asked. It is not stored: whoever reads makes it from a
// campaign's plan and the data files that travel with it.
const Instances = "instances"

// Instance is one question of one condition, as it is dealt there. Key: campaign_id, condition_id, instance.
type Instance struct {
	CampaignID   string  `parquet:"campaign_id"`   // name: of the campaign file
	ConditionID  string  `parquet:"condition_id"`  // conditions may shuffle options or read other files
	Instance     int32   `parquet:"instance"`      // index, as in collaborations
	Environment  string  `parquet:"environment"`   // as the campaign names it
	InstanceID   string  `parquet:"instance_id"`   // the environment's name for the instance
	InstanceHash *string `parquet:"instance_hash"` // as in collaborations
	Source       *string `parquet:"source"`        // the data file, with the line or row
	Question     *string `parquet:"question"`      // what is asked; for a program's instances all that it tells readers
	Context      *string `parquet:"context"`       // story or paragraph of the question
	OptionsJSON  *string `parquet:"options_json"`  // in the order of their letters: ["ice", "fog"]
	KeyJSON      *string `parquet:"key_json"`      // the right answers, as decision_json
}

//go:embed instance.go
var instances string

// InstanceSchema describes the table of instances.
func InstanceSchema() (Table, error) {
	tables, err := describe(instances, nil, Instance{})
	if err != nil {
		return Table{}, err
	}
	return tables[0], nil
}

// Table returns the table's name.
func (Instance) Table() string { return Instances }
