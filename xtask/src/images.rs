//! Builds images of recipes, twice each, and judges with them: `cargo xtask images`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use xtask::process;

use crate::vm;

/// Recipes that are built unless others are named: compiled and interpreted languages, one whose compiler executes what was
/// submitted, and what most contests have.
const USUAL: [&str; 5] = ["cpp", "python", "haskell", "scripts", "contest"];
/// The package with a submission in every language.
const PACKAGE: &str = "problems/different";

#[derive(clap::Args)]
pub struct Options {
    /// Folders of languages/images; by default cpp, python, haskell, scripts, contest
    #[arg(value_name = "RECIPE")]
    recipes: Vec<String>,
    /// Packages that are judged with each image and with the host's toolchains
    #[arg(long, value_name = "PACKAGE", default_value = PACKAGE)]
    package: Vec<PathBuf>,
}

pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let build = ["build", "--workspace", "--bin", "tauto"];
    process::run(Command::new(vm::cargo()).args(build).current_dir(root))?;
    let target = vm::target_directory(root)?;
    let tauto = Tauto { root, program: target.join("debug/tauto"), folder: target.join("images") };
    let base = tauto.folder.join("base");
    eprintln!("images: Debian's packages of the base, by mmdebstrap");
    process::run(Command::new(root.join("languages/images/base/make")).arg(&base))?;
    for store in ["first", "second"] {
        tauto.build(store, &base, "judge/base:bookworm")?;
    }
    let usual = USUAL.map(str::to_owned).to_vec();
    let recipes = if options.recipes.is_empty() { &usual } else { &options.recipes };
    let mut rows = Vec::new();
    let mut is_right = true;
    for recipe in recipes {
        let made = tauto.recipe(recipe)?;
        let mut differing = Vec::new();
        for package in &options.package {
            differing.extend(tauto.differences(package, &made.name)?);
        }
        is_right &= made.is_same && differing.is_empty();
        rows.push(row(recipe, &made, &differing));
    }
    let header = ["recipe", "digest", "files", "size", "built in", "built again", "verdicts"];
    print(&header.map(str::to_owned), &rows);
    Ok(ExitCode::from(u8::from(!is_right)))
}

fn row(recipe: &str, made: &Made, differing: &[String]) -> [String; 7] {
    [
        recipe.to_owned(),
        made.digest.chars().skip("sha256:".len()).take(12).collect(),
        made.files.to_string(),
        format!("{} MiB", made.bytes >> 20),
        format!("{:.1} s", made.seconds),
        if made.is_same { "the same" } else { "DIFFERS" }.to_owned(),
        if differing.is_empty() { "as the host's".to_owned() } else { differing.join("; ") },
    ]
}

/// An image that was built twice.
struct Made {
    name: String,
    digest: String,
    files: u64,
    bytes: u64,
    /// For the first time.
    seconds: f64,
    is_same: bool,
}

struct Tauto<'a> {
    root: &'a Path,
    program: PathBuf,
    /// For the stores.
    folder: PathBuf,
}

impl Tauto<'_> {
    /// Builds a recipe in two stores that share nothing, and checks that it has its languages.
    fn recipe(&self, recipe: &str) -> Result<Made> {
        let folder = self.root.join("languages/images").join(recipe);
        let name = format!("judge/{recipe}:1");
        let start = Instant::now();
        let first = self.build("first", &folder, &name)?;
        let seconds = start.elapsed().as_secs_f64();
        let second = self.build("second", &folder, &name)?;
        let digest = text(&first["image"]["digest"])?;
        let shown = self.json("first", &["image", "show", &name])?;
        let has = |language: &str| {
            shown["languages"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == language))
        };
        let file = fs::read_to_string(folder.join("Dockerfile"))?;
        for language in languages(&file) {
            ensure!(has(language), "{recipe}: the image has no compiler for {language}");
        }
        Ok(Made {
            is_same: second["image"]["digest"] == first["image"]["digest"],
            files: first["image"]["entries"].as_u64().unwrap_or_default(),
            bytes: first["image"]["bytes"].as_u64().unwrap_or_default(),
            name,
            digest,
            seconds,
        })
    }

    fn build(&self, store: &str, context: &Path, name: &str) -> Result<Value> {
        eprintln!("images: {name}, in the {store} store");
        self.json(store, &["image", "build", &context.to_string_lossy(), "-t", name])
    }

    /// Judges a package with an image and with the host's toolchains; returns which verdicts differ.
    fn differences(&self, package: &Path, image: &str) -> Result<Vec<String>> {
        let package = package.to_string_lossy();
        eprintln!("images: {package} with {image} and with the host's toolchains");
        let judge = ["judge", &package, "--wait", "--skip-missing"];
        let with_image = verdicts(&self.json("first", &[&judge[..], &["--image", image]].concat())?)?;
        ensure!(!with_image.is_empty(), "{image}: nothing in {package} was judged");
        let with_host = verdicts(&self.json("first", &judge)?)?;
        let differing = with_image.iter().filter_map(|(name, verdict)| {
            let other = with_host.get(name)?;
            (other != verdict).then(|| format!("{package}/{name}: {verdict}, and {other} by the host's"))
        });
        Ok(differing.collect())
    }

    fn json(&self, store: &str, arguments: &[&str]) -> Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--json").current_dir(self.root);
        let output = process::capture(command.env("TAUTO_IMAGES", self.folder.join(store)))?;
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        // A verdict that was not expected is an answer, too.
        let is_answer = matches!(output.status.code(), Some(0 | 1));
        if !is_answer || document["schema"].as_str().is_none_or(|schema| schema.contains("/error/")) {
            bail!("tauto {}: {}", arguments.join(" "), process::tail(&output.stderr));
        }
        Ok(document)
    }
}

/// Returns the verdict of each submission.
fn verdicts(report: &Value) -> Result<BTreeMap<String, String>> {
    let submissions = report["submissions"].as_array().context("the report has no submissions")?;
    submissions.iter().map(|one| Ok((text(&one["name"])?, text(&one["verdict"])?))).collect()
}

fn text(value: &Value) -> Result<String> {
    Ok(value.as_str().with_context(|| format!("{value} is no text"))?.to_owned())
}

/// Returns the languages that a recipe says it has.
fn languages(dockerfile: &str) -> Vec<&str> {
    let label = dockerfile.lines().find_map(|line| line.strip_prefix("LABEL org.tautochrone.languages="));
    label.unwrap_or_default().trim_matches('"').split_ascii_whitespace().collect()
}

fn print<const N: usize>(header: &[String; N], rows: &[[String; N]]) {
    let all = || std::iter::once(header).chain(rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or_default();
    for row in all() {
        let cells = row.iter().enumerate().map(|(column, cell)| format!("{cell:<0$}", width(column)));
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}
