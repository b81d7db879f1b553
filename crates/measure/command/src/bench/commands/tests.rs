use super::*;
use clap::{Args, FromArgMatches};

fn arguments(words: &[&str]) -> BenchArguments {
    let words = [&["bench"], words].concat();
    let command = BenchArguments::augment_args(clap::Command::new("bench"));
    BenchArguments::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
}

fn lines(words: &[&str]) -> Vec<String> {
    let commands = read(&arguments(words)).unwrap();
    commands.iter().map(|command| format!("{} = {:?}", command.label(), command.argv)).collect()
}

fn refused(words: &[&str], message: &str) {
    let error = format!("{:#}", read(&arguments(words)).unwrap_err());
    assert!(error.contains(message), "{error}");
}

#[test]
fn parameters_make_one_command_of_each_combination() {
    assert_eq!(
        lines(&["-P", "n", "1", "2", "-L", "s", "a b,c", "--vs", "./b {n} {s}", "--", "./a", "{s}", "-n{n}"]),
        [
            r#"./a 'a b' -n1 = ["./a", "a b", "-n1"]"#,
            r#"./b 1 'a b' = ["./b", "1", "a b"]"#,
            r#"./a 'a b' -n2 = ["./a", "a b", "-n2"]"#,
            r#"./b 2 'a b' = ["./b", "2", "a b"]"#,
            r#"./a c -n1 = ["./a", "c", "-n1"]"#,
            r#"./b 1 c = ["./b", "1", "c"]"#,
            r#"./a c -n2 = ["./a", "c", "-n2"]"#,
            r#"./b 2 c = ["./b", "2", "c"]"#,
        ]
    );
    let scans = ["-P", "a", "0", "1", "-P", "b", "0", "1", "-D", "1", "-D", "0.5", "--", "x", "{a}{b}"];
    let commands = read(&arguments(&scans)).unwrap();
    let words: Vec<_> = commands.iter().map(|command| command.argv[1].as_str()).collect();
    assert_eq!(words, ["00.0", "10.0", "00.5", "10.5", "01.0", "11.0"]);
}

#[test]
fn a_shell_gets_the_line_as_it_is() {
    assert_eq!(
        lines(&["--shell", "--vs", "a | 'b c'", "-L", "n", "1", "--", "x {n} > y"]),
        [r#"x 1 > y = ["sh", "-c", "x 1 > y"]"#, r#"a | 'b c' = ["sh", "-c", "a | 'b c'"]"#]
    );
    assert_eq!(lines(&["--shell=bash -e", "--", "x"]), [r#"x = ["bash", "-e", "-c", "x"]"#]);
    assert_eq!(lines(&["--shell=none", "--", "x", "y"]), [r#"x y = ["x", "y"]"#]);
    refused(&["--shell", "--", "x", "y"], "with --shell the command after -- is one string");
}

#[test]
fn names_and_hooks_belong_to_all_commands_or_to_each() {
    let both = ["--vs", "b", "--name", "one", "--name", "two", "--setup", "make {n}", "--prepare", "p 1"];
    let words = [&both[..], &["--prepare", " ", "-L", "n", "7", "--", "a"]].concat();
    let commands = read(&arguments(&words)).unwrap();
    let hook = |hook: &Option<Hook>| hook.as_ref().map(|hook| hook.argv.join(" "));
    let of = |command: &Command| (hook(&command.hooks.setup), hook(&command.hooks.prepare));
    let setup = Some("make 7".to_owned());
    assert_eq!(of(&commands[0]), (setup.clone(), Some("p 1".to_owned())));
    assert_eq!(of(&commands[1]), (setup, None));
    assert_eq!((commands[0].label(), commands[1].label()), ("one", "two"));
    let named = |name: &str| {
        reference(
            &arguments(&[&words[..words.len() - 2], &["--reference", name, "--", "a"]].concat()),
            &commands,
        )
    };
    assert_eq!((named("two").unwrap(), named("A").unwrap(), named("B").unwrap()), (1, 0, 1));
    let error = named("three").unwrap_err().to_string();
    assert_eq!(error, "--reference three is none of the commands A (one), B (two)");
    let of_each = ["-P", "n", "1", "2", "--name", "with {n}", "--", "a", "{n}"];
    assert_eq!(lines(&of_each), [r#"with 1 = ["a", "1"]"#, r#"with 2 = ["a", "2"]"#]);
    // The same command may be measured with and without something before it.
    assert_eq!(lines(&["--vs", "a", "--prepare", "x", "--prepare", "y", "--", "a"]).len(), 2);
}

#[test]
fn what_does_not_fit_is_refused() {
    refused(
        &["--vs", "b", "--vs", "c", "--prepare", "x", "--prepare", "y", "--", "a"],
        "--prepare is given 2 times; it takes 1 for all commands or 3, one for each command",
    );
    refused(
        &["--vs", "b", "--name", "x", "--", "a"],
        "--name is given 1 times; it takes 2, one for each command",
    );
    refused(&["--vs", "b", "--name", "x", "--name", "x", "--", "a"], "two commands have the name x");
    refused(&["-L", "n", "1,2", "--", "a"], "no command has the parameter n");
    refused(&["-P", "n", "1", "100", "--", "a", "{n}"], "that makes 100 commands, more than 64");
    refused(
        &["-P", "n", "1", "33", "--vs", "b {n}", "--", "a", "{n}"],
        "that makes 66 commands, more than 64",
    );
    refused(&["-L", "n", "1", "-L", "n", "2", "--", "a", "{n}"], "there are two parameters n");
    refused(&["-P", "n", "1", "x", "--", "a", "{n}"], "--parameter-scan has no values: 'x' is not a number");
    refused(&["--vs", "a", "--", "a"], "names the same command again");
    refused(&["-L", "n", "1,1", "--", "a", "{n}"], "a 1 stands twice among the commands");
    refused(&["-L", "n", "1,2", "--vs", "b", "--", "a", "{n}"], "b stands twice among the commands");
}

#[test]
fn letters_go_on_after_z() {
    assert_eq!([0, 25, 26, 51, 52].map(letter), ["A", "Z", "AA", "AZ", "BA"]);
}
