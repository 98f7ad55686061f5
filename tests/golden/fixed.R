# SPDX-License-Identifier: BSD-3-Clause
# Fixed effects by R's lm, nnet's multinom and GBLUP with generalised least squares, for
# tests/cli/fixed.sh: predictions of each of five folds by the other four. Usage, in this folder: Rscript fixed.R make   (writes the inputs, too)
#                                           Rscript fixed.R
# A missing cell of a factor has zeros in its contrasts, a missing number is the mean of its column.
args <- commandArgs(TRUE)
if (length(args)) {
    set.seed(36)
    n <- 72; m <- 40
    geno <- matrix(rbinom(n * m, 2, runif(n * m, 0.2, 0.8)), n)
    colnames(geno) <- sprintf("m%02d", 1:m)
    id <- sprintf("L%02d", 1:n)
    site <- sample(c("north", "south", "west"), n, TRUE)
    site[c(70, 71)] <- "east"                  # a level that the others of fold f1 lack
    age <- round(runif(n, 20, 60), 1)
    y <- geno %*% rnorm(m) + c(north = 0, south = 20, west = -9, east = 4)[site] + 0.7 * age + rnorm(n, 0, 2)
    kind <- mapply(function(s, a) sample(c("a", "b", "c"), 1, prob = c(1, s, a / 40)),
                   c(north = 0.5, south = 2, west = 1, east = 1)[site], age)
    # Multiples of 2^-13, which single precision holds; predict prints seven digits.
    p <- data.frame(id, yield = sprintf("%.13f", round(8 * y) / 8192), kind, site, age, block = rep(1:4, length.out = n), twin = site)
    p$site[5] <- NA; p$age[c(9, 66)] <- NA; p$site[64] <- NA
    write.csv(data.frame(id, geno), "fixed/geno.csv", row.names = FALSE, quote = FALSE)
    write.csv(p, "fixed/pheno.csv", row.names = FALSE, quote = FALSE, na = "")
    fold <- paste0("f", 1 + (seq_len(n) + 1) %% 5); fold[c(70, 71)] <- "f1"
    write.csv(data.frame(id, fold), "fixed/split.csv",
              row.names = FALSE, quote = FALSE)
}
geno <- as.matrix(read.csv("fixed/geno.csv", row.names = 1))
p <- read.csv("fixed/pheno.csv", na.strings = "")
fold <- read.csv("fixed/split.csv")$fold

z <- scale(geno)[, apply(geno, 2, sd) > 0] * sqrt(nrow(geno) / (nrow(geno) - 1))
K <- z %*% t(z) / ncol(geno)

# Sum contrasts over the levels of the training part; other samples have zeros.
columns <- function(term, train) {
    if (is.numeric(p[[term]]) && term != "block")
        return(cbind(ifelse(is.na(p[[term]]), mean(p[[term]], na.rm = TRUE), p[[term]])))
    f <- factor(p[[term]], levels = sort(unique(p[[term]][train])))
    C <- contr.sum(nlevels(f))
    x <- matrix(0, nrow(p), ncol(C))
    x[!is.na(f), ] <- C[as.integer(f[!is.na(f)]), ]
    x
}
design <- function(terms, train) do.call(cbind, lapply(terms, columns, train))

sets <- list(number = "age", factor = "site", both = c("age", "site"), coded = c("block", "age"),
             confounded = c("site", "twin"))
predict_lm <- function(x, train) {
    b <- coef(lm(p$yield ~ x, subset = train))
    b[is.na(b)] <- 0
    cbind(1, x) %*% b
}
predict_gblup <- function(x, train) {
    kept <- !is.na(coef(lm(p$yield ~ x, subset = train)))
    X <- cbind(1, x)[, kept]; V <- K[train, train] + 2 * diag(sum(train))
    Vi <- solve(V)
    beta <- solve(t(X[train, ]) %*% Vi %*% X[train, ], t(X[train, ]) %*% Vi %*% p$yield[train])
    X %*% beta + K[, train] %*% (Vi %*% (p$yield[train] - X[train, ] %*% beta))
}
predict_multinom <- function(x, train) {
    d <- data.frame(kind = factor(p$kind), scale(x, scale = FALSE))
    fit <- nnet::multinom(kind ~ ., d[train, ], maxit = 10000, reltol = 1e-16, abstol = 1e-16, trace = FALSE)
    predict(fit, d, "probs")
}
# One line of all samples in their order, each from the fold that it is in.
put <- function(name, set, f) {
    all <- NULL
    for (k in unique(fold)) {
        y <- as.matrix(f(design(sets[[set]], fold != k), fold != k))
        if (is.null(all)) all <- matrix(NA, nrow(p), ncol(y))
        all[fold == k, ] <- y[fold == k, ]
    }
    cat(name, set, sprintf("%.10g", t(all)), "\n", file = out)
}
out <- file("fixed.txt", "w")
for (set in names(sets)) {
    put("lm", set, predict_lm)
    put("gblup", set, predict_gblup)
}
# Sites would separate the classes: two samples of the east have at most two kinds.
put("multinom", "coded", predict_multinom)
close(out)
