//! Circles of files: files of a crate that use each other, so that none can be read without the others.
//!
//! An edge leads from a file that names an item to the file that defines it, whatever re-exports lie between; a re-export
//! alone uses nothing. A file and its parent, or any other two, may use each other; more than two may not.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

use super::Finding;
use super::tree::Tree;

/// How many re-exports are followed; more are a circle of them.
const DEPTH_MAX: usize = 6;

#[derive(Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    children: HashMap<String, usize>,
    items: HashSet<String>,
    /// Names that `use` brings, and what they stand for.
    aliases: HashMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

/// A path that a file names: from which module, its segments, and the line.
struct NamedPath {
    module: usize,
    segments: Vec<String>,
    line: usize,
}

#[derive(Default)]
struct Crate<'t> {
    files: Vec<&'t str>,
    modules: Vec<Module>,
    named: Vec<NamedPath>,
}

enum PathTarget {
    Module(usize),
    Item(usize),
}

/// Which file uses which, and in which line first.
type Edges = BTreeMap<usize, BTreeMap<usize, usize>>;

/// Checks the crates whose roots these are.
pub fn check<'r>(tree: &Tree, roots: impl IntoIterator<Item = &'r str>) -> Vec<Finding> {
    roots.into_iter().flat_map(|root| check_crate(tree, root)).collect()
}

fn check_crate(tree: &Tree, root: &str) -> Vec<Finding> {
    let mut all = Crate::default();
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
    all.read(tree, root, folder, None);
    let edges = all.edges();
    circles(&edges, all.files.len()).iter().map(|circle| finding(&all, &edges, circle)).collect()
}

fn finding(all: &Crate<'_>, edges: &Edges, circle: &BTreeSet<usize>) -> Finding {
    let short = shortest(edges, circle);
    let steps = short
        .iter()
        .zip(short.iter().cycle().skip(1))
        .map(|(from, to)| format!("{}:{} uses {}", all.files[*from], edges[from][to], all.files[*to]));
    let steps: Vec<String> = steps.collect();
    let first = short[0];
    Finding::error(
        all.files[first],
        edges[&first][&short[1 % short.len()]],
        format!("{} files use each other, among them: {}", circle.len(), steps.join("; ")),
        "move what they share into a file below them, or the function that joins them into one above",
    )
}

impl<'t> Crate<'t> {
    /// Reads the file of a module and of those below it. `folder` is where its children's files are.
    fn read(&mut self, tree: &'t Tree, path: &str, folder: &str, parent: Option<usize>) -> Option<usize> {
        let (path, text) = tree.texts(|known| known == path).next()?;
        // What does not parse does not compile either.
        let parsed = syn::parse_file(text).ok()?;
        let file = self.files.len();
        self.files.push(path);
        let module = self.add(file, parent);
        self.read_items(tree, module, folder, &parsed.items);
        Some(module)
    }

    fn add(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }

