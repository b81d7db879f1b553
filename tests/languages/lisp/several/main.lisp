(load "adding.lisp")
(defun solve () (format t "~a~%" (add (read) (read))))
(solve)
