# SPDX-License-Identifier: BSD-3-Clause
# Use an R script as a trial of espalier.
#
#     source(file.path(Sys.getenv("ESPALIER_SHARE", "."), "espalier.R"))
#
#     p <- espalier$params(lambda = 0.1, degree = 2)    # defaults for a run by hand
#     for (epoch in 1:10) {
#       ...
#       espalier$report(epoch = epoch, val_rmse = rmse)
#     }
#
# espalier sets ESPALIER_SHARE, the folder of this file, for the programs that it starts. The same
# script runs by hand, with the defaults of params(), and report() prints to the standard output. This
# file needs no packages. It may be copied.
#
#   params(...)          list of all axes and fixed values of the sweep file. The arguments are the
#                        values of a run by hand, and of names that the sweep file lacks. A value has
#                        the type of its default: number, text, or logical (yes, no, true, false, on,
#                        off, 1, 0). A value without a default is a number if it looks like one.
#   param(name, default) one of these values.
#   report(..., epoch)   Report numbers by name. With epoch they are a point of the learning curve:
#                        epochs are integers from 0 on and must increase, and espalier takes the
#                        numbers of the best epoch by the objective. Without epoch they are the final
#                        result. NA and NULL stand for a missing number, and a call with them alone
#                        does not make an epoch. A trial whose objective is always missing fails. NaN
#                        is a number: an objective that is NaN makes the trial diverge. A name has
#                        letters, digits and _ . / - (at most 63), and begins with a letter or _.
#   checkpoint_dir()     Folder for checkpoints, which stays until the trial has a result. Write to
#                        another name and use file.rename().
#   scratch_dir()        Folder for temporary files and for files of keep_files.
#   should_stop()        TRUE once espalier has asked the script to stop. R ends at SIGTERM, so this
#                        needs [program] stop_signal = INT, and R 4.0. Then save a checkpoint within
#                        stop_grace, and call exit_for_restart(). A script that never calls it ends at
#                        the signal.
#   exit_for_restart()   End the script with status 75: stopped with a checkpoint.
#   seed()               Seed of the trial. It differs between replicates and folds, and is equal for
#                        all configurations. Do not draw folds with it: use replicate() for that.
#   fold() folds() replicate() trial() threads()
#                        Numbers of the trial; folds and replicates count from 0.

espalier <- local({
  last_epoch <- -1
  is_listening <- FALSE
  stop_asked <- FALSE

  refuse <- function(...) stop(sprintf(...), call. = FALSE)

  is_float <- function(text) is_number(text) || grepl("^(nan|-?inf)$", text, ignore.case = TRUE)
  is_number <- function(text) grepl("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$", text)

  # default: NULL if the script gives none
  read <- function(name, text, default) {
    if (is.logical(default) && !is.na(default)) {
      word <- tolower(text)
      if (word %in% c("yes", "true", "on", "1")) return(TRUE)
      if (word %in% c("no", "false", "off", "0")) return(FALSE)
      refuse("%s = %s: must be yes or no, like the default %s", name, text, default)
    }
    if (is.numeric(default) && !is_float(text))
      refuse("%s = %s: must be a number, like the default %s", name, text, default)
    if (is.numeric(default)) as.numeric(text)
    else if (is.character(default) || !is_number(text)) text
    else as.numeric(text)
  }

  param <- function(name, default = NULL) {
    text <- Sys.getenv(paste0("ESPALIER_PARAM_", name), NA)
    if (is.na(text)) default else read(name, text, default)
  }

  params <- function(...) {
    values <- list(...)
    prefix <- "^ESPALIER_PARAM_"
    for (name in sub(prefix, "", grep(prefix, names(Sys.getenv()), value = TRUE)))
      values[[name]] <- param(name, values[[name]])
    values
  }

  is_missing <- function(x) is.null(x) || (is.atomic(x) && length(x) == 1 && is.na(x) && !is.nan(x))

  json_number <- function(x) {
    if (is.nan(x)) "NaN" else if (is.infinite(x)) paste0(if (x < 0) "-", "Infinity") else sprintf("%.17g", x)
  }

  report <- function(..., epoch = NULL) {
    metrics <- list(...)
    line <- numbers <- character()
    has_numbers <- FALSE
    if (!is.null(epoch)) {
      if (!is.numeric(epoch) || length(epoch) != 1 || is.na(epoch) || epoch < 0 || epoch != floor(epoch))
        refuse("epoch = %s: must be an integer from 0 on", paste(format(epoch), collapse = " "))
      if (epoch <= last_epoch)
        refuse("epoch %.0f was reported after epoch %.0f: epochs must increase", epoch, last_epoch)
      line <- sprintf("\"epoch\": %.0f", epoch)
    }
    if (!length(metrics) || is.null(names(metrics)))
      refuse("report() needs a number with a name, for example report(val_rmse = 0.3)")
    for (i in seq_along(metrics)) {
      name <- names(metrics)[i]
      value <- metrics[[i]]
      if (!grepl("^[A-Za-z_][A-Za-z0-9_./-]{0,62}$", name))
        refuse("'%s' is not a name of a metric: use at most 63 letters, digits and _ . / -, first a letter or _", name)
      if (is_missing(value)) {
        numbers <- c(numbers, sprintf("\"%s\": null", name))
        next
      }
      if (!(is.numeric(value) || is.logical(value)) || length(value) != 1)
        refuse("%s = %s: must be one number", name, paste(format(value), collapse = " "))
      numbers <- c(numbers, sprintf("\"%s\": %s", name, json_number(as.numeric(value))))
      has_numbers <- TRUE
    }
    if (!is.null(epoch)) last_epoch <<- epoch
    line <- paste0("{", paste(c(if (has_numbers) line, numbers), collapse = ", "), "}\n")
    results <- Sys.getenv("ESPALIER_RESULTS")
    if (Sys.getenv("RANK", "0") == "0")
      cat(line, file = results, append = nzchar(results))
    invisible(c(list(epoch = epoch), metrics))
  }

  folder <- function(variable, name) {
    path <- Sys.getenv(variable)
    if (!nzchar(path)) path <- name
    dir.create(path, showWarnings = FALSE, recursive = TRUE)
    path
  }

  given <- function(name, otherwise = 0) function(default = otherwise) {
    text <- Sys.getenv(paste0("ESPALIER_", name))
    if (nzchar(text)) as.numeric(text) else default
  }

  # R allows this only where no tryCatch() surrounds it, so it happens now rather than in should_stop().
  if (getRversion() >= "4.0.0")
    globalCallingHandlers(interrupt = function(condition) {
      if (is_listening && !stop_asked) {
        stop_asked <<- TRUE
        tryInvokeRestart("resume")
      }
    })

  list(
    params = params, param = param, report = report,
    checkpoint_dir = function() folder("ESPALIER_CHECKPOINT", "checkpoint"),
    scratch_dir = function() folder("ESPALIER_DIR", "scratch"),
    should_stop = function() {
      is_listening <<- TRUE
      stop_asked
    },
    exit_for_restart = function() quit(save = "no", status = 75),
    seed = given("SEED", 1), fold = given("FOLD"), folds = given("FOLDS"),
    replicate = given("REPLICATE"), trial = given("TRIAL"), threads = given("THREADS", 1)
  )
})
