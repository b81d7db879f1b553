# Doubles again, as awk computes in nothing else.
{ difference = $1 - $2; printf "%.0f\n", difference < 0 ? -difference : difference }
