# Interrupts long calls at random moments, and looks at the session after each: how long it took to
# stop, whether threads are left, and whether a call gives what it gave before.
#
#   Rscript tests/interrupts/interrupt.R [interrupts] [rows] [longest delay in seconds] [seed]
#
# Each call is interrupted by a process that sleeps and then sends SIGINT. The last line counts:
# interrupts, those that came after their call had ended, and the longest time to stop, by the clock
# and of the processor (all threads together), which does not depend on what else the machine does.
# The exit status is 1 if the session was not the same after one.

args <- as.numeric(commandArgs(TRUE))
arguments <- c(200, 2000, 2, 1)
arguments[seq_along(args)] <- args
count <- arguments[1]
n <- arguments[2]
longest_delay <- arguments[3]
set.seed(arguments[4])

suppressMessages(library(btg))
options(btg.warn_quadrature = FALSE, btg.progress = function(...) NULL)

some_data <- function(n) {
  x <- matrix(runif(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  list(x = x, y = exp(sin(5 * x[, 1]) + x[, 2] + 0.3 * rnorm(n)))
}
d <- some_data(n)
new <- some_data(n)$x
few <- quad_sobol(nodes = 8, inner = 2)
fit <- btg(d$x, d$y, transform = "sinharcsinh", quadrature = few, epsilon = 1e-9)
# Nodes of equal weight, so that there is something to average over.
hyper <- fit$models[[1]]$posterior$hyper[rep(1, 20), , drop = FALSE]
hyper[, 1] <- hyper[, 1] * seq(0.8, 1.2, length.out = 20)
fit$models[[1]]$posterior <- list(hyper = hyper, weight = rep(1 / 20, 20),
                                  log_marginal = rep(0, 20), log_prior = rep(0, 20))
fit <- btg:::add_checksum(fit)

calls <- list(
  btg = function(threads) btg(d$x, d$y, transform = "sinharcsinh", threads = threads),
  btg_auto = function(threads) btg(d$x, d$y, threads = threads),
  wgp = function(threads) wgp(d$x, d$y, transform = "boxcox", threads = threads),
  predict = function(threads) predict(fit, new, interval = "hdi", threads = threads),
  moments = function(threads) predict(fit, new, type = "mean", threads = threads),
  loocv = function(threads) loocv(fit, threads = threads),
  loocv_naive = function(threads) loocv(fit, method = "naive", threads = threads),
  loocv_folds = function(threads) loocv(fit, folds = 3, threads = threads),
  simulate = function(threads) simulate(fit, 50, newdata = new, threads = threads),
  simulate_blocks = function(threads) {
    simulate(fit, 50, newdata = new, joint = 100, threads = threads)
  },
  refine = function(threads) refine(fit, threads = threads),
  approximate = function(threads) {
    btg(d$x, d$y, transform = "softplus", approx = vecchia(10, 8, 20), threads = threads)
  },
  slopes = function(threads) predict(fit, new, type = "slope", threads = threads),
  update = function(threads) {
    update(fit, newdata = new[1:5, ], y = d$y[1:5], refit = TRUE, threads = threads)
  },
  prepare = function(threads) {
    release()
    prepare(fit, threads = threads)
  }
)

small <- some_data(40)
reference <- function() {
  one <- btg(small$x, small$y, transform = "boxcox", quadrature = quad_sobol(nodes = 64),
             threads = 2)
  list(nodes(one), predict(one, new[1:5, ], interval = "credible", threads = 2),
       loocv(one)$pointwise, simulate(one, 2, seed = 1))
}
threads_now <- function() length(list.files("/proc/self/task"))
before <- reference()
started_threads <- threads_now()

record <- tempfile()
interrupt_after <- function(delay) {
  unlink(record)
  system(sprintf(
    "(sleep %.3f; date +%%s.%%N >%s; cat /proc/%d/stat >>%s 2>/dev/null; kill -INT %d) &",
    delay, record, Sys.getpid(), record, Sys.getpid()
  ))
}

# Seconds of the processor that the session had used by then; NA where the system does not say.
cpu_then <- function() {
  stat <- readLines(record)[2]
  sum(as.numeric(strsplit(sub(".*[)] ", "", stat), " ")[[1]][12:13])) / 100
}
cpu_now <- function() sum(proc.time()[1:2])

results <- data.frame()
for (k in seq_len(count)) {
  name <- names(calls)[(k - 1) %% length(calls) + 1]
  threads <- 1 + (k %/% length(calls)) %% 2
  ended <- FALSE
  stopped_at <- cpu_at <- NA
  tryCatch({
    interrupt_after(runif(1, 0.02, longest_delay))
    calls[[name]](threads)
    ended <- TRUE
    Sys.sleep(longest_delay + 2) # the interrupt is still to come
  }, interrupt = function(condition) {
    stopped_at <<- as.numeric(Sys.time())
    cpu_at <<- cpu_now()
  })
  took <- if (ended) NA else stopped_at - as.numeric(readLines(record)[1])
  cpu <- if (ended) NA else cpu_at - cpu_then()
  healthy <- identical(reference(), before) && threads_now() == started_threads &&
    is.null(asNamespace("btg")$progress_state$bar)
  results <- rbind(results, data.frame(name, threads, took, cpu, healthy))
  if (!healthy) cat("Not the same after", name, "on", threads, "threads\n")
}

print(stats::aggregate(cbind(took, cpu) ~ name + threads, results, function(x) round(max(x), 2)))
cat(sprintf("load %s\n", if (file.exists("/proc/loadavg")) readLines("/proc/loadavg") else ""))
cat(sprintf(paste("%d interrupts, %d late, longest time to stop %.2f s (%.2f s of the processor),",
                  "%d not healthy\n"),
            count, sum(is.na(results$took)), max(results$took, na.rm = TRUE),
            max(results$cpu, na.rm = TRUE), sum(!results$healthy)))
quit(status = any(!results$healthy))
