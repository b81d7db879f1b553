//! Makes the document from measurements and computations, and the page from the document.

use super::super::setting::{Setting, compare_with_article, describe_setting};
use super::figures::{self, View};
use super::{Injected, Measured, calls, missing, sources};
use documents::{ComparedWithArticle, LabNoiseCalls, LabNoiseFigure, LabNoiseInjected, LabNoiseReport};
use labs::noise::FIGURES;
use model::{CpuId, Reading};
use noise::{Profile, QuantumTrace};
use terminal::numbers::{percent, time, us};
use terminal::{Report, Table};

/// The article's first quarter second is 1.5 to 2 times slower; a ratio below this shows no effect.
const SLOW_START: f64 = 1.05;

/// Sources with a smaller share fill pages and delay nothing.
const SHARE_MIN: f64 = 1e-4;
/// From this many nodes on, a difference to three nodes is large enough to be given in per cent.
const MANY: u32 = 50;

pub fn document(setting: &Setting, measured: &Measured, figures: Vec<LabNoiseFigure>) -> LabNoiseReport {
    let injected = measured.injected.iter().flat_map(|Injected { figure, outcome }| {
        outcome.added.iter().map(|added| LabNoiseInjected {
            figure: *figure,
            ranks: outcome.ranks,
            work: added.work.clone(),
            measured: added.measured,
            computed: added.computed,
        })
    });
    let mut report = LabNoiseReport {
        calls: calls(&measured.one).into_iter().chain(calls(&measured.all)).collect(),
        sources: sources(&measured.one).into_iter().chain(sources(&measured.all)).collect(),
        injected: injected.collect(),
        not_injected: measured.not_injected.clone(),
        figures,
        compared: Vec::new(),
        setting: setting.document(true, Vec::new()),
    };
    report.compared = next_to_article(&report);
    report.setting.not_shown = not_shown(&report);
    let absent = missing(&measured.one).into_iter().chain(missing(&measured.all));
    report.setting.warnings.extend(absent);
    report
}

fn not_shown(report: &LabNoiseReport) -> Vec<String> {
    let mut sentences = vec![
        format!(
            "the measured curves of figures 3 and 4: they are of up to 300 nodes with one process each, and this machine has CPUs \
             {}; 'tauto noise exchange -np N' measures T_P for as many processes as a machine has CPUs",
            report.setting.cpus
        ),
        "the numbers of the article's curves: it has them as pictures only, so here the model is compared with its statements"
            .to_owned(),
    ];
    if let Some(why) = &report.not_injected {
        sentences.push(format!("what noise does to processes over MPI: {why}"));
    }
    if slow_start(report).is_some_and(|ratio| ratio < SLOW_START) {
        sentences.push(
            "the slow first quarter second: here the processor's frequency is in the hands of the host, or does not change; a \
             machine of your own with the powersave governor shows it"
                .to_owned(),
        );
    }
    sentences
}

/// Returns the largest ratio of the first quarter second, for one working CPU.
fn slow_start(report: &LabNoiseReport) -> Option<f64> {
    let ratios = report.calls.iter().filter_map(|calls| calls.first_quarter_ratio);
    ratios.max_by(f64::total_cmp)
}

fn on<'r>(report: &'r LabNoiseReport, cpu: u32, load: &str) -> Option<&'r LabNoiseCalls> {
    report.calls.iter().find(|calls| calls.cpu == cpu && calls.load == load)
}

/// Returns the fraction of time that periodic sources take from a CPU.
fn share(report: &LabNoiseReport, cpu: u32, load: &str) -> f64 {
    report
        .sources
        .iter()
        .filter(|source| source.cpu == cpu && source.load == load)
        .map(|source| source.share)
        .sum()
}

fn next_to_article(report: &LabNoiseReport) -> Vec<ComparedWithArticle> {
    let mut rows = Vec::new();
    if let Some(ratio) = slow_start(report) {
        rows.push(ComparedWithArticle::new(
            "calls in the first quarter second",
            "1.5 to 2 times as long",
            format!("{ratio:.2} times at most{}", if ratio < SLOW_START { ": does not show" } else { "" }),
        ));
    }
    let mut cpus: Vec<u32> = report.calls.iter().map(|calls| calls.cpu).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let loaded: Vec<String> = cpus
        .iter()
        .filter_map(|cpu| {
            let (one, all) = (on(report, *cpu, "one_cpu")?, on(report, *cpu, "all_cpus")?);
            Some(format!("{:+.1} % on CPU {cpu}", (all.median_ns / one.median_ns - 1.0) * 100.0))
        })
        .collect();
    rows.push(ComparedWithArticle::new(
        "calls when all CPUs are loaded",
        "less than 5 % shorter",
        loaded.join(", "),
    ));
    let shares = |load| {
        let each = cpus.iter().map(|cpu| format!("{} on CPU {cpu}", percent(share(report, *cpu, load))));
        each.collect::<Vec<_>>().join(", ")
    };
    rows.push(ComparedWithArticle::new(
        "time of periodic sources, one CPU loaded",
        "0.1 to 5 %; core 0 more than others",
        shares("one_cpu"),
    ));
    rows.push(ComparedWithArticle::new(
        "the same, all CPUs loaded",
        "core 0 up to 30 times less",
        shares("all_cpus"),
    ));
    rows.push(ComparedWithArticle::new(
        "T_3 of figure 3",
        "84.6 us, and T_C + 2 T^S = 89 us",
        "the article contradicts itself".to_owned(),
    ));
    rows.extend(noise_against_messages(report));
    rows.extend(model_over_mpi(report));
    rows.extend(formulas(report));
    rows.extend(two_dimensions(report));
    rows.extend(overlapped(report));
    rows
}

