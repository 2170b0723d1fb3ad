# PostgreSQL of the Temporal server. It holds no answers: campaigns go on from the
# lake without it.

resource "random_password" "database" {
  count = local.on_cloud ? 0 : 1

  length  = 40
  special = false
}

resource "aws_secretsmanager_secret" "database" {
  count = local.on_cloud ? 0 : 1

  name = "${var.name}-temporal-database"
}

resource "aws_secretsmanager_secret_version" "database" {
  count = local.on_cloud ? 0 : 1

  secret_id     = aws_secretsmanager_secret.database[0].id
  secret_string = random_password.database[0].result
}

resource "aws_db_subnet_group" "temporal" {
  count = local.on_cloud ? 0 : 1

  name       = "${var.name}-temporal"
  subnet_ids = var.private_subnet_ids
}

resource "aws_security_group" "database" {
  count = local.on_cloud ? 0 : 1

  name        = "${var.name}-database"
  description = "PostgreSQL of Temporal"
  vpc_id      = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "database" {
  count = local.on_cloud ? 0 : 1

  security_group_id            = aws_security_group.database[0].id
  referenced_security_group_id = aws_security_group.temporal[0].id
  description                  = "The Temporal server"
  ip_protocol                  = "tcp"
  from_port                    = 5432
  to_port                      = 5432
}

resource "aws_db_instance" "temporal" {
  count = local.on_cloud ? 0 : 1

  identifier              = "${var.name}-temporal"
  engine                  = "postgres"
  engine_version          = "17"
  instance_class          = var.database_class
  allocated_storage       = 20
  max_allocated_storage   = 200
  storage_type            = "gp3"
  storage_encrypted       = true
  username                = "temporal"
  password                = random_password.database[0].result
  port                    = 5432
  db_subnet_group_name    = aws_db_subnet_group.temporal[0].name
  vpc_security_group_ids  = [aws_security_group.database[0].id]
  publicly_accessible     = false
  multi_az                = var.database_multi_az
  backup_retention_period = 7
  deletion_protection     = true
  copy_tags_to_snapshot   = true

  skip_final_snapshot       = false
  final_snapshot_identifier = "${var.name}-temporal-last"
}
