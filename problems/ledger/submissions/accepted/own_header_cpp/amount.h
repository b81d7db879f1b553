#error "the package's amount.h must take the place of this one"
