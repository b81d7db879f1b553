//! Good inputs, from which others are made.

use crate::targets::zipped;
use contest_rules::{Actor, Body, Event, Instant, sample};

pub const CONTEST_FILES: &[(&str, &str)] = &[
    (
        "contest.yaml",
        "id: spring\nname: Spring\nformal_name: Spring Contest\nstart_time: 2026-11-23T09:00:00+01:00\nduration: 5:00:00\n\
         scoreboard_freeze_duration: 60\nscoreboard_thaw_time: 2026-11-23T15:00:00Z\npenalty_time: 20\nscoreboard_type: score\n\
         counted_score: best-of-subtasks\nlanguages: [cpp, python3]\nmedals: {gold: 1, silver: 1, bronze: 2}\nreplicas: 2\n\
         removed_intervals: [{begin: 2026-11-23T10:00:00Z, end: 2026-11-23T10:10:00Z}]\nsubmission_limits: {kib: 64}\n\
         main_scoreboard_group_id: g1\nfast_pool: fast\njudging: full\nclar_answers: ['No comment.']\n",
    ),
    (
        "contest.json",
        r#"{"id": "spring", "name": "Spring", "duration": "5:00:00.000", "countdown_pause_time": "0:10:00", "problems": [
        {"short-name": "apples", "letter": "A"}], "languages": [{"id": "c", "name": "C"}], "penalty_time": 20}"#,
    ),
    (
        "problems.yaml",
        "- {id: catenary, label: A, rgb: '#AC00FF', color: purple, ordinal: 0}\n\
         - {id: harvest, label: B, time_limit: 1.5, memory_limit: 256, output_limit: 8, code_limit: 64, max_score: 100,\n   \
         languages: [c], is_paused: true, package: ../harvest}\n",
    ),
    (
        "teams.json",
        r#"[{"id": "1", "name": "Ada", "organization_id": "u1", "group_ids": ["g1"], "penalty_adjustment": "0:20:00"},
        {"id": "2", "name": "加法", "display_name": "Two", "label": "2", "icpc_id": "7", "hidden": true}]"#,
    ),
    (
        "teams.tsv",
        "teams\t1\n1\t99\tg1\tAda\tUniversity One\tU1\tdeu\tINST-42\r\n2\t\t\tBob\tUniversity Two\tU2\tDEU\t\n",
    ),
    ("groups.tsv", "File_Version\t1\ng1\tSite\ng2\tOther\n"),
    ("groups.yaml", "groups:\n- {id: g1, name: Site 1, type: site, icpc_id: '5', hidden: true}\n"),
    (
        "organizations.json",
        r#"[{"id": "u1", "name": "U1", "formal_name": "University 1", "country": "DEU", "url": "x", "logo": []}]"#,
    ),
    (
        "accounts.yaml",
        "- {id: ada, username: ada, type: team, team_id: '1', password: sesame}\n\
         - {username: jury, type: judge, name: The Jury, ip: '10.0.0.0/8, 2001:db8::/32', enabled: false}\n",
    ),
    ("accounts.tsv", "accounts\t1\nteam\tAda\tteam-001\tsesame\t10.0.0.1\njudge\tJury\tjury\tsecret\n"),
];

