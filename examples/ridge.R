# SPDX-License-Identifier: BSD-3-Clause
# Ridge regression in base R: the magnitude of earthquakes near Fiji (data set `quakes`) from place and
# depth. One fold a trial. See grids/program_r.ini.
#
#     ESPALIER_SHARE=share/espalier Rscript examples/ridge.R      one fold by hand
source(file.path(Sys.getenv("ESPALIER_SHARE", "."), "espalier.R"))
p <- espalier$params(degree = 3, penalty = 0.1)

# All polynomial terms of the three predictors up to the degree, standardized.
x <- scale(poly(as.matrix(quakes[c("lat", "long", "depth")]), degree = p$degree))
y <- quakes$mag

# Folds depend on the replicate only: all folds of a replicate are parts of one division.
set.seed(espalier$replicate())
part <- sample(rep_len(seq_len(max(2, espalier$folds(5))), length(y)))
val <- part == espalier$fold() + 1

centre <- mean(y[!val])
xt <- x[!val, ]
beta <- solve(crossprod(xt) + p$penalty * nrow(xt) * diag(ncol(xt)), crossprod(xt, y[!val] - centre))
error <- y - centre - x %*% beta
espalier$report(train_rmse = sqrt(mean(error[!val]^2)), val_rmse = sqrt(mean(error[val]^2)))
