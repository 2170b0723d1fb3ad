# Workers on ECS (Fargate). A campaign is a task of the same definition, with another
# command: see the README.

locals {
  on_cloud = var.temporal_cloud != null
  lake     = "s3://${var.bucket}/${var.prefix}?region=${var.region}"

  temporal_address = local.on_cloud ? var.temporal_cloud.address : "temporal.${var.name}.internal:7233"
  # Plaintext between the security groups of this file; TLS to Temporal Cloud.
  plaintext = local.on_cloud ? [] : ["--insecure"]

  temporal_secrets = local.on_cloud ? {
    for name, arn in {
      TEMPORAL_API_KEY              = var.temporal_cloud.api_key_arn
      TEMPORAL_TLS_CLIENT_CERT_DATA = var.temporal_cloud.client_cert_arn
      TEMPORAL_TLS_CLIENT_KEY_DATA  = var.temporal_cloud.client_key_arn
    } : name => arn if arn != null
  } : {}

  worker_secrets = merge(var.keys, local.temporal_secrets)
  secret_arns    = distinct(concat(values(local.worker_secrets), aws_secretsmanager_secret.database[*].arn))

  log_options = {
    "awslogs-group"  = aws_cloudwatch_log_group.this.name
    "awslogs-region" = var.region
  }
}

resource "aws_ecs_cluster" "this" {
  name = var.name
}

resource "aws_cloudwatch_log_group" "this" {
  name              = "/${var.name}"
  retention_in_days = 30
}

resource "aws_security_group" "worker" {
  name        = "${var.name}-worker"
  description = "Workers and campaigns"
  vpc_id      = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "metrics" {
  count                        = var.metrics_security_group_id == null ? 0 : 1
  description                  = "Prometheus reads metrics"
  security_group_id            = aws_security_group.worker.id
  referenced_security_group_id = var.metrics_security_group_id
  ip_protocol                  = "tcp"
  from_port                    = 9090
  to_port                      = 9090
}

resource "aws_vpc_security_group_egress_rule" "worker" {
  security_group_id = aws_security_group.worker.id
  description       = "Models, the bucket, Temporal"
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}

resource "aws_ecs_task_definition" "worker" {
  family                   = "${var.name}-worker"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = var.worker_cpu
  memory                   = var.worker_memory
  task_role_arn            = aws_iam_role.worker.arn
  execution_role_arn       = aws_iam_role.start.arn

  # Fargate has no tmpfs; volumes of the task are empty at each start.
  volume {
    name = "state"
  }

  volume {
    name = "tmp"
  }

  container_definitions = jsonencode([{
    name                   = "roundtable"
    image                  = var.image
    essential              = true
    user                   = "65532:65532"
    readonlyRootFilesystem = true
    command                = concat(["worker", "--metrics", ":9090", "--log-format", "json"], local.plaintext)
    stopTimeout            = 120 # the most that Fargate allows
    portMappings           = [{ containerPort = 9090, protocol = "tcp" }]
    environment = [
      { name = "TEMPORAL_ADDRESS", value = local.temporal_address },
      { name = "TEMPORAL_NAMESPACE", value = local.on_cloud ? var.temporal_cloud.namespace : var.temporal_namespace },
      { name = "ROUNDTABLE_LAKE", value = local.lake },
      { name = "AWS_REGION", value = var.region },
    ]
    secrets = [for name, arn in local.worker_secrets : { name = name, valueFrom = arn }]
    mountPoints = [
      { sourceVolume = "state", containerPath = "/state", readOnly = false },
      { sourceVolume = "tmp", containerPath = "/tmp", readOnly = false },
    ]
    linuxParameters = { initProcessEnabled = false, capabilities = { drop = ["ALL"] } }
    logConfiguration = {
      logDriver = "awslogs"
      options   = merge(local.log_options, { "awslogs-stream-prefix" = "worker" })
    }
  }])
}

resource "aws_ecs_service" "worker" {
  count = var.workers > 0 ? 1 : 0

  name                               = "worker"
  cluster                            = aws_ecs_cluster.this.id
  task_definition                    = aws_ecs_task_definition.worker.arn
  desired_count                      = var.workers
  launch_type                        = "FARGATE"
  deployment_minimum_healthy_percent = 50
  deployment_maximum_percent         = 150
  propagate_tags                     = "SERVICE"

  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }

  network_configuration {
    subnets          = var.private_subnet_ids
    security_groups  = [aws_security_group.worker.id]
    assign_public_ip = false
  }
}
