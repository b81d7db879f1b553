//! The package and the programs of the self-test.

use model::Verdict;

pub const ANSWER: &str = "Hello\n";

pub const PACKAGE: &[(&str, &str)] = &[
    (
        "problem.yaml",
        "problem_format_version: legacy\nname: Self-test\nlimits:\n  memory: 256\n  output: 1\n",
    ),
    ("problem_statement/problem.en.tex", "\\problemname{Self-test}\n"),
    ("data/secret/1.in", "\n"),
    ("data/secret/1.ans", ANSWER),
    (".timelimit", "10\n"),
];

pub struct KnownProgram {
    pub name: &'static str,
    pub verdict: Verdict,
    pub source: &'static str,
}

pub const KNOWN: &[KnownProgram] = &[
    KnownProgram {
        name: "accepted",
        verdict: Verdict::Accepted,
        source: "#include <stdio.h>\nint main(void) { puts(\"Hello\"); return 0; }\n",
    },
    KnownProgram {
        name: "wrong answer",
        verdict: Verdict::WrongAnswer,
        source: "#include <stdio.h>\nint main(void) { puts(\"Bye\"); return 0; }\n",
    },
    KnownProgram {
        name: "time limit exceeded",
        verdict: Verdict::TimeLimitExceeded,
        source: "int main(void) { for (volatile unsigned i = 0;; i++) {} }\n",
    },
    KnownProgram {
        name: "run-time error",
        verdict: Verdict::RunTimeError,
        source: "#include <stdlib.h>\nint main(void) { abort(); }\n",
    },
    KnownProgram {
        name: "memory limit exceeded",
        verdict: Verdict::MemoryLimitExceeded,
        source: "#include <stdlib.h>\n#include <string.h>\nint main(void) {\n  for (;;) {\n    \
                 volatile char *p = malloc(1 << 20);\n    if (p) memset((char *)p, 1, 1 << 20);\n  }\n}\n",
    },
    KnownProgram {
        name: "compile error",
        verdict: Verdict::CompileError,
        source: "int main(void) { return this_is_not_declared; }\n",
    },
];
