# Factors that interact with curves: a plain input beside a curve by group.

# `formulas` are fitted beside each other. NULL without data.
factor_set <- function(data, train, ...) {
  if (is.null(data)) return(NULL)
  formulas <- list(...)
  list(formula = formulas[[1L]], data = data, train = train, formulas = formulas)
}

# Gains are numbers, motors and screws factors.
servo_data <- function() {
  if (!requireNamespace("mlbench", quietly = TRUE)) return(NULL)
  data <- from_package("mlbench", "Servo")
  for (gain in c("Pgain", "Vgain")) data[[gain]] <- as.double(as.character(data[[gain]]))
  data
}

factor_problems <- function() {
  co2 <- as.data.frame(datasets::CO2)
  co2$Plant <- as.character(co2$Plant)
  chicks <- as.data.frame(datasets::ChickWeight)
  chicks <- chicks[as.numeric(as.character(chicks$Chick)) <= 24, ]
  chicks$Chick <- as.character(chicks$Chick)
  list(
    co2_plants = factor_set(co2, 56L, plain = uptake ~ conc + Plant,
                            curves = uptake ~ gp(conc) + gp(conc, by = Plant),
                            both = uptake ~ conc + Plant + gp(conc, by = Plant)),
    co2_types = factor_set(co2, 56L, plain = uptake ~ conc + Type + Treatment,
                           curves = uptake ~ gp(conc) + gp(conc, by = Type:Treatment),
                           both = uptake ~ conc + Type + Treatment + gp(conc, by = Type:Treatment)),
    servo = factor_set(servo_data(), 110L, plain = Class ~ Motor + Screw + Pgain + Vgain,
                       curves = Class ~ gp(Pgain, Vgain) + gp(Pgain, Vgain, by = Motor) +
                         gp(Pgain, Vgain, by = Screw),
                       both = Class ~ Motor + Screw + Pgain + Vgain + gp(Pgain, by = Motor)),
    chicks = factor_set(chicks, 120L, plain = weight ~ Time + Chick,
                        curves = weight ~ gp(Time) + gp(Time, by = Chick),
                        levels = weight ~ Time + (Time | Chick),
                        both = weight ~ Time + Chick + gp(Time, by = Chick))
  )
}

with_curves <- function(problem, train) {
  lapply(problem$formulas, function(formula) timed(btg(formula, train)))
}