    fn read_items(&mut self, tree: &'t Tree, module: usize, folder: &str, items: &[Item]) {
        for item in items {
            if let Some(name) = name_of(item) {
                self.modules[module].items.insert(name);
            }
            let Item::Mod(inner) = item else {
                let mut reader = Reader { all: self, module, is_export: false };
                reader.visit_item(item);
                continue;
            };
            if is_test(&inner.attrs) {
                continue;
            }
            let name = inner.ident.to_string();
            let below = format!("{folder}/{name}");
            let child = match &inner.content {
                Some((_, items)) => {
                    let child = self.add(self.modules[module].file, Some(module));
                    self.read_items(tree, child, &below, items);
                    Some(child)
                }
                None => self.read(tree, &format!("{below}.rs"), &below, Some(module)),
            };
            self.modules[module].children.extend(child.map(|child| (name, child)));
        }
    }

    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        let mut known = HashSet::new();
        for named in &self.named {
            let from = self.modules[named.module].file;
            if known.insert((named.module, &named.segments))
                && let Some(PathTarget::Item(to)) = self.find(named.module, &named.segments, 0)
                && to != from
            {
                edges.entry(from).or_default().entry(to).or_insert(named.line);
            }
        }
        edges
    }

    /// Follows a path from a module; `None` for what is not of this crate.
    fn find(&self, module: usize, segments: &[String], depth: usize) -> Option<PathTarget> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut at = module;
        for (step, name) in segments.iter().enumerate() {
            let here = &self.modules[at];
            let next = match name.as_str() {
                "crate" => Some(0),
                "self" => Some(at),
                "super" => here.parent,
                name => here.children.get(name).copied(),
            };
            if let Some(next) = next {
                at = next;
                continue;
            }
            if here.items.contains(name) {
                return Some(PathTarget::Item(here.file));
            }
            if let Some(alias) = here.aliases.get(name) {
                match self.find(at, alias, depth + 1)? {
                    PathTarget::Module(next) => at = next,
                    item => return Some(item),
                }
                continue;
            }
            return here.globs.iter().find_map(|glob| match self.find(at, glob, depth + 1)? {
                PathTarget::Module(from) if from != at => self.find(from, &segments[step..], depth + 1),
                _ => None,
            });
        }
        Some(PathTarget::Module(at))
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

struct Reader<'c, 't> {
    all: &'c mut Crate<'t>,
    module: usize,
    /// Whether the names of a `use` are passed on.
    is_export: bool,
}

impl Reader<'_, '_> {
    fn name(&mut self, segments: Vec<String>, line: usize) {
        self.all.named.push(NamedPath { module: self.module, segments, line });
    }

    fn take(&mut self, tree: &UseTree, before: &[String], line: usize) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.take(&path.tree, &with(&path.ident), path.ident.span().start().line),
            UseTree::Group(group) => group.items.iter().for_each(|inner| self.take(inner, before, line)),
            UseTree::Glob(_) => self.all.modules[self.module].globs.push(before.to_vec()),
            UseTree::Name(name) if name.ident == "self" => {
                self.alias(before.last().cloned().unwrap_or_default(), before.to_vec(), line);
            }
            UseTree::Name(name) => {
                self.alias(name.ident.to_string(), with(&name.ident), name.ident.span().start().line);
            }
            UseTree::Rename(rename) if rename.ident == "self" => {
                self.alias(rename.rename.to_string(), before.to_vec(), line);
            }
            UseTree::Rename(rename) => self.alias(rename.rename.to_string(), with(&rename.ident), line),
        }
    }

    fn alias(&mut self, name: String, path: Vec<String>, line: usize) {
        // `use serde;` brings what is there anyway.
        if path != [name.as_str()] {
            if !self.is_export {
                self.name(path.clone(), line);
            }
            self.all.modules[self.module].aliases.insert(name, path);
        }
    }

    /// Macros are not parsed: each row of names with `::` between them is taken for a path.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if path.is_empty() || colons == 2 => {
                    path.push(name.to_string());
                    colons = 0;
                    if path.len() == 1 {
                        continue;
                    }
                    self.name(path.clone(), name.span().start().line);
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    path = match other {
                        TokenTree::Ident(name) => vec![name.to_string()],
                        TokenTree::Group(group) => {
                            self.read_tokens(group.stream());
                            Vec::new()
                        }
                        _ => Vec::new(),
                    };
                    colons = 0;
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_, '_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.is_export = !matches!(item.vis, syn::Visibility::Inherited);
        // A path that begins with `::` is of another crate.
        if item.leading_colon.is_none() {
            self.take(&item.tree, &[], item.use_token.span.start().line);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let line = path.segments[0].ident.span().start().line;
            self.name(path.segments.iter().map(|segment| segment.ident.to_string()).collect(), line);
        } else if let Some(only) = path.get_ident() {
            // By a glob it may be of another file.
            self.name(vec![only.to_string()], only.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        self.read_tokens(call.tokens.clone());
    }
}

