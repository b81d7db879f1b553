program start
  use pair
  implicit none
  integer :: a, b
  read (*, *) a, b
  write (*, "(i0)") add(a, b)
end program start
