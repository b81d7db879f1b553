//! The words around a statement in its language.

/// All words; English where a language is not known.
#[derive(Debug)]
pub(crate) struct Words {
    /// Names of the words for templates, and the words.
    pub(crate) all: &'static [(&'static str, &'static str)],
    pub(crate) second: &'static str,
    pub(crate) mebibyte: &'static str,
    /// TeX's name for the language's hyphenation.
    pub(crate) patterns: &'static str,
}

const ENGLISH: Words = Words {
    all: &[
        ("problem", "Problem"),
        ("problems", "Problems"),
        ("time-limit", "Time limit"),
        ("memory-limit", "Memory limit"),
        ("input", "Input"),
        ("output", "Output"),
        ("interaction", "Interaction"),
        ("sample-input", "Sample Input"),
        ("sample-output", "Sample Output"),
        ("sample-interaction", "Sample Interaction"),
        ("read", "Read"),
        ("write", "Write"),
        ("pass", "Pass"),
        ("cut", "The rest is left out here."),
        ("figure", "Figure"),
        ("table", "Table"),
        ("example", "Example"),
        ("examples", "Examples"),
        ("note", "Note"),
        ("scoring", "Scoring"),
        ("explanation", "Explanation"),
        ("constraints", "Constraints"),
        ("input-file", "Input file"),
        ("output-file", "Output file"),
    ],
    second: "s",
    mebibyte: "MiB",
    patterns: "english",
};

const RUSSIAN: Words = Words {
    all: &[
        ("problem", "Задача"),
        ("problems", "Задачи"),
        ("time-limit", "Ограничение времени"),
        ("memory-limit", "Ограничение памяти"),
        ("input", "Входные данные"),
        ("output", "Выходные данные"),
        ("interaction", "Взаимодействие"),
        ("sample-input", "Пример ввода"),
        ("sample-output", "Пример вывода"),
        ("sample-interaction", "Пример взаимодействия"),
        ("read", "Ввод"),
        ("write", "Вывод"),
        ("pass", "Проход"),
        ("cut", "Остальное здесь опущено."),
        ("figure", "Рис."),
        ("table", "Таблица"),
        ("example", "Пример"),
        ("examples", "Примеры"),
        ("note", "Замечание"),
        ("scoring", "Система оценки"),
        ("explanation", "Пояснение"),
        ("constraints", "Ограничения"),
        ("input-file", "Имя входного файла"),
        ("output-file", "Имя выходного файла"),
    ],
    second: "с",
    mebibyte: "МиБ",
    patterns: "russian",
};

const CHINESE: Words = Words {
    all: &[
        ("problem", "题目"),
        ("problems", "题目列表"),
        ("time-limit", "时间限制"),
        ("memory-limit", "内存限制"),
        ("input", "输入"),
        ("output", "输出"),
        ("interaction", "交互"),
        ("sample-input", "样例输入"),
        ("sample-output", "样例输出"),
        ("sample-interaction", "样例交互"),
        ("read", "读入"),
        ("write", "写出"),
        ("pass", "轮次"),
        ("cut", "其余部分在此省略。"),
        ("figure", "图"),
        ("table", "表"),
        ("example", "样例"),
        ("examples", "样例"),
        ("note", "说明"),
        ("scoring", "评分"),
        ("explanation", "解释"),
        ("constraints", "约束"),
        ("input-file", "输入文件"),
        ("output-file", "输出文件"),
    ],
    second: "秒",
    mebibyte: "MiB",
    patterns: "",
};

/// Returns whether a language such as `ar` or `he-IL` is written from right to left.
pub(crate) fn is_rtl(language: &str) -> bool {
    ["ar", "he", "iw", "fa", "ur", "yi", "ps", "ckb", "dv", "sd", "ug"]
        .contains(&language.split('-').next().unwrap_or_default())
}

/// Returns the words of a language such as `ru` or `zh-CN`.
pub(crate) fn of(language: &str) -> &'static Words {
    match language.split('-').next().unwrap_or_default() {
        "ru" => &RUSSIAN,
        "zh" => &CHINESE,
        _ => &ENGLISH,
    }
}

impl Words {
    pub(crate) fn get(&self, name: &str) -> &'static str {
        self.all.iter().find(|(known, _)| *known == name).map_or("", |(_, word)| word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_word() {
        for words in [&RUSSIAN, &CHINESE] {
            let names = |words: &Words| words.all.iter().map(|(name, _)| *name).collect::<Vec<_>>();
            assert_eq!(names(words), names(&ENGLISH));
        }
        assert_eq!(of("pt-BR").get("problem"), "Problem");
        assert_eq!(of("zh-CN").get("problem"), "题目");
    }
}
