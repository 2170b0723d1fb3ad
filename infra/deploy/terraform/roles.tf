# Who may do what. A worker: the lake, the models of Bedrock that are named, nothing
# else. What starts its task: images, logs, and the secrets that the task is given.

data "aws_iam_policy_document" "ecs" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

data "aws_iam_policy_document" "worker_trust" {
  source_policy_documents = [data.aws_iam_policy_document.ecs.json]

  dynamic "statement" {
    for_each = var.eks_oidc_provider_arn == "" ? [] : [var.eks_oidc_provider_arn]

    content {
      sid     = "EKS"
      actions = ["sts:AssumeRoleWithWebIdentity"]

      principals {
        type        = "Federated"
        identifiers = [statement.value]
      }

      condition {
        test     = "StringEquals"
        variable = "${local.oidc_issuer}:sub"
        values   = ["system:serviceaccount:${var.eks_service_account}"]
      }

      condition {
        test     = "StringEquals"
        variable = "${local.oidc_issuer}:aud"
        values   = ["sts.amazonaws.com"]
      }
    }
  }
}

locals {
  oidc_issuer = replace(var.eks_oidc_provider_arn, "/^.*oidc-provider\\//", "")
}

data "aws_caller_identity" "current" {}

# docs/guides/s3.md, Credentials: s3:ListBucket is not narrowed to the prefix, since
# S3 would then say "forbidden" of an object that is missing.
data "aws_iam_policy_document" "lake" {
  statement {
    sid       = "FindObjects"
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.lake.arn]
  }

  statement {
    sid       = "Lake"
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
    resources = ["${aws_s3_bucket.lake.arn}/${var.prefix}/*"]
  }

  dynamic "statement" {
    for_each = var.kms_key_arn == "" ? [] : [var.kms_key_arn]

    content {
      sid       = "Encrypt"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = [statement.value]
    }
  }

  dynamic "statement" {
    for_each = length(var.bedrock_models) == 0 ? [] : [var.bedrock_models]

    content {
      sid       = "Bedrock"
      actions   = ["bedrock:InvokeModel"]
      resources = statement.value
    }
  }
}

resource "aws_iam_role" "worker" {
  name               = "${var.name}-worker"
  assume_role_policy = data.aws_iam_policy_document.worker_trust.json
}

resource "aws_iam_role_policy" "worker_lake" {
  name   = "lake"
  role   = aws_iam_role.worker.id
  policy = data.aws_iam_policy_document.lake.json
}

data "aws_iam_policy_document" "start" {
  statement {
    sid       = "Logs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.this.arn}:*"]
  }

  statement {
    sid       = "LogInToRegistry"
    actions   = ["ecr:GetAuthorizationToken"]
    resources = ["*"] # this action knows no resource
  }

  statement {
    sid       = "Images"
    actions   = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
    resources = ["arn:aws:ecr:${var.region}:${data.aws_caller_identity.current.account_id}:repository/*"]
  }

  dynamic "statement" {
    for_each = length(local.secret_arns) == 0 ? [] : [local.secret_arns]

    content {
      sid       = "Secrets"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = statement.value
    }
  }
}

resource "aws_iam_role" "start" {
  name               = "${var.name}-start"
  assume_role_policy = data.aws_iam_policy_document.ecs.json
}

resource "aws_iam_role_policy" "start" {
  name   = "start"
  role   = aws_iam_role.start.id
  policy = data.aws_iam_policy_document.start.json
}
