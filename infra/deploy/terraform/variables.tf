variable "name" {
  description = "Begins the names of everything that is made."
  type        = string
  default     = "roundtable"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,19}$", var.name))
    error_message = "2 to 20 characters of a-z, 0-9 and hyphens, and a letter first."
  }
}

variable "region" {
  description = "AWS region, such as eu-central-1."
  type        = string
}

variable "image" {
  description = "The image of infra/deploy/Dockerfile in your registry, with its tag or digest."
  type        = string
}

variable "vpc_id" {
  description = "The VPC of workers and database."
  type        = string
}

variable "private_subnet_ids" {
  description = "Subnets of that VPC in two or more zones, with a way out (NAT) to models and images."
  type        = list(string)

  validation {
    condition     = length(var.private_subnet_ids) >= 2
    error_message = "RDS wants subnets in at least two zones."
  }
}

# --- the lake ----------------------------------------------------------------

variable "bucket" {
  description = "Name of the bucket, which is made."
  type        = string
}

variable "prefix" {
  description = "Where in the bucket the lake is, without slashes at the ends."
  type        = string
  default     = "experiments"

  validation {
    condition     = can(regex("^[^/]+(/[^/]+)*$", var.prefix))
    error_message = "Names joined by slashes, and none at the ends."
  }
}

variable "kms_key_arn" {
  description = "KMS key of the bucket; empty: Amazon S3's own keys."
  type        = string
  default     = ""
}

variable "expire_raw_campaigns" {
  description = "Campaigns that are done (with _SUCCESS) whose small files of rows expire: their rows are in lake/ too."
  type        = list(string)
  default     = []

  validation {
    # A rule for each of 5 tables and each campaign; S3 takes 1,000 rules.
    condition     = length(var.expire_raw_campaigns) <= 150
    error_message = "At most 150 campaigns: S3 takes 1,000 rules a bucket."
  }
}

variable "expire_raw_days" {
  description = "After how many days they do."
  type        = number
  default     = 90
}

variable "noncurrent_days" {
  description = "For how many days S3 keeps what was replaced or deleted."
  type        = number
  default     = 30
}

# --- workers -----------------------------------------------------------------

variable "workers" {
  description = "How many workers ECS runs; 0 if they run on EKS (infra/deploy/chart)."
  type        = number
  default     = 3
}

variable "worker_cpu" {
  description = "CPU units of a worker; 1024 are one processor."
  type        = number
  default     = 1024
}

variable "worker_memory" {
  description = "Memory of a worker in MiB."
  type        = number
  default     = 2048
}

variable "eks_oidc_provider_arn" {
  description = "OIDC provider of an EKS cluster whose service account takes the workers' role; empty: none."
  type        = string
  default     = ""
}

variable "eks_service_account" {
  description = "That service account, as namespace:name; the chart's is named as its release."
  type        = string
  default     = "roundtable:roundtable"
}

variable "keys" {
  description = "Keys of models: name of the variable → ARN of its secret in Secrets Manager, such as OPENAI_API_KEY."
  type        = map(string)
  default     = {}
}

variable "bedrock_models" {
  description = "ARNs of models and inference profiles of Amazon Bedrock that campaigns may ask."
  type        = list(string)
  default     = []
}

# --- Temporal ----------------------------------------------------------------

variable "temporal_cloud" {
  description = <<-TEXT
    Temporal Cloud in the place of a server and a database here: its address and
    namespace, and the ARN of a secret with either an API key, or the client's
    certificate and another with its key (PEM). null: a server on ECS with RDS.
  TEXT

  type = object({
    address         = string
    namespace       = string
    api_key_arn     = optional(string)
    client_cert_arn = optional(string)
    client_key_arn  = optional(string)
  })
  default = null

  validation {
    condition = var.temporal_cloud == null ? true : (
      (var.temporal_cloud.api_key_arn != null) != (var.temporal_cloud.client_cert_arn != null) &&
      (var.temporal_cloud.client_cert_arn != null) == (var.temporal_cloud.client_key_arn != null)
    )
    error_message = "Give api_key_arn, or client_cert_arn and client_key_arn."
  }
}

variable "temporal_namespace" {
  description = "Namespace on a server here; `roundtable prepare` makes it."
  type        = string
  default     = "experiments"
}

variable "temporal_version" {
  description = "Version of Temporal's images."
  type        = string
  default     = "1.32.0"
}

variable "database_class" {
  description = "Instance class of the database."
  type        = string
  default     = "db.t4g.medium"
}

variable "database_multi_az" {
  description = "A standby of the database in another zone."
  type        = bool
  default     = false
}

variable "metrics_security_group_id" {
  description = "The security group of the Prometheus that reads the workers' metrics; null: nobody can."
  type        = string
  default     = null
}
