# Reads a lake's Parquet tables, prints the table scores and draws the figure conditions,
# from the rows alone. One of the packages nanoparquet, arrow and duckdb is needed.
#
#   Rscript scores.R LAKE CAMPAIGN [FIGURE.pdf]

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 2) stop("give a lake and a campaign: Rscript scores.R LAKE CAMPAIGN [FIGURE.pdf]")

has <- function(package) requireNamespace(package, quietly = TRUE)
columns <- c("collaboration_id", "generation", "condition_id", "environment", "rule", "model", "status",
             "instance", "replicate", "simulated", "measure", "outcome")

read_one <- function(file) {
  if (has("nanoparquet")) return(as.data.frame(nanoparquet::read_parquet(file, col_select = columns)))
  if (has("arrow")) return(as.data.frame(arrow::read_parquet(file))[columns])
  if (!has("duckdb")) stop("no package that reads Parquet: install nanoparquet, arrow or duckdb")
  db <- DBI::dbConnect(duckdb::duckdb())
  on.exit(DBI::dbDisconnect(db, shutdown = TRUE))
  statement <- sprintf("SELECT %s FROM read_parquet('%s', hive_partitioning = false)", paste(columns, collapse = ", "), file)
  DBI::dbGetQuery(db, statement)
}

# A campaign that has ended is compacted: a pattern finds its files. A cell that was run
# again has several generations, of which the latest counts.
folder <- file.path(arguments[1], "lake", "collaborations", paste0("campaign=", arguments[2]))
files <- sort(list.files(folder, "[.]parquet$", recursive = TRUE, full.names = TRUE))
if (length(files) == 0) stop("no compacted files in ", folder, ": has the campaign ended?")
cells <- do.call(rbind, lapply(files, read_one))
cells <- cells[cells$generation == ave(cells$generation, cells$collaboration_id, FUN = max), ]

# The unit of evidence is the instance, or the replicate where there is one instance only.
instances <- ave(cells$instance, cells$environment, FUN = function(x) length(unique(x)))
cells$unit <- ifelse(instances > 1, cells$instance, cells$replicate)
cells <- cells[cells$status == "succeeded", ]

# The mean over collaborations, with its standard error over units as of a ratio of two
# sums (Cochran 1977, section 2.11) and the 95 % t interval, of a share cut at 0 and 1.
outcome_of <- function(group) {
  known <- group[!is.na(group$outcome), ]
  sums <- tapply(known$outcome, known$unit, sum)
  counts <- tapply(known$outcome, known$unit, length)
  n <- length(sums)
  m <- sum(sums) / sum(counts)
  se <- if (n > 1) sqrt(sum((sums - m * counts)^2) * n / (n - 1)) / sum(counts) else NA
  if (!is.na(se) && se <= 1e-9 * max(1, abs(m))) se <- NA # values that are all alike say nothing of their spread
  ends <- m + c(-1, 1) * if (n > 1) qt(0.975, n - 1) * se else NA
  if (group$measure[1] == "share") ends <- pmin(pmax(ends, 0), 1)
  if (group$measure[1] == "share" && n > 1 && is.na(se) && m == 1) ends <- c(0.025^(1 / n), 1) # exact: Clopper and Pearson
  if (group$measure[1] == "share" && n > 1 && is.na(se) && m == 0) ends <- c(0, 1 - 0.025^(1 / n))
  data.frame(environment = group$environment[1], rule = group$rule[1], model = group$model[1],
             outcome = m, se = se, low = ends[1], high = ends[2], n = n, simulated = any(group$simulated))
}
scores <- do.call(rbind, lapply(split(cells, cells$condition_id), outcome_of))
rownames(scores) <- NULL
options(digits = 15)
write.csv(scores, stdout(), row.names = FALSE)

# The figure: a row for each condition, from the top down.
if (length(arguments) > 2) {
  pdf(arguments[3], width = 6, height = 1.6 + 0.25 * nrow(scores))
  par(mar = c(4, 12, 2, 1), las = 1)
  rows <- rev(seq_len(nrow(scores)))
  across <- range(scores$outcome, scores$low, scores$high, na.rm = TRUE)
  plot(scores$outcome, rows, xlim = across, ylim = c(0.5, nrow(scores) + 0.5), pch = 15, cex = 0.8, col = "#0072b2",
       xlab = "mean outcome, 95 % interval", ylab = "", yaxt = "n", main = if (any(cells$simulated)) "SIMULATED" else arguments[2])
  segments(scores$low, rows, scores$high, rows, col = "#0072b2")
  axis(2, rows, paste(scores$rule, scores$model, sep = ", "), tick = FALSE, cex.axis = 0.7)
  invisible(dev.off())
}
