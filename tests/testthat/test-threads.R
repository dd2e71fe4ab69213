test_that("results do not depend on the number of threads, to the last bit", {
  d <- oracle_data()
  new <- data.frame(x = seq(0, 12, length.out = 40), w = 5500)
  results <- function(threads) {
    one <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(), threads = threads)
    default <- btg(y ~ x + w, d, transform = "sinharcsinh",
                   quadrature = quad_adaptive(nodes = 64, most = 200), threads = threads)
    average <- btg(y ~ x + w, d, quadrature = few_nodes(), threads = threads)
    most_likely <- wgp(y ~ x + w, d, transform = "softplus", threads = threads)
    lapply(list(one, default, average, most_likely), function(fit) {
      list(nodes(fit), fit$model_weights,
           predict(fit, new, interval = "credible", threads = threads),
           predict(fit, new, type = "crps", at = 5, threads = threads),
           loocv(fit, threads = threads)$pointwise,
           loocv(fit, folds = 4, method = "naive", threads = threads)$pointwise,
           simulate(fit, 6, seed = 1, newdata = new, threads = threads))
    })
  }
  alone <- results(1)
  expect_identical(results(2), alone)
  skip_on_cran() # two are what it allows
  expect_identical(results(5), alone)
})

test_that("one thread is the default everywhere, unless the option says otherwise", {
  namespace <- asNamespace("btg")
  methods <- getNamespaceInfo(namespace, "S3methods")[, 3]
  public <- mget(unique(c(getNamespaceExports(namespace), methods)), namespace,
                 ifnotfound = list(NULL))
  public <- Filter(function(fun) is.function(fun) && "threads" %in% names(formals(fun)), public)
  expect_gt(length(public), 15)
  for (name in names(public)) {
    expect_identical(formals(public[[name]])$threads, quote(getOption("btg.threads", 1)),
                     info = name)
  }
})

test_that("the option sets the number of threads", {
  threads_of <- function(code) {
    run <- core_run
    asked <- integer()
    with_functions(list(core_run = function(threads = 1) {
      asked <<- c(asked, threads)
      run(threads)
    }), code)
    max(asked)
  }
  ask <- function() {
    fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8))
    c(fit = threads_of(update(fit)), predict = threads_of(predict(fit)),
      loocv = threads_of(loocv(fit)), wgp = threads_of(wgp(dist ~ speed, cars)))
  }
  expect_true(all(ask() == 1))
  rlang::local_options(btg.threads = 2)
  expect_true(all(ask() == 2))
  rlang::local_options(btg.threads = 0)
  expect_argument_error(btg(dist ~ speed, cars), "`threads`")
})
