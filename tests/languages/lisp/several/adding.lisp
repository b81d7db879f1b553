(defun add (first second) (+ first second))
