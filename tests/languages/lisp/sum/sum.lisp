(format t "~a~%" (+ (read) (read)))