/// The files of a problem package, with one of each kind that is read.
pub const PACKAGE_FILES: &[(&str, &str)] = &[
    (
        "problem.yaml",
        "problem_format_version: 2025-09\ntype: [scoring, multi-pass]\nname: {en: Sums, de: Summen}\n\
         uuid: 4f0f6f2e-8c53-4e8c-9a58-2b1f3d7c0001\nversion: '1'\ncredits: {authors: [{name: A, email: a@b}]}\n\
         source: [{name: S, url: https://s}]\nlicense: cc by\nrights_owner: A\nlimits:\n  time_limit: 1.5\n  \
         time_multipliers: {ac_to_time_limit: 2, time_limit_to_tle: 1.5}\n  time_resolution: 0.1\n  memory: 256\n  output: 8\n  \
         code: 64\n  compilation_time: 10\n  validation_passes: 3\n  validation_time: 5\nkeywords: [a, b]\nlanguages: [c, cpp]\n\
         allow_file_writing: true\nconstants: {n: 5, t: '1e-6'}\n",
    ),
    ("domjudge-problem.ini", "timelimit='2.5'\nname = Sums\ncolor='#AC00FF'\n; nothing\nexternalid=sums\n"),
    (".timelimit", "3\n"),
    ("data/test_group.yaml", "scoring: {score: 100, aggregation: sum}\nstatic_validation: {args: [a]}\n"),
    ("data/secret/test_group.yaml", "max_score: 100\nscore_aggregation: pass-fail\nrequire_pass: sample\n"),
    (
        "data/secret/testdata.yaml",
        "on_reject: continue\nrange: 0 100\ngrader_flags: min\noutput_validator_flags: a 'b c'\n",
    ),
    ("data/secret/1.in", "1 2\n"),
    ("data/secret/1.ans", "3\n"),
    ("data/secret/1.yaml", "args: [a, b]\nhint: x\ndescription: y\ninput_validator_args: {v: [c]}\n"),
    ("data/sample/1.in", "1 2\n"),
    ("data/sample/1.ans", "3\n"),
    ("data/sample/1.interaction", ">1\n<2\n"),
    ("input_validators/v.py", "exit(42)\n"),
    ("output_validator/build", "#!/bin/sh\n"),
    ("statement/problem.en.md", "# Sums\n"),
    (
        "submissions/submissions.yaml",
        "accepted/*.py: {permitted: [AC], required: [AC], score: [0, 100], language: python3}\n",
    ),
    ("submissions/accepted/a.py", "# @EXPECTED_RESULTS@: CORRECT, TIMELIMIT\nprint(3)\n"),
    ("submissions/accepted/b.cpp", "int main() {}\n"),
];

fn chosen(files: &[(&str, &str)]) -> Vec<Vec<u8>> {
    (0..=u8::MAX).zip(files).map(|(place, (_, text))| [&[place], text.as_bytes()].concat()).collect()
}

pub fn contest_files() -> Vec<Vec<u8>> {
    chosen(CONTEST_FILES)
}

pub fn located() -> Vec<Vec<u8>> {
    let anchors = "a: &a [1, 2, {b: c}]\nd: *a\ne: !!str 5\nf: |\n  text\n  more\ng: >-\n  x\n? h\n: i\n";
    let all = CONTEST_FILES.iter().chain(PACKAGE_FILES).map(|(_, text)| text.as_bytes().to_vec());
    all.chain([anchors.as_bytes().to_vec()]).collect()
}

/// The examples of the guide, and a circle.
pub fn policies() -> Vec<Vec<u8>> {
    let circle = "policies:\n- { policy: a, extends: b }\n- { policy: b, extends: a, prediction: none }\n";
    let examples = [
        include_str!("../../../docs/examples/policies/evening.yaml"),
        include_str!("../../../docs/examples/policies/timed.yaml"),
        include_str!("../../../docs/examples/policies/web.yaml"),
        circle,
    ];
    examples.map(|text| text.as_bytes().to_vec()).to_vec()
}

pub fn package_files() -> Vec<Vec<u8>> {
    chosen(PACKAGE_FILES)
}

pub fn package_zips() -> Vec<Vec<u8>> {
    vec![zipped(PACKAGE_FILES), zipped(&PACKAGE_FILES[..1]), zipped(&[])]
}