/// Returns the article's conclusion 3.
fn noise_against_messages(report: &LabNoiseReport) -> Option<ComparedWithArticle> {
    let figure = report.figures.iter().find(|figure| figure.number == 3)?;
    let last = figure.curves.first()?.points.last()?;
    let (nodes, delay) = (last.nodes, last.over_three_ns);
    let messages = 2e3 * FIGURES.iter().find(|figure| figure.number == 3)?.preset().message_us;
    Some(ComparedWithArticle::new(
        "delay by noise against messages, figure 3",
        "several times as much",
        format!(
            "model, {nodes} nodes: {} is {:.1} times 2 T^S = {}: {}",
            us(delay),
            delay / messages,
            us(messages),
            if delay >= 2.0 * messages { "agrees" } else { "less than the article says" }
        ),
    ))
}

/// Returns the article's conclusion 1: that the model is adequate.
fn model_over_mpi(report: &LabNoiseReport) -> Option<ComparedWithArticle> {
    let decided = || report.injected.iter().filter(|injected| is_decided(injected));
    let agreeing = decided().filter(|injected| agrees(injected)).count();
    (!report.injected.is_empty()).then(|| ComparedWithArticle {
        what: "the model against injected noise over MPI".to_owned(),
        article: "adequate up to 150 nodes".to_owned(),
        here: format!(
            "up to {} processes: {agreeing} of {} measured delays have the computed one in their 95 % interval; {} are too \
             coarse to tell",
            report.injected.iter().map(|injected| injected.ranks).max().unwrap_or(0),
            decided().count(),
            report.injected.len() - decided().count()
        ),
    })
}

/// Returns the difference between formulas and simulation, in an iteration's time; the article has no value for it.
fn formulas(report: &LabNoiseReport) -> Option<ComparedWithArticle> {
    let points = report.figures.iter().flat_map(|figure| &figure.curves).flat_map(|curve| &curve.points);
    let differences = points
        .clone()
        .filter(|point| point.nodes >= MANY)
        .map(|point| (point.closed_over_three_ns / point.over_three_ns - 1.0).abs());
    let worst =
        points.map(|point| (point.closed_ns / point.iteration_ns - 1.0).abs()).max_by(f64::total_cmp)?;
    Some(ComparedWithArticle {
        what: "formulas against the simulated model".to_owned(),
        article: "has none".to_owned(),
        here: format!(
            "within {} of an iteration at every point of figures 3 to 5; of M_P - M_3 from {MANY} nodes on within {}",
            percent(worst),
            percent(differences.max_by(f64::total_cmp)?)
        ),
    })
}

/// Returns the article's conclusion 4.
fn two_dimensions(report: &LabNoiseReport) -> Option<ComparedWithArticle> {
    let figure = report.figures.iter().find(|figure| figure.number == 5)?;
    let beyond = |shape: &str| {
        let last = figure.curves.iter().find(|curve| curve.shape == shape)?.points.last()?;
        Some((last.nodes, last.iteration_ns - figure.call_ns as f64))
    };
    let ((nodes, line), (_, square)) = (beyond("line")?, beyond("square")?);
    Some(ComparedWithArticle {
        what: "two dimensions against one, figure 5".to_owned(),
        article: "noise costs more in two".to_owned(),
        here: format!(
            "model, {nodes} nodes: {} against {}: {}",
            us(square),
            us(line),
            if square > line { "agrees" } else { "does not agree" }
        ),
    })
}

