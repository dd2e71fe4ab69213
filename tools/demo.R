# Ozone in New York, May to September 1973: positive, skewed, and far from Gaussian.
# Rscript tools/demo.R [file.png]

library(btg)

args <- commandArgs(trailingOnly = TRUE)
file <- if (length(args)) args[1] else "build/demo.png"

# Days with missing values are left out, as lm() does.
fit <- btg(Ozone ~ Temp + Wind + Solar.R, data = airquality)
print(fit)

# What will ozone be? Medians and 95% intervals, in ppb.
days <- data.frame(
  Temp = c(60, 70, 78, 85, 93),
  Wind = c(14, 10, 9, 8, 5),
  Solar.R = c(120, 190, 210, 230, 250)
)
ozone <- predict(fit, days, interval = "credible", level = 0.95)
cat("\nOzone (ppb): median and 95% credible interval\n\n")
print(cbind(days, round(ozone, 1)), row.names = FALSE)

# Every day predicted from the others: are the intervals right?
cat("\n")
print(loocv(fit))

# Okabe and Ito's colours can be told apart by everyone.
colours <- c("#0072B2", "#E69F00", "#D55E00")
wide <- adjustcolor(colours[1], 0.18)
narrow <- adjustcolor(colours[1], 0.4)
grey <- adjustcolor("black", 0.55)

device <- if (capabilities("cairo")) "cairo" else getOption("bitmapType")
png(file, width = 2000, height = 900, res = 180, type = device)
par(mfrow = c(1, 2), mar = c(4.2, 4.8, 2.6, 1), mgp = c(3.2, 0.7, 0), las = 1, bty = "l")

# Left: ozone against temperature on a day of median wind and sun.
path <- data.frame(
  Temp = seq(56, 98, length.out = 80),
  Wind = median(airquality$Wind),
  Solar.R = median(airquality$Solar.R, na.rm = TRUE)
)
bands <- predict(fit, path, type = "quantile", probs = c(0.025, 0.25, 0.5, 0.75, 0.975))
band <- function(lower, upper, colour) {
  polygon(c(path$Temp, rev(path$Temp)), c(lower, rev(upper)), col = colour, border = NA)
}
plot(Ozone ~ Temp, airquality,
  type = "n", ylim = c(0, 170),
  xlab = "Temperature (\u00b0F)", ylab = "Ozone (ppb)", main = "On a day of median wind and sun"
)
band(bands[, 1], bands[, 5], wide)
band(bands[, 2], bands[, 4], narrow)
points(Ozone ~ Temp, airquality, pch = 16, cex = 0.7, col = grey)
lines(path$Temp, bands[, 3], col = colours[1], lwd = 3)
legend("topleft",
  legend = c("median", "50% interval", "95% interval", "all days, any wind and sun"),
  col = c(colours[1], narrow, wide, grey),
  lwd = c(3, NA, NA, NA), pch = c(NA, 15, 15, 16), pt.cex = c(NA, 2, 2, 0.7),
  bty = "n", cex = 0.8
)

# Right: the whole predictive distribution of three days.
at <- seq(0.5, 180, by = 0.5)
three <- days[c(1, 3, 5), ]
density <- lapply(seq_len(3), function(i) {
  as.vector(predict(fit, three[i, ], type = "density", at = at))
})
plot(range(at), c(0, max(unlist(density))),
  type = "n",
  xlab = "Ozone (ppb)", ylab = "Predictive density", main = "Three days to come"
)
for (i in 1:3) {
  polygon(c(at, rev(at)), c(density[[i]], 0 * at), col = adjustcolor(colours[i], 0.25), border = NA)
  lines(at, density[[i]], col = colours[i], lwd = 3)
}
legend("topright",
  legend = sprintf("%s: %g \u00b0F, wind %g mph", c("Cool", "Warm", "Hot"), three$Temp, three$Wind),
  col = colours, lwd = 3, bty = "n", cex = 0.8
)
invisible(dev.off())

cat("\nA picture of the fit is in ", file, "\n", sep = "")
