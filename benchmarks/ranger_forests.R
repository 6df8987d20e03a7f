# Fit a forest with ranger: seconds and megabytes of a call, and how many answers are right.
# Rscript ranger_forests.R FOLDER TREES DEPTH(0: any) CLASSES(0, 1) TASK REPEAT MTRY
suppressMessages(library(ranger))
asked <- commandArgs(trailingOnly = TRUE)
at <- function(name) file.path(asked[1], name)
trees <- as.integer(asked[2]); depth <- as.integer(asked[3]); classes <- asked[4] == "1"
task <- asked[5]; times <- as.integer(asked[6]); mtry <- as.integer(asked[7])
peak <- function() as.numeric(gsub("[^0-9]", "", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024

rows <- function(part) {
  if (file.exists(at("train.csv"))) return(read.csv(at(paste0(part, ".csv")), na.strings = ""))
  shape <- scan(at(paste0(part, ".shape")), quiet = TRUE)
  data <- matrix(readBin(at(paste0(part, ".bin")), "double", shape[1] * shape[2]), shape[1])
  colnames(data) <- paste0("x", seq_len(shape[2]))
  data
}
values <- function(part) scan(at(paste0(part, ".y")), quiet = TRUE)

# ranger takes no gaps: they are a value of a category, and the median of a number.
coded <- function(data, levels = NULL) {
  if (is.matrix(data)) return(data)
  for (name in names(data)) {
    x <- data[[name]]
    if (is.character(x)) {
      x[is.na(x)] <- "?"
      data[[name]] <- if (is.null(levels)) factor(x) else factor(x, levels(levels[[name]]))
      data[[name]][is.na(data[[name]])] <- levels(data[[name]])[1]
    } else if (anyNA(x)) {
      x[is.na(x)] <- median(x, na.rm = TRUE)
      data[[name]] <- x
    }
  }
  data
}

X <- rows("train"); other <- rows("test"); y <- values("train"); truth <- values("test")
if (classes) y <- factor(y)
fitted <- function(X, y) ranger(
  x = coded(X), y = y, num.trees = trees, max.depth = depth, mtry = mtry, min.node.size = 1,
  num.threads = parallel::detectCores(), oob.error = FALSE, seed = 1, verbose = FALSE)
invisible(fitted(head(X, 200), if (classes) droplevels(head(y, 200)) else head(y, 200)))
before <- peak(); call <- function() fitted(X, y)
if (task != "fit") {
  forest <- fitted(X, y)
  question <- if (task == "one row") X[1, , drop = FALSE] else rbind(X, other)
  known <- coded(X)
  call <- function() predict(forest, coded(question, known))
}
seconds <- c(); cpu <- c()
while (length(seconds) < times || (sum(seconds) < 0.5 && length(seconds) < 20)) {
  start <- as.numeric(Sys.time()); worked <- sum(proc.time()[1:2])
  if (task == "fit") forest <- call() else invisible(call())
  seconds <- c(seconds, as.numeric(Sys.time()) - start); cpu <- c(cpu, sum(proc.time()[1:2]) - worked)
}
after <- peak(); said <- predict(forest, coded(other, coded(X)))$predictions
right <- if (classes) mean(as.character(said) == as.character(truth)) else 1 - mean((said - truth)^2) / (var(truth) * (1 - 1 / length(truth)))
cat(sprintf('{"seconds": %.6f, "cpu": %.6f, "peak": %.3f, "right": %.6f}\n', min(seconds), min(cpu), after - before, right))
