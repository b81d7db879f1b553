<?php
$seen = [];
while (($line = fgets(STDIN)) !== false) {
    [$a, $b] = array_map('intval', explode(' ', trim($line)));
    $seen[$a + $b] = true;
}
ksort($seen);
echo implode("\n", array_keys($seen)), "\n";
