# The streams by their names, as scripts use them.
read -r line < /dev/stdin
echo "aside" > /dev/stderr
echo "$line" > /dev/stdout