pub fn requests() -> Vec<Vec<u8>> {
    let texts = [
        r#"{"reports":[{"job":"c/1-1","fence":7,"number":1,"kind":"begun"},{"job":"c/1-1","fence":7,"number":2,"kind":"runs",
        "runs":[{"ordinal":1,"verdict":"AC","cpu_time_ns":5,"memory_peak_bytes":6,"at_ms":7}]},{"job":"c/1-1","fence":7,"number":3,
        "kind":"done","verdict":"WA","score":1.5,"subtasks":[{"name":"a","score":0.5}],"max_run_time_ns":5,"compile_output":"x",
        "evidence":{"hash":"00","size_bytes":1},"nondeterministic":[1,2],"spent":{"fetching_us":1,"waiting_us":2,"compiling_us":3,
        "running_us":4,"total_us":5}},{"job":"c/2-1","fence":8,"number":1,"kind":"failed","scope":"package","reason":"r"},
        {"job":"c/3-1","fence":9,"number":1,"kind":"returned","reason":"r"}]}"#,
        r#"{"protocol":1,"tauto_version":"0","instance":"i","pool":null,"identity":["cores: 1"],"compilers":["c: 1"],"places":1,
        "jobs_max":1,"is_shared":false,"self_test":{"programs":[{"name":"AC","verdict":"AC"}],"languages":[{"id":"c",
        "version":"1","error":null,"is_tested":true}]}}"#,
        r#"{"max":4,"wait_s":20,"except_languages":["c"],"except_packages":["00"]}"#,
        r#"{"jobs":[{"job":"c/1-1","fence":1}],"reference":[{"cpu_time_ns":1,"at_unix_ms":2}],"state":"working","busy_permille":9}"#,
        r#"{"language_id":"c","problem_id":"a","team_id":"t","entry_point":"Main","files":[{"data":"aW50","filename":"a.c"}]}"#,
        r#"{"contest_id":"c","files":{"contest.yaml":"id: c"},"packages":{"a":"00"}}"#,
        r#"{"jobs":[{"job":"c/1-1","fence":1,"contest":"c","judgement":"1-1","problem":"a","package":{"hash":"00","size_bytes":1},
        "limits":{"time_ns":1,"memory_bytes":2,"output_bytes":3,"code_bytes":4},"language":"c","entry_point":null,
        "files":[{"name":"a.c","hash":"00","size_bytes":3}],"mode":"fast","cases":"lazy"}],"cancel":["c/2-1"],"drain":false}"#,
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn times() -> Vec<Vec<u8>> {
    let texts = [
        "2026-11-23T09:00:00+01:00",
        "2026-11-23 09:00:00.25-0330",
        "1969-12-31T23:59:59Z",
        "-0:20:00.5",
        "100:00:01.001",
        "20",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Returns a log of a contest, with judgehosts, submissions and judgements.
pub fn logs() -> Vec<Vec<u8>> {
    let actor = Actor::Judgehost(sample::id("h"));
    let system = [
        Body::ContestSet(Box::new(sample::contest())),
        Body::ProblemSet(Box::new(sample::problem("a", 0))),
        Body::TeamSet(sample::team("t1")),
    ];
    let system = system.into_iter().map(|body| event(Actor::System, body));
    let lines = LOG.lines().filter_map(|line| serde_json::from_str::<Body>(line).ok());
    let all = system.chain(lines.map(|body| event(actor.clone(), body)));
    let text = |event: Event| serde_json::to_string(&event).unwrap_or_default() + "\n";
    vec![all.map(text).collect::<String>().into_bytes()]
}

pub fn traces() -> Vec<Vec<u8>> {
    vec![TRACE.as_bytes().to_vec()]
}

/// Returns what other programs recorded of fleets, and a file of loads, which is long.
pub fn trace_sources() -> Vec<Vec<u8>> {
    let loads = format!("m1{}\nm2{}\n", ",7".repeat(288), ",0,99".repeat(144));
    let sources = TRACE_SOURCES.iter().map(|text| if text.is_empty() { loads.as_str() } else { text });
    (0..=u8::MAX).zip(sources).map(|(place, text)| [&[place], text.as_bytes()].concat()).collect()
}

fn event(actor: Actor, body: Body) -> Event {
    let contest = (!body.is_of_server()).then(|| sample::id("c"));
    Event { time: Instant(sample::START.0 + 60_000), actor, contest, body }
}

const LOG: &str = r#"{"judgehost-joined":{"id":"h","pool":"strict","identity":["x"],"compilers":["c: 1"],"places":1}}
{"submitted":{"number":1,"team":"t1","problem":"a","language":"c","files":[]}}
{"judgement-opened":{"judgement":[1,1],"reason":"first","pool":"strict"}}
{"judging-begun":{"judgement":[1,1]}}
{"judged":{"judgement":[1,1],"outcome":{"v":"WA"},"max_run_time":5,"subtasks":[],"nondeterministic":[]}}
{"rejudging-opened":{"number":1,"submissions":[1],"repeat":1,"reason":"x"}}
{"judgement-opened":{"judgement":[1,2],"reason":{"rejudging":1},"pool":"strict"}}
{"judgements-current":[[1,2]]}
{"rejudging-applied":1}
{"verdict-overridden":{"submission":1,"verdict":{"v":"AC","s":5},"reason":"x"}}
{"clarification-sent":{"number":1,"from_team":"t1","to_teams":[],"to_groups":[],"reply_to":null,"problem":null,"category":null,"text":"x"}}
"ticked"
{"balloon-delivered":{"team":"t1","problem":"a"}}
{"finalized":{"extra_bronze":1,"comment":""}}"#;

const TRACE: &str = r#"{"trace":1,"name":"small","made_by":"hand","separate_days":true,"note":"two hosts"}
{"host":"h1","cpu_milli":32000,"memory_mib":131072,"numa_nodes":2,"threads":2,"pool":"p","labels":["ssd"],"noise_permille":12,"price":100}
{"host":"h2","cpu_milli":16000,"memory_mib":65536}
{"job":"j1","at_ms":1000,"cpu_milli":2000,"memory_mib":4096,"level":"strict","service":"web","pool":"p","cluster":"main","needs":["ssd"],"apart":true,"noise_max_permille":20,"for_ms":3600000,"use":[[0,500],[300000,900]]}
{"change":"h1","at_ms":5000,"to":"drain"}
{"memory_mib":1,"cpu_milli":1,"at_ms":5000,"job":"j2","elastic":true}
{"end":5}
"#;

/// What other programs recorded of fleets: openb's nodes and pods, a log of a grid, speeds of machines, and loads, which are made.
pub const TRACE_SOURCES: &[&str] = &[
    "sn,cpu_milli,memory_mib,gpu,model\nn1,32000,262144,0,\nn2,96000,393216,8,T4\n",
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n\
     p1,4000,1024,0,0,,BE,Running,20,50,25\np2,2000,0,1,460,,LS,Pending,10,40,\n",
    "; Version: 2.2\n; MaxProcs: 100\n1 5 -1 100 4 -1 -1 -1 960 524288 -1 1 2 -1 -1 1 -1 -1\n\
     2 3 -1 7 -1 -1 -1 2 960 -1 -1 9 2 -1 -1 1 -1 -1\n",
    "time,vm_id,size,lifespan,metric,value\nt,1,D8,short,speed,100.5\nt,2,D8,short,speed,80\nt,1,B8,long,speed,50\n\
     t,1,B8,long,speed,51\n",
    "",
];

/// Messages to a fleet and to a node.
pub fn messages() -> Vec<Vec<u8>> {
    const FLEET: &str = r#"{"policy":{"text":"policy: mine\nextends: load-aware\n","at_ms":1764489600000}}
{"host":{"host":"n1","at_ms":1764489600001,"cpu_milli":8000,"memory_mib":8192,"numa_nodes":2}}
{"host":{"host":"n2","at_ms":1764489600002,"cpu_milli":4000,"memory_mib":4096,"noise_permille":3}}
{"decide":{"job":{"job":"a/b","at_ms":1764489600003,"cpu_milli":1500,"memory_mib":64,"service":"a/web"},"most":3,"explain":"full"}}
{"assume":{"job":{"job":"a/b","at_ms":1764489600004,"cpu_milli":1500,"memory_mib":64,"service":"a/web"},"host":"n1"}}
{"assume":{"job":{"job":"a/c","at_ms":1764489600004,"cpu_milli":3000,"memory_mib":64,"level":"strict"},"host":"n2"}}
{"decide":{"job":{"job":"a/d","at_ms":1764489600005,"cpu_milli":9000,"memory_mib":64,"apart":true},"only":["n1"],"except":["n2"],"most":1}}
{"observe":{"ended_ms":1764489900000,"at_ms":1764489900100,"jobs":{"a/b":{"mean_milli":700,"peak_milli":900}},"hosts":{"n1":900}}}
{"change":{"change":"n1","at_ms":1764489900200,"to":"drain"}}
{"reschedule":{"at_ms":1764493500000}}
{"host":{"host":"n2","at_ms":1764493500001,"cpu_milli":2000,"memory_mib":4096}}
{"forget":{"job":"a/b","at_ms":1764493500002}}
{"change":{"change":"n2","at_ms":1764493500003,"to":"down"}}
{"trace":{"name":"t"}}
{"state":{"at_ms":1764493500004}}"#;
    const NODE: &str = r#"{"machine":{"hwloc_xml":"XML","reserved":"0"}}
{"record":{"id":"a","cpus":"1","may_move":true}}
{"grant":{"id":"b","cpus":2,"within":"numa_node","moves_max":2}}
{"grant":{"id":"c","cpus":1,"siblings":"used","memory_bytes":4096}}
{"better":{"id":"a"}}
{"compact":{"moves_max":4}}
{"release":{"id":"b"}}
{"state":{}}"#;
    let shape = allocator::Regular { packages: 1, numa_nodes: 2, l3_domains: 1, cores: 3, threads: 2 };
    let xml = topology::to_xml(&shape.topology()).expect("a regular machine can be written");
    let quoted = serde_json::to_string(&xml).expect("a text is JSON");
    vec![FLEET.into(), NODE.replace("\"XML\"", &quoted).into()]
}
