# Crashes before it has answered.
input(); raise SystemExit(1)
