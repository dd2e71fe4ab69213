# Every vector of data enters through here. Classes that keep other bits than those of a double
# become numbers: taken as they are, they would be answered wrongly.

# Converts the columns of a data frame or list; coordinates of sf points become columns.
plain_data <- function(data) {
  data <- expand_points(data)
  foreign <- is.list(data) && any(vapply(unclass(data), is_integer64, NA))
  if (foreign) data[] <- lapply(data, plain_vector)
  data
}

plain_vector <- function(x) if (is_integer64(x)) from_integer64(x) else x

is_integer64 <- function(x) inherits(x, "integer64")

# A 64-bit integer, as data.table::fread() reads large ones, is stored in the bits of a double.
# Sums its four words of 16 bits; beyond 2^53 the result is rounded.
from_integer64 <- function(x) {
  bytes <- writeBin(as.vector(unclass(x)), raw(), endian = "little")
  words <- matrix(readBin(bytes, "integer", 4 * length(x), size = 2L, signed = FALSE,
                          endian = "little"), 4L)
  high <- words[4L, ] - 2^16 * (words[4L, ] >= 2^15)
  value <- words[1L, ] + 2^16 * words[2L, ] + 2^32 * words[3L, ] + 2^48 * high
  value[value == -2^63] <- NA
  attributes(value) <- attributes(x)[c("dim", "dimnames", "names")]
  value
}
