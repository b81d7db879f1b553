      PROGRAM SUM
      INTEGER A, B
      READ(*,*) A, B
      WRITE(*,"(I0)") A + B
      END
