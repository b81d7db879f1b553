//! How long each collection of a contest of 1,000 teams takes, compared with a server that sends the same bytes and does nothing else.

use crate::contest_http::{Client, DISK, Serving, contest_id, fill, plain_server};
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, anyhow};
use contest_rules::{
    AccountId, AccountSettings, Action, Caller, Command, ENDPOINTS, FileContent, FileEntry, FileOwner,
    FileProperty, NewToken, Role, sample,
};
use stats::Sample;
use std::collections::BTreeSet;
use std::time::Instant;

const TEAMS: u32 = 1_000;
const REQUESTS: u32 = 20;
/// What is promised of each, photos apart.
const BAR_MS: f64 = 50.0;
const SECRET: &str = "a secret of the benchmark";
/// Measures each collection as an admin sees it.
pub fn times() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir_in(DISK).context("make a folder on the disk to measure")?;
    fill(folder.path(), TEAMS, 1)?;
    let serving = Serving::start(folder.path())?;
    people(&serving.ready.app)?;
    let authorization = format!("Authorization: Bearer {SECRET}\r\n");
    let mut rows = Vec::new();
    for collection in ENDPOINTS.into_iter().chain(["scoreboard"]) {
        let target = format!("/api/contests/demo/{collection}");
        let mut client = Client::open(serving.address)?;
        let (bytes, _) = client.get_with(&target, &authorization)?;
        let times = measure(&mut client, &target, &authorization)?;
        let size = bytes.len() / 1024;
        let mut plain = Client::open(plain_server(bytes)?)?;
        let bare = measure(&mut plain, "/", "")?;
        let (p99, bare) = (times.quantile(0.99), bare.quantile(0.99));
        let what = format!(
            "{TEAMS} teams: {collection}, {size} KiB, p99 of {REQUESTS}; {bare:.3} ms by a loop that sends the same"
        );
        rows.push(figure(collection, what, p99, "ms").under(BAR_MS));
    }
    serving.end()?;
    Ok(rows)
}

fn measure(client: &mut Client, target: &str, headers: &str) -> Result<Sample> {
    let one = |_| -> Result<f64> {
        let begin = Instant::now();
        client.get_with(target, headers)?;
        Ok(begin.elapsed().as_secs_f64() * 1e3)
    };
    Ok(Sample::new((0..REQUESTS).map(one).collect::<Result<_>>()?)?)
}

/// Adds an account that sees all, and for each team an organization, three persons and a photo.
fn people(app: &server::Shared) -> Result<()> {
    let account: AccountId = sample::id("reader");
    let mut commands = vec![
        Command::SetAccount(AccountSettings::new(account.clone(), Role::Admin)),
        Command::IssueToken(NewToken {
            id: sample::id("reader"),
            account,
            hash: store::BlobHash::of(SECRET.as_bytes()).to_string(),
            note: "a benchmark".to_owned(),
            expires: None,
        }),
    ];
    let mut add = |action| commands.push(Command::In(contest_id(), action));
    for number in 0..TEAMS {
        let team = format!("t{number}");
        add(Action::SetOrganization(sample::organization(&format!("o{number}"))));
        for person in 0..3 {
            add(Action::SetPerson(sample::person(&format!("p{number}-{person}"), &team)));
        }
        let photo = FileEntry {
            filename: "photo.jpg".to_owned(),
            mime: "image/jpeg".to_owned(),
            content: FileContent::Stored {
                blob: contest_rules::BlobHash(format!("{number:064x}").into()),
                size: model::Bytes(1),
                md5: format!("{number:032x}"),
            },
            width: Some(1920),
            height: Some(1080),
            tags: BTreeSet::new(),
        };
        let of = FileOwner::Team(sample::id(&team));
        add(Action::SetFiles { of, property: FileProperty::Photo, files: vec![photo] });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for part in commands.chunks(1000) {
        let done = runtime.block_on(app.writer.act_all(Caller::system(), part.to_vec()));
        done.map_err(|problem| anyhow!("{}", problem.detail()))?;
    }
    Ok(())
}
