# Numbers in awk are doubles, too short for 18 digits: add and subtract by halves of nine digits.
function magnitude(text) {
    sub(/^-/, "", text)
    return text
}

function less(x, y) {
    if (length(x) != length(y)) return length(x) < length(y)
    # The appended letter makes it a comparison of strings.
    return (x "d") < (y "d")
}

function high(x) { return length(x) > 9 ? substr(x, 1, length(x) - 9) + 0 : 0 }
function low(x) { return (length(x) > 9 ? substr(x, length(x) - 8) : x) + 0 }

function show(upper, lower) {
    if (lower >= 1000000000) { upper += 1; lower -= 1000000000 }
    if (lower < 0) { upper -= 1; lower += 1000000000 }
    if (upper > 0) printf "%d%09d\n", upper, lower
    else printf "%d\n", lower
}

{
    a = magnitude($1); b = magnitude($2)
    if (($1 ~ /^-/) != ($2 ~ /^-/)) show(high(a) + high(b), low(a) + low(b))
    else if (less(a, b)) show(high(b) - high(a), low(b) - low(a))
    else show(high(a) - high(b), low(a) - low(b))
}
