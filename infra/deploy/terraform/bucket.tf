# The lake. What must stay and what may expire: docs/guides/s3.md, Keeping it tidy.

locals {
  # The tables of rows whose small files may expire; those of labels and features
  # must stay, and so must raw/_commits/.
  raw_tables = ["collaborations", "rounds", "turns", "ballots", "calls"]

  raw_rules = {
    for pair in setproduct(local.raw_tables, var.expire_raw_campaigns) :
    "rows of ${pair[1]}: ${pair[0]}" => "${var.prefix}/raw/${pair[0]}/campaign=${pair[1]}/"
  }
}

resource "aws_s3_bucket" "lake" {
  bucket = var.bucket

  lifecycle {
    # It holds what was paid for.
    prevent_destroy = true
  }
}

resource "aws_s3_bucket_versioning" "lake" {
  bucket = aws_s3_bucket.lake.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_public_access_block" "lake" {
  bucket                  = aws_s3_bucket.lake.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "lake" {
  bucket = aws_s3_bucket.lake.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "lake" {
  bucket = aws_s3_bucket.lake.id

  rule {
    bucket_key_enabled = var.kms_key_arn != ""

    apply_server_side_encryption_by_default {
      sse_algorithm     = var.kms_key_arn != "" ? "aws:kms" : "AES256"
      kms_master_key_id = var.kms_key_arn != "" ? var.kms_key_arn : null
    }
  }
}

resource "aws_s3_bucket_policy" "lake" {
  bucket = aws_s3_bucket.lake.id
  policy = data.aws_iam_policy_document.bucket.json
}

data "aws_iam_policy_document" "bucket" {
  statement {
    sid       = "EncryptedConnectionsOnly"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.lake.arn, "${aws_s3_bucket.lake.arn}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

# Nothing goes to an archive class: objects cannot be read from there.
resource "aws_s3_bucket_lifecycle_configuration" "lake" {
  bucket     = aws_s3_bucket.lake.id
  depends_on = [aws_s3_bucket_versioning.lake]

  rule {
    id     = "unfinished uploads"
    status = "Enabled"

    filter {
      prefix = "${var.prefix}/"
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }

  rule {
    id     = "what was replaced or deleted"
    status = "Enabled"

    filter {
      prefix = "${var.prefix}/"
    }

    noncurrent_version_expiration {
      noncurrent_days = var.noncurrent_days
    }

    expiration {
      expired_object_delete_marker = true
    }
  }

  dynamic "rule" {
    for_each = local.raw_rules

    content {
      id     = rule.key
      status = "Enabled"

      filter {
        prefix = rule.value
      }

      expiration {
        days = var.expire_raw_days
      }
    }
  }
}
