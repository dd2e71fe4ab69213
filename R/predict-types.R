# Several types of prediction in one request: types whose answers come from the same mixtures share
# the work. predict.btg() uses these functions for a vector of types.

# Types that are not columns of numbers.
single_types <- c("distribution", "slope", "terms")

# Returns the types, one or several. All choices, the default, mean the first.
check_types <- function(type, choices) {
  if (!is.character(type) || length(type) < 2L || identical(type, choices)) {
    return(check_choice(type, choices, "type"))
  }
  for (one in type) check_choice(one, choices, "type")
  alone <- intersect(single_types, type)
  if (anyDuplicated(type) || length(alone) > 0L) {
    abort_btg(c(
      "`type` cannot combine these types.",
      x = if (length(alone) > 0L) paste0("\"", alone[1L], "\" goes with no other.")
          else paste0("\"", type[anyDuplicated(type)], "\" is there twice.")
    ), "argument")
  }
  type
}

# `se.fit` and `quadrature_error` make a list of an answer, which several types have no place for.
check_several <- function(types, se.fit, quadrature_error) {
  given <- c("se.fit", "quadrature_error")[c(se.fit, quadrature_error)]
  if (length(types) > 1L && length(given) > 0L) {
    abort_btg(c(paste0("`", given[1L], "` goes with one type."),
                x = paste0("There are ", length(types), ": ", list_names(types, "\""), "."),
                i = "Ask for it in a call of its own."), "argument")
  }
}

# Returns the type that the interval belongs to: the first that is a centre, or "".
interval_type <- function(types) c(types[types %in% c("response", "mean", "mode")], "")[1L]

questions_by_type <- function(types, interval, level, probs, at, n, about_mean) {
  with_ends <- interval_type(types)
  by_type <- lapply(types, function(type) {
    own <- if (type == with_ends) interval else "none"
    predict_questions(type, own, level, probs, at, n, about_mean && own != "none")
  })
  stats::setNames(by_type, types)
}

# Joins the questions of several types: values of the same question become columns of one.
join_questions <- function(by_type) {
  if (length(by_type) == 1L) {
    return(by_type[[1L]])
  }
  joined <- list()
  for (questions in by_type) {
    for (name in names(questions)) joined[[name]] <- join_values(name, joined, questions)
  }
  joined
}

join_values <- function(name, joined, questions) {
  before <- joined[[name]]
  at <- questions[[name]]
  if (is.null(before) || registry()$questions[[name]]$asked_at == "nothing") {
    return(at)
  }
  n <- max(nrow(before), nrow(at))
  every <- function(x) if (nrow(x) == n) x else x[rep(1L, n), , drop = FALSE]
  cbind(every(before), every(at), deparse.level = 0L)
}

# Divides the answers to joined questions among the types, in the order of join_questions().
answers_by_type <- function(answers, by_type) {
  used <- list()
  for (type in names(by_type)) {
    questions <- by_type[[type]]
    for (name in names(questions)) {
      before <- if (registry()$questions[[name]]$asked_at == "nothing") 0 else sum(used[[name]])
      columns <- answer_columns(name, questions[[name]])
      used[[name]] <- c(used[[name]], columns)
      questions[[name]] <- list(value = answers[[name]]$value[, before + seq_len(columns),
                                                              drop = FALSE])
    }
    by_type[[type]] <- questions
  }
  by_type
}

# Returns the answers of several types as one data frame.
several_answers <- function(core, by_type, interval) {
  answers <- answers_by_type(core$answers, by_type)
  with_ends <- interval_type(names(by_type))
  shaped <- lapply(stats::setNames(nm = names(by_type)), function(type) {
    if (type == "lost_mass") {
      return(core$lost_mass)
    }
    own <- if (type == with_ends) interval else "none"
    shape_answer(answers[[type]], "value", type, own, by_type[[type]])
  })
  join_answers(shaped, by_type, names(core$lost_mass))
}

# Returns one data frame with columns for each type. `shaped` holds the answer of each type.
join_answers <- function(shaped, by_type, names) {
  columns <- Map(function(answer, type, questions) {
    if (!is.matrix(answer)) {
      return(stats::setNames(list(unname(answer)), type))
    }
    labels <- column_labels(answer, type, questions)
    stats::setNames(lapply(seq_along(labels), function(j) unname(answer[, j])), labels)
  }, shaped, names(shaped), by_type)
  columns <- do.call(c, unname(columns))
  structure(columns, class = "data.frame", row.names = make.unique(names))
}

# The columns of a type: itself and the interval's ends, or the type with each value it is asked at.
column_labels <- function(answer, type, questions) {
  if (identical(colnames(answer), c("fit", "lwr", "upr"))) {
    return(c(type, "lwr", "upr"))
  }
  at <- questions[[type]]
  values <- if (nrow(at) == 1L) value_names(at) else seq_len(ncol(at))
  if (nrow(at) > 1L && ncol(at) == 1L) type else paste(type, values, sep = "_")
}
