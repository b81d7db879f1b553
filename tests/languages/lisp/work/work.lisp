(let ((seen (make-hash-table)) (sums '()))
  (loop for a = (read *standard-input* nil)
        while a
        do (setf (gethash (+ a (read)) seen) t))
  (maphash (lambda (sum is) (declare (ignore is)) (push sum sums)) seen)
  (format t "~{~a~%~}" (sort sums #'<)))
