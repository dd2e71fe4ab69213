# Rows with two inputs, a season and groups with levels and slopes of their own.
grouped_data <- function(n = 36) {
  withr::with_seed(5, {
    g <- sample(rep(c("a", "b", "c", "d"), length.out = n))
    d <- data.frame(x = rnorm(n), t = sort(runif(n, 0, 9)), g = g, h = rep(1:3, length.out = n))
    level <- c(a = -1, b = 0.2, c = 0.9, d = -0.1)[g]
    d$y <- 5 + sin(d$t) + 0.5 * d$x + level * (1 + 0.4 * d$x) + 0.2 * rnorm(n)
    d
  })
}

# A fit with a process, a sum, a linear part, curves by group and effects of groups, and the same
# model written out. Both know only the data, and the nodes of the fit.
grouped_case <- function(transform = "sinharcsinh") {
  d <- grouped_data()
  fit <- btg(y ~ x + t + additive(x, periodic(t, 3)) + gp(t, kernel = "rbf", by = g) +
               linear(x, t) + (x | g) + (1 | h), d, transform = transform, warp_inputs = FALSE,
             kernel = "matern32", product = TRUE, trend = ~ x, quadrature = few_nodes())
  X <- function(new) {
    # A code of its own for each new group.
    code <- function(values, known) match(values, union(known, values))
    cbind(x = new$x, t = new$t, cos = 3 / (2 * pi) * cos(2 * pi * new$t / 3),
          sin = 3 / (2 * pi) * sin(2 * pi * new$t / 3), g = code(new$g, unique(d$g)),
          h = code(new$h, unique(d$h)))
  }
  process <- function(name, columns, ...) {
    list(name = name, base = "stationary", columns = columns, ...)
  }
  season <- "periodic(t, 3)"
  terms <- list(
    process("main", c("x", "t"), kernel = "matern32", form = "product"),
    process("additive(x, periodic(t, 3))", c("x", "cos", "sin"), kernel = "matern52",
            form = "additive", input = c("x", season, season)),
    process("gp(t, by = g)", "t", kernel = "rbf", form = "radial", by = "g"),
    list(name = "linear(x, t)", base = "linear", columns = c("x", "t")),
    list(name = "(0 + x | g)", base = "linear", columns = "x", by = "g"),
    list(name = "(1 | g)", base = "constant", columns = character(), by = "g"),
    list(name = "(1 | h)", base = "constant", columns = character(), by = "h")
  )
  M <- function(new) cbind(1, new$x)
  list(d = d, fit = fit, X = X, M = M,
       model = naive_model(fit, X(d), M(d), d$y, transform, terms = terms))
}

new_grouped <- data.frame(x = c(0, -0.7, 1.1), t = c(2.2, 5, 11), g = c("b", "new", "d"),
                          h = c(2, 1, 3))