/// Returns the article's conclusion 5a, for the noise of each figure and the highest number of processes.
fn overlapped(report: &LabNoiseReport) -> Vec<ComparedWithArticle> {
    let most = report.injected.iter().map(|injected| injected.ranks).max();
    let blocking =
        report.injected.iter().filter(|injected| injected.work == "blocking" && Some(injected.ranks) == most);
    let each = blocking.filter_map(|blocking| {
        let same = |other: &&LabNoiseInjected| {
            (other.figure, other.ranks, other.work.as_str())
                == (blocking.figure, blocking.ranks, "overlapped")
        };
        let overlapped = report.injected.iter().find(same)?;
        let here = match (is_decided(blocking), is_decided(overlapped)) {
            (true, true) => {
                let saved = 1.0 - overlapped.measured?.median_ns / blocking.measured?.median_ns;
                format!("{:.0} % less delay measured", saved * 100.0)
            }
            _ => "measured too coarsely to tell".to_owned(),
        };
        let computed = 1.0 - overlapped.computed.median_ns / blocking.computed.median_ns;
        Some(ComparedWithArticle {
            what: format!(
                "non-blocking exchange of {} processes, noise of figure {}",
                blocking.ranks, blocking.figure
            ),
            article: "less needless waiting".to_owned(),
            here: format!("{here}, {:.0} % less computed", computed * 100.0),
        })
    });
    each.collect()
}

/// Returns whether the measured value is precise enough for a comparison with the computed one.
fn is_decided(injected: &LabNoiseInjected) -> bool {
    injected
        .measured
        .is_some_and(|measured| measured.high_ns - measured.low_ns <= 2.0 * injected.computed.median_ns)
}

/// Returns whether the model's value is within the measured range.
fn agrees(injected: &LabNoiseInjected) -> bool {
    injected
        .measured
        .is_some_and(|measured| (measured.low_ns..=measured.high_ns).contains(&injected.computed.median_ns))
}

/// Makes the page.
pub fn report(document: &LabNoiseReport, measured: &Measured) -> Report {
    let mut report =
        Report::new("System noise: the figures of Kalgin's article from our own measurement and model");
    report.paragraph(
        "The article: K. V. Kalgin, On the influence of regular system interrupts on the performance of parallel programs. \
         Interrupts take little of a CPU's time, but if each of many processes waits for its neighbours in every \
         iteration, the delays of all add up. Figures 1 and 2 are calls of a function that always does the same work, \
         figures 3 to 5 the model of how delays propagate.",
    );
    compare_with_article(
        &mut report,
        "What agrees with the article and what does not",
        "The article's statements, and what this machine and the model say.",
        &document.compared,
    );
    report.heading("Figures 1 and 2: the same work again and again");
    calls_figures(&mut report, measured);
    let rows = document.calls.iter().map(|calls| {
        vec![
            format!("CPU {}, {}", calls.cpu, load_words(&calls.load)),
            calls.calls.to_string(),
            us(calls.median_ns),
            us(calls.max_ns),
            calls.first_quarter_ratio.map_or_else(|| "too short".to_owned(), |ratio| format!("{ratio:.3}")),
        ]
    });
    report.paragraph(
        "All calls, with their median after the first quarter second, and that of the first quarter second as a multiple of it.",
    );
    report.table(
        "Calls of the counting function",
        Table::of(&["where", "calls", "median", "longest", "first quarter second"], rows),
    );
    let reported = document.sources.iter().filter(|source| source.share >= SHARE_MIN);
    let rows: Vec<_> = reported
        .map(|source| {
            vec![
                format!("CPU {}, {}", source.cpu, load_words(&source.load)),
                format!("{:.3}", source.frequency_hz),
                us(source.length_ns),
                percent(source.share),
            ]
        })
        .collect();
    if rows.is_empty() {
        report.line(&format!(
            "No periodic source was found that takes {} of the time or more.",
            percent(SHARE_MIN)
        ));
    } else {
        report.paragraph(&format!(
            "Periodic sources that the gap loop found, as in the article's table 2, but for those that take less than {} of \
             the time.",
            percent(SHARE_MIN)
        ));
        report.table(
            "Periodic sources found (the article's table 2)",
            Table::of(&["where", "Hz", "mean", "of time"], rows),
        );
    }
    report.heading("Figures 3 to 5: how delays propagate");
    for figure in &document.figures {
        model_figure(&mut report, figure);
    }
    if !document.injected.is_empty() {
        report.heading("The model against injected noise over MPI");
        report.paragraph(
            "Calls of the counting function are lengthened by a busy wait whenever a detour of a figure's sources falls due. \
             Measured is the time of an iteration with noise less that without, round by round; computed is the same by the \
             model with the same phases. The model agrees where its value lies in the interval of the measured one.",
        );
        let rows = document.injected.iter().map(injected_row);
        report.table(
            "What injected noise adds to an iteration",
            Table::of(&["noise and work", "measured", "95 %", "computed", "agrees"], rows),
        );
    }
    let method = vec![
        format!(
            "figures 1 and 2: calls of 155 us for {}, then a loop that looks for detours for as long, once on one CPU after \
             the other and once on all",
            time(document.setting.run_time_ns)
        ),
        "figures 3 to 5: 'tauto noise predict --preset' with fig3, fig4 and fig5 and no message time; 1000 iterations from a \
         common start, the last node's time, replicas with other offsets until the difference to three nodes is known to \
         1 % or 0.001 % of T_C with confidence 0.99"
            .to_owned(),
    ];
    describe_setting(&mut report, &document.setting, method);
    report
}

