//! Ten judgehosts in this process that judge by a recording, so that the queue is what is measured.

use super::load::Load;
use super::site::{Site, TRIVIAL};
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail};
use documents::judgehost::{JUDGEHOST_PROTOCOL, Register, SelfTest};
use judgehost::{Cache, Client, Ending, HostOptions, Judges, OperatorEvent, Recorded, Recording, Token};
use model::{Nanos, Verdict};
use stats::Sample;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const HOSTS: usize = 10;
const PLACES: u32 = 2;
/// What compiling took, and each of three cases, of the same program on a quiet machine.
const COMPILING: Duration = Duration::from_millis(120);
const CASE: Duration = Duration::from_millis(8);
const TAKES: Duration = Duration::from_millis(120 + 3 * 8);
/// The bar: what is not judging.
const OVERHEAD_MS: f64 = 50.0;
/// After the last submission everything has to be judged within this time.
const PATIENCE: Duration = Duration::from_secs(60);

type Delivered = Arc<Mutex<HashMap<String, Instant>>>;

pub fn ten_hosts(load: &Load) -> Result<Vec<Figure>> {
    let site = Site::start()?;
    site.contest("default", None)?;
    let delivered = Delivered::default();
    let ending = Ending::default();
    let hosts: Vec<_> =
        (0..HOSTS).map(|number| host(&site, number, &delivered, &ending)).collect::<Result<_>>()?;
    let begin = Instant::now();
    let mut sent = HashMap::new();
    let mut accepting = Vec::new();
    for (number, at) in load.at.iter().enumerate() {
        std::thread::sleep(at.saturating_sub(begin.elapsed()));
        let asked = Instant::now();
        let id = site.submit(number, TRIVIAL)?;
        accepting.push(asked.elapsed().as_secs_f64() * 1000.0);
        sent.insert(format!("load/{id}-1"), asked);
    }
    let end = Instant::now() + PATIENCE;
    let count = || delivered.lock().unwrap_or_else(PoisonError::into_inner).len();
    while count() < sent.len() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    ending.ask();
    for host in hosts {
        host.join().map_err(|_| anyhow::anyhow!("a judgehost panicked"))??;
    }
    let judged = site.judgements()?;
    let accepted = judged.iter().filter(|judgement| judgement["judgement_type_id"] == "AC").count();
    let delivered = delivered.lock().unwrap_or_else(PoisonError::into_inner);
    let overhead = sent
        .iter()
        .filter_map(|(job, asked)| Some(delivered.get(job)?.saturating_duration_since(*asked)))
        .map(|took| took.saturating_sub(TAKES).as_secs_f64() * 1000.0)
        .collect();
    let lost = sent.len() - accepted.min(sent.len());
    if judged.len() != sent.len() {
        bail!("{} submissions have {} judgements", sent.len(), judged.len());
    }
    let (accepting, overhead) = (Sample::new(accepting)?, Sample::new(overhead)?);
    let what =
        |what: &str| format!("{} submissions a minute, ten judgehosts by recording: {what}", sent.len());
    Ok(vec![
        figure("recorded_lost", what("lost"), lost as f64, "").under(0.5),
        figure("recorded_accept_p99", what("until accepted, p99"), accepting.quantile(0.99), "ms"),
        figure("recorded_overhead_p50", what("all but judging, p50"), overhead.median(), "ms"),
        figure("recorded_overhead_p99", what("all but judging, p99"), overhead.quantile(0.99), "ms")
            .under(OVERHEAD_MS),
    ])
}

fn host(
    site: &Site,
    number: usize,
    delivered: &Delivered,
    ending: &Ending,
) -> Result<JoinHandle<Result<()>>> {
    let folder = tempfile::tempdir()?;
    let (token, _) = Token::read(&site.token_in(&folder)?)?;
    let recording = || {
        let case = (Verdict::Accepted, Nanos::from(CASE), CASE);
        Recording { compiling: COMPILING, cases: vec![case; 3], end: Ok(Verdict::Accepted) }
    };
    let judges = Recorded::start(PLACES, move |_| recording()).context("start a recorded judgehost")?;
    let delivered = Arc::clone(delivered);
    let on_event = move |what| match what {
        OperatorEvent::Delivered { job } => {
            delivered.lock().unwrap_or_else(PoisonError::into_inner).insert(job, Instant::now());
        }
        OperatorEvent::Failed { job, reason, .. } => eprintln!("{job}: {reason}"),
        _ => {}
    };
    let options = HostOptions {
        client: Client::new(&site.url, format!("recorded{number}"), token, ureq::tls::TlsConfig::default())?,
        cache: Cache::open(&folder.path().join("cache"), 1 << 30)?,
        register: Register {
            protocol: JUDGEHOST_PROTOCOL,
            tauto_version: String::new(),
            instance: number.to_string(),
            pool: None,
            identity: vec!["recorded".to_owned()],
            compilers: Vec::new(),
            places: judges.places(),
            jobs_max: u32::try_from(judges.open_max())?,
            is_shared: false,
            awaits_admission: false,
            self_test: SelfTest::default(),
            machine: None,
        },
        drain_max: Duration::from_secs(10),
        reference_every: Duration::from_secs(3600),
        on_event: Arc::new(on_event),
    };
    let ending = ending.clone();
    Ok(std::thread::spawn(move || {
        let _folder = folder;
        Ok(judgehost::run(Arc::new(judges), options, ending)?)
    }))
}
