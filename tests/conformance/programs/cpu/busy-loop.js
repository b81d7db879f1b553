// The plain endless loop in JavaScript.
for (let i = 0; ; i = (i + 1) % 1000003) {}