fn injected_row(injected: &LabNoiseInjected) -> Vec<String> {
    let work = match injected.work.as_str() {
        "alone" => "computing only",
        "blocking" => "blocking exchange",
        _ => "overlapped exchange",
    };
    let (range, agrees) = match injected.measured {
        None => ("-".to_owned(), "-"),
        Some(measured) => (
            format!("{} to {}", us(measured.low_ns), us(measured.high_ns)),
            if !is_decided(injected) {
                "too coarse"
            } else if agrees(injected) {
                "yes"
            } else {
                "no"
            },
        ),
    };
    vec![
        format!("figure {}, {} processes, {work}", injected.figure, injected.ranks),
        injected.measured.map_or_else(|| "-".to_owned(), |measured| us(measured.median_ns)),
        range,
        us(injected.computed.median_ns),
        agrees.to_owned(),
    ]
}

fn load_words(load: &str) -> &'static str {
    if load == "one_cpu" { "alone" } else { "all loaded" }
}

fn trace(profile: &Profile, cpu: CpuId) -> Option<&QuantumTrace> {
    match &profile.cpus.iter().find(|found| found.cpu == cpu)?.quanta {
        Reading::Known(trace) => Some(trace),
        Reading::Unavailable(_) => None,
    }
}

fn calls_figures(report: &mut Report, measured: &Measured) {
    let Measured { one, all, .. } = measured;
    let mut cpus = one.cpus.iter().map(|cpu| cpu.cpu);
    let (Some(first), second) = (cpus.next(), cpus.next()) else { return };
    let mut draw = |name, title: String, profile: &Profile, cpu, view, caption: &str| {
        if let Some(trace) = trace(profile, cpu) {
            report.figure(name, figures::calls(&title, trace, profile.rate, view), caption);
        }
    };
    draw(
        "figure-1a",
        format!("Figure 1 (a): CPU {first}, all CPUs loaded, the first second"),
        all,
        first,
        View::First,
        "Every call of the first second. The article's figure is of another cluster; it does not say its T_C.",
    );
    draw(
        "figure-1b",
        "Figure 1 (b): the same without the longest calls".to_owned(),
        all,
        first,
        View::FirstNarrow,
        "Without the longest hundredth, and nothing beyond 1.5 times the median. A slow start would stand above the rest in \
         the first quarter second.",
    );
    draw(
        "figure-2a",
        format!("Figure 2 (a): CPU {first} loaded alone"),
        one,
        first,
        View::Later,
        "Each level above the lowest is a source of noise; its height is how long its detours are.",
    );
    if let Some(second) = second {
        draw(
            "figure-2b",
            format!("Figure 2 (b): CPU {second} loaded alone"),
            one,
            second,
            View::Later,
            "The same on the next CPU.",
        );
    }
    draw(
        "figure-2c",
        format!("Figure 2 (c): CPU {first}, all CPUs loaded"),
        all,
        first,
        View::Later,
        "In the article detours of core 0 are tens of times shorter when the whole node is loaded.",
    );
}

fn model_figure(report: &mut Report, figure: &LabNoiseFigure) {
    let noise: Vec<String> = figure
        .sources
        .iter()
        .map(|source| format!("{} Hz of {:.0} us", source.frequency_hz, source.length_ns / 1e3))
        .collect();
    let caption = format!("Noise: {} ({}).", noise.join(" and "), figure.origin);
    match figure.number {
        3 => report.figure("figure-3", figures::delay(figure), &caption),
        4 => report.figure("figure-4", figures::delay(figure), &caption),
        _ => report.figure("figure-5", figures::dimensions(figure), &caption),
    }
    let points = |curve: &documents::LabNoiseCurve| {
        let shape = if curve.shape == "line" { "line" } else { "square" };
        let row = |point: &documents::LabNoisePoint| {
            vec![
                format!("{shape} of {}", point.nodes),
                us(point.iteration_ns),
                us(point.over_three_ns),
                us(point.over_three_half_ns),
                us(point.closed_over_three_ns),
                point.replicas.to_string(),
            ]
        };
        curve.points.iter().map(row).collect::<Vec<_>>()
    };
    let rows = figure.curves.iter().flat_map(points);
    report.detail_table(Table::of(
        &["nodes", "M_P", "M_P - M_3", "+- (0.99)", "formulas: M_P - M_3", "replicas"],
        rows,
    ));
}
