output "lake" {
  description = "The lake, as --lake and ROUNDTABLE_LAKE take it."
  value       = local.lake
}

output "temporal_address" {
  description = "The Temporal server, as --temporal and TEMPORAL_ADDRESS take it."
  value       = local.temporal_address
}

output "worker_role" {
  description = "Role of the workers: serviceAccount.annotations of infra/deploy/chart."
  value       = aws_iam_role.worker.arn
}

output "run_task" {
  description = "What `aws ecs run-task` needs for a campaign, `prepare` or any other command."
  value = {
    cluster         = aws_ecs_cluster.this.name
    task_definition = aws_ecs_task_definition.worker.family
    subnets         = var.private_subnet_ids
    security_groups = [aws_security_group.worker.id]
  }
}
