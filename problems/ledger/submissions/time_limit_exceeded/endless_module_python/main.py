import clock

clock.wait()
