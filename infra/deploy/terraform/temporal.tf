# A Temporal server here, unless temporal_cloud is given: one task with all its
# services, on a PostgreSQL of RDS. For more than that, Temporal's own Helm chart.

resource "aws_security_group" "temporal" {
  count = local.on_cloud ? 0 : 1

  name        = "${var.name}-temporal"
  description = "Temporal server"
  vpc_id      = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "temporal" {
  count = local.on_cloud ? 0 : 1

  security_group_id            = aws_security_group.temporal[0].id
  referenced_security_group_id = aws_security_group.worker.id
  description                  = "Workers and campaigns"
  ip_protocol                  = "tcp"
  from_port                    = 7233
  to_port                      = 7233
}

resource "aws_vpc_security_group_egress_rule" "temporal" {
  count = local.on_cloud ? 0 : 1

  security_group_id = aws_security_group.temporal[0].id
  description       = "The database, images, logs"
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}

# --- its name: temporal.<name>.internal --------------------------------------

resource "aws_service_discovery_private_dns_namespace" "this" {
  count = local.on_cloud ? 0 : 1

  name = "${var.name}.internal"
  vpc  = var.vpc_id
}

resource "aws_service_discovery_service" "temporal" {
  count = local.on_cloud ? 0 : 1

  name = "temporal"

  dns_config {
    namespace_id = aws_service_discovery_private_dns_namespace.this[0].id

    dns_records {
      type = "A"
      ttl  = 10
    }
  }
}

# --- the server --------------------------------------------------------------

locals {
  database_host = one(aws_db_instance.temporal[*].address)

  # First the tables, then the server. The connection to the database is encrypted;
  # its name is not checked, since the image does not hold Amazon's authority.
  schema_script = <<-SH
    set -eu
    for schema in temporal visibility; do
      case $schema in temporal) SQL_DATABASE=temporal ;; *) SQL_DATABASE=temporal_visibility ;; esac
      export SQL_DATABASE
      temporal-sql-tool create-database
      temporal-sql-tool setup-schema --version 0.0
      temporal-sql-tool update-schema --schema-name postgresql/v12/$schema
    done
  SH

  temporal_dynamic = "limit.maxIDLength: [{value: 255}]"
}

resource "aws_ecs_task_definition" "temporal" {
  count = local.on_cloud ? 0 : 1

  family                   = "${var.name}-temporal"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = 1024
  memory                   = 2048
  execution_role_arn       = aws_iam_role.start.arn

  container_definitions = jsonencode([
    {
      name       = "schema"
      image      = "temporalio/admin-tools:${var.temporal_version}"
      essential  = false
      entryPoint = ["/bin/sh", "-c"]
      command    = [local.schema_script]
      environment = [
        { name = "SQL_PLUGIN", value = "postgres12" },
        { name = "SQL_HOST", value = local.database_host },
        { name = "SQL_PORT", value = "5432" },
        { name = "SQL_USER", value = "temporal" },
        { name = "SQL_TLS", value = "true" },
        { name = "SQL_TLS_DISABLE_HOST_VERIFICATION", value = "true" },
      ]
      secrets         = [{ name = "SQL_PASSWORD", valueFrom = aws_secretsmanager_secret.database[0].arn }]
      linuxParameters = { capabilities = { drop = ["ALL"] } }
      logConfiguration = {
        logDriver = "awslogs"
        options   = merge(local.log_options, { "awslogs-stream-prefix" = "temporal" })
      }
    },
    {
      name       = "temporal"
      image      = "temporalio/server:${var.temporal_version}"
      essential  = true
      entryPoint = ["/bin/sh", "-c"]
      command    = ["echo '${local.temporal_dynamic}' > /tmp/dynamic.yaml && exec /etc/temporal/entrypoint.sh"]
      dependsOn  = [{ containerName = "schema", condition = "SUCCESS" }]
      environment = [
        { name = "DB", value = "postgres12" },
        { name = "DB_PORT", value = "5432" },
        { name = "POSTGRES_SEEDS", value = local.database_host },
        { name = "POSTGRES_USER", value = "temporal" },
        { name = "SQL_TLS_ENABLED", value = "true" },
        { name = "NUM_HISTORY_SHARDS", value = "512" }, # it cannot be changed later
        { name = "DYNAMIC_CONFIG_FILE_PATH", value = "/tmp/dynamic.yaml" },
        { name = "LOG_LEVEL", value = "warn" },
      ]
      secrets         = [{ name = "POSTGRES_PWD", valueFrom = aws_secretsmanager_secret.database[0].arn }]
      portMappings    = [{ containerPort = 7233, protocol = "tcp" }]
      linuxParameters = { capabilities = { drop = ["ALL"] } }
      logConfiguration = {
        logDriver = "awslogs"
        options   = merge(local.log_options, { "awslogs-stream-prefix" = "temporal" })
      }
    },
  ])
}

resource "aws_ecs_service" "temporal" {
  count = local.on_cloud ? 0 : 1

  name            = "temporal"
  cluster         = aws_ecs_cluster.this.id
  task_definition = aws_ecs_task_definition.temporal[0].arn
  desired_count   = 1
  launch_type     = "FARGATE"
  # One server at a time: the old one goes before the new one comes.
  deployment_minimum_healthy_percent = 0
  deployment_maximum_percent         = 100

  network_configuration {
    subnets          = var.private_subnet_ids
    security_groups  = [aws_security_group.temporal[0].id]
    assign_public_ip = false
  }

  service_registries {
    registry_arn = aws_service_discovery_service.temporal[0].arn
  }
}
