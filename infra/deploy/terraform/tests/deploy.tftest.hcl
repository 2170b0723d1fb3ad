# terraform test (1.11 or later): plans with made-up answers of the providers, so no
# account is asked.

mock_provider "aws" {
  override_during = plan

  mock_data "aws_iam_policy_document" {
    defaults = {
      json = "{}"
    }
  }

  mock_data "aws_caller_identity" {
    defaults = {
      account_id = "111122223333"
    }
  }
}

mock_provider "random" {
  override_during = plan
}

variables {
  region             = "eu-central-1"
  image              = "111122223333.dkr.ecr.eu-central-1.amazonaws.com/roundtable:0.1"
  vpc_id             = "vpc-1"
  private_subnet_ids = ["subnet-1", "subnet-2"]
  bucket             = "my-bucket"
  keys = {
    OPENAI_API_KEY = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:openai"
  }
}

run "own_server" {
  command = plan

  variables {
    expire_raw_campaigns = ["old"]
  }

  assert {
    condition     = output.lake == "s3://my-bucket/experiments?region=eu-central-1"
    error_message = "The lake is where the variables say."
  }

  # docs/guides/s3.md, Keeping it tidy: what must stay (answers/, raw/_commits/,
  # raw/labels/, raw/features/, lake/, budget/) has no rule that expires it.
  assert {
    condition = toset([
      for rule in aws_s3_bucket_lifecycle_configuration.lake.rule : rule.filter[0].prefix
      if !contains(["unfinished uploads", "what was replaced or deleted"], rule.id)
      ]) == toset([
      for table in ["collaborations", "rounds", "turns", "ballots", "calls"] :
      "experiments/raw/${table}/campaign=old/"
    ])
    error_message = "Only raw rows of the named campaigns expire."
  }

  assert {
    condition     = length(aws_s3_bucket_lifecycle_configuration.lake.rule) == 7
    error_message = "Two rules for all, and one for each of five tables."
  }

  assert {
    condition     = alltrue([for rule in aws_s3_bucket_lifecycle_configuration.lake.rule : length(rule.transition) == 0])
    error_message = "Nothing goes to an archive class."
  }

  assert {
    condition     = aws_s3_bucket_versioning.lake.versioning_configuration[0].status == "Enabled"
    error_message = "The bucket keeps versions."
  }

  assert {
    condition = jsondecode(aws_ecs_task_definition.worker.container_definitions)[0].command == [
      "worker", "--metrics", ":9090", "--log-format", "json", "--insecure",
    ]
    error_message = "Workers speak plaintext to a server here."
  }

  assert {
    condition = alltrue([
      for c in jsondecode(aws_ecs_task_definition.worker.container_definitions) :
      c.readonlyRootFilesystem && c.user == "65532:65532" && c.linuxParameters.capabilities.drop == ["ALL"]
    ])
    error_message = "Workers are not root and cannot write to their root."
  }

  assert {
    condition     = [for s in jsondecode(aws_ecs_task_definition.worker.container_definitions)[0].secrets : s.name] == ["OPENAI_API_KEY"]
    error_message = "Keys come from Secrets Manager."
  }

  assert {
    condition     = aws_db_instance.temporal[0].storage_encrypted && !aws_db_instance.temporal[0].publicly_accessible
    error_message = "The database is encrypted and private."
  }

  assert {
    condition     = toset(data.aws_iam_policy_document.lake.statement[1].actions) == toset(["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"])
    error_message = "Workers may do with objects what the program does, and no more."
  }

  assert {
    condition     = length(data.aws_iam_policy_document.lake.statement) == 2
    error_message = "Without a key of KMS and models of Bedrock there are no rights to them."
  }
}

run "cloud_by_api_key" {
  command = plan

  variables {
    temporal_cloud = {
      address     = "eu-central-1.aws.api.temporal.io:7233"
      namespace   = "experiments.a1b2c"
      api_key_arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:temporal"
    }
  }

  assert {
    condition     = length(aws_db_instance.temporal) == 0 && length(aws_ecs_service.temporal) == 0
    error_message = "Temporal Cloud needs no server and no database here."
  }

  assert {
    condition     = [for s in jsondecode(aws_ecs_task_definition.worker.container_definitions)[0].secrets : s.name] == ["OPENAI_API_KEY", "TEMPORAL_API_KEY"]
    error_message = "The API key is a secret."
  }

  assert {
    condition     = !contains(jsondecode(aws_ecs_task_definition.worker.container_definitions)[0].command, "--insecure")
    error_message = "Temporal Cloud is reached with TLS."
  }
}

run "cloud_by_certificate" {
  command = plan

  variables {
    temporal_cloud = {
      address         = "experiments.a1b2c.tmprl.cloud:7233"
      namespace       = "experiments.a1b2c"
      client_cert_arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:cert"
      client_key_arn  = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:key"
    }
  }

  assert {
    condition = [for s in jsondecode(aws_ecs_task_definition.worker.container_definitions)[0].secrets : s.name] == [
      "OPENAI_API_KEY", "TEMPORAL_TLS_CLIENT_CERT_DATA", "TEMPORAL_TLS_CLIENT_KEY_DATA",
    ]
    error_message = "Certificate and key are secrets."
  }
}

run "key_without_certificate" {
  command = plan

  variables {
    temporal_cloud = {
      address        = "experiments.a1b2c.tmprl.cloud:7233"
      namespace      = "experiments.a1b2c"
      client_key_arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:key"
    }
  }

  expect_failures = [var.temporal_cloud]
}

run "workers_on_eks" {
  command = plan

  variables {
    workers               = 0
    eks_oidc_provider_arn = "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/ABC"
    bedrock_models        = ["arn:aws:bedrock:eu-central-1::foundation-model/meta.llama3-70b-instruct-v1:0"]
  }

  assert {
    condition     = length(aws_ecs_service.worker) == 0
    error_message = "No workers on ECS."
  }

  assert {
    condition = one([
      for c in data.aws_iam_policy_document.worker_trust.statement[0].condition : c.values
      if c.variable == "oidc.eks.eu-central-1.amazonaws.com/id/ABC:sub"
    ])[0] == "system:serviceaccount:roundtable:roundtable"
    error_message = "One service account takes the role."
  }
}