/// Returns the sets of more than two files in which each uses, by some way, each other one.
fn circles(edges: &Edges, count: usize) -> Vec<BTreeSet<usize>> {
    let reached: Vec<BTreeSet<usize>> = (0..count)
        .map(|from| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(file) = open.pop() {
                let next = edges.get(&file).into_iter().flat_map(|uses| uses.keys());
                open.extend(next.filter(|to| reached.insert(**to)));
            }
            reached
        })
        .collect();
    let circle = |file: usize| -> BTreeSet<usize> {
        reached[file].iter().copied().filter(|other| reached[*other].contains(&file)).collect()
    };
    let all: BTreeSet<_> = (0..count).map(circle).filter(|circle| circle.len() > 2).collect();
    all.into_iter().collect()
}

/// Returns the shortest way round of more than two files where there is one, else the shortest.
fn shortest(edges: &Edges, circle: &BTreeSet<usize>) -> Vec<usize> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    for start in circle {
        let mut ways = vec![vec![*start]];
        let mut seen = BTreeSet::from([*start]);
        while let Some(way) = (!ways.is_empty()).then(|| ways.remove(0)) {
            let last = way[way.len() - 1];
            for to in
                edges.get(&last).into_iter().flat_map(|uses| uses.keys()).filter(|to| circle.contains(to))
            {
                if to == start {
                    found.push(way.clone());
                } else if seen.insert(*to) {
                    ways.push([way.as_slice(), &[*to]].concat());
                }
            }
        }
    }
    found.into_iter().min_by_key(|way| (way.len() < 3, way.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files), ["a/src/lib.rs"]).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn two_files_may_use_each_other_and_three_may_not() {
        let two = [
            ("a/src/lib.rs", "mod one;\nmod two;\n"),
            ("a/src/one.rs", "use crate::two::Two;\npub struct One(Two);\n"),
            ("a/src/two.rs", "pub struct Two;\nfn f() { let _ = super::one::One; }\n"),
        ];
        assert_eq!(found(&two), [""; 0]);
        let three = [
            ("a/src/lib.rs", "mod one;\nmod two;\nmod three;\n"),
            two[1],
            ("a/src/two.rs", "use crate::three::*;\npub struct Two(Three);\n"),
            ("a/src/three.rs", "pub struct Three;\n\nfn f() { println!(\"{}\", crate::one::One::X) }\n"),
        ];
        assert_eq!(
            found(&three),
            [
                "3 files use each other, among them: a/src/one.rs:1 uses a/src/two.rs; a/src/two.rs:2 uses a/src/three.rs; \
              a/src/three.rs:3 uses a/src/one.rs"
            ]
        );
    }

    #[test]
    fn an_item_is_of_the_file_that_defines_it_and_tests_do_not_count() {
        let hub = [
            ("a/src/lib.rs", "mod one;\nmod three;\nmod two;\npub use one::One;\npub use two::Two;\n"),
            ("a/src/one.rs", "use crate::{Two as Other};\npub struct One(Other);\n"),
            (
                "a/src/two.rs",
                "pub struct Two;\n#[cfg(test)]\nuse crate::three::Three;\n#[cfg(test)]\nmod tests { use crate::One; }\n",
            ),
            ("a/src/three.rs", "pub struct Three(crate::one::One);\n"),
        ];
        assert_eq!(found(&hub), [""; 0]);
        let circle = [
            hub[0],
            ("a/src/one.rs", "use crate::{Two as Other};\nmod inner;\npub struct One(Other);\n"),
            ("a/src/one/inner.rs", "use super::One;\npub struct Inner;\n"),
            ("a/src/two.rs", "pub struct Two(crate::one::inner::Inner);\n"),
        ];
        assert_eq!(found(&circle).len(), 1);
    }
}
