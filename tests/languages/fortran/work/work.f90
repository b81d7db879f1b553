program work
    implicit none
    logical :: seen(0:20000) = .false.
    integer :: a, b, end
    do
        read (*, *, iostat=end) a, b
        if (end /= 0) exit
        seen(a + b) = .true.
    end do
    do a = 0, 20000
        if (seen(a)) write (*, '(I0)') a
    end do
end program work
