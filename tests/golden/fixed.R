# SPDX-License-Identifier: BSD-3-Clause
# Fixed effects by R's lm, nnet's multinom and GBLUP with generalised least squares, for
# tests/cli/fixed.sh. Usage, in this folder: Rscript fixed.R make   (writes the inputs, too)
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
    site[c(70, 71)] <- "east"                  # a level that the training part lacks
    age <- round(runif(n, 20, 60), 1)
    y <- geno %*% rnorm(m) + c(north = 0, south = 20, west = -9, east = 4)[site] + 0.7 * age + rnorm(n, 0, 2)
    kind <- mapply(function(s, a) sample(c("a", "b", "c"), 1, prob = c(1, s, a / 40)),
                   c(north = 0.5, south = 2, west = 1, east = 1)[site], age)
    # Multiples of 2^-13, which single precision holds; predict prints seven digits.
    p <- data.frame(id, yield = sprintf("%.13f", round(8 * y) / 8192), kind, site, age, block = rep(1:4, length.out = n), twin = site)
    p$site[5] <- NA; p$age[c(9, 66)] <- NA; p$site[64] <- NA
    write.csv(data.frame(id, geno), "fixed/geno.csv", row.names = FALSE, quote = FALSE)
    write.csv(p, "fixed/pheno.csv", row.names = FALSE, quote = FALSE, na = "")
    write.csv(data.frame(id, part = ifelse(seq_len(n) <= 56, "train", "val")), "fixed/split.csv",
              row.names = FALSE, quote = FALSE)
}
geno <- as.matrix(read.csv("fixed/geno.csv", row.names = 1))
p <- read.csv("fixed/pheno.csv", na.strings = "")
train <- read.csv("fixed/split.csv")$part == "train"

z <- scale(geno)[, apply(geno, 2, sd) > 0] * sqrt(nrow(geno) / (nrow(geno) - 1))
K <- z %*% t(z) / ncol(geno)

# Sum contrasts over the levels of the training part; other samples have zeros.
columns <- function(term) {
    if (is.numeric(p[[term]]) && term != "block")
        return(cbind(ifelse(is.na(p[[term]]), mean(p[[term]], na.rm = TRUE), p[[term]])))
    f <- factor(p[[term]], levels = sort(unique(p[[term]][train])))
    C <- contr.sum(nlevels(f))
    x <- matrix(0, nrow(p), ncol(C))
    x[!is.na(f), ] <- C[as.integer(f[!is.na(f)]), ]
    x
}
design <- function(terms) do.call(cbind, lapply(terms, columns))

sets <- list(number = "age", factor = "site", both = c("age", "site"), coded = c("block", "age"),
             confounded = c("site", "twin"))
out <- file("fixed.txt", "w")
for (name in names(sets)) {
    x <- design(sets[[name]])
    fit <- lm(p$yield ~ x, subset = train)
    b <- coef(fit); kept <- !is.na(b); b[!kept] <- 0
    cat("lm", name, sprintf("%.10g", cbind(1, x) %*% b), "\n", file = out)
    X <- cbind(1, x)[, kept]; V <- K[train, train] + 2 * diag(sum(train))
    Vi <- solve(V)
    beta <- solve(t(X[train, ]) %*% Vi %*% X[train, ], t(X[train, ]) %*% Vi %*% p$yield[train])
    alpha <- Vi %*% (p$yield[train] - X[train, ] %*% beta)
    cat("gblup", name, sprintf("%.10g", X %*% beta + K[, train] %*% alpha), "\n", file = out)
}
x <- design(c("age", "site")); x[, 1] <- x[, 1] - mean(x[, 1])
d <- data.frame(kind = factor(p$kind), x)
fit <- nnet::multinom(kind ~ ., d[train, ], maxit = 10000, reltol = 1e-16, abstol = 1e-16, trace = FALSE)
cat("multinom both", sprintf("%.10g", t(predict(fit, d, "probs"))), "\n", file = out)
close(out)
