      PROGRAM WORK
      LOGICAL SEEN(0:20000)
      INTEGER A, B, I
      DO 10 I = 0, 20000
   10 SEEN(I) = .FALSE.
   20 READ(*,*,END=30) A, B
      SEEN(A + B) = .TRUE.
      GOTO 20
   30 DO 40 I = 0, 20000
      IF (SEEN(I)) WRITE(*,"(I0)") I
   40 CONTINUE
      END
