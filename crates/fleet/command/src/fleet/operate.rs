//! `tauto fleet operator`, and the secrets that it needs.

use crate::arguments::OperatorArguments;
use anyhow::Context;
use contest_command::arguments::LogFormat;
use contest_command::client::{secret_of, tls, with_scheme};
use contest_command::random_secret;
use contest_command::serve::{begin_log, bind, stopped};
use operator::{ContestServer, Options};
use pools::Settings;
use std::process::ExitCode;
use terminal::interrupt::Interrupt;

pub fn run(arguments: &OperatorArguments) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let _log = begin_log(arguments.log_format == LogFormat::Json);
    let url = with_scheme(&arguments.server);
    let token = secret_of(&arguments.token)?;
    let server = ContestServer::new(&url, &token, tls(&url, arguments.ca_file.as_deref())?);
    let of_judgehosts = arguments.judgehost_server.as_deref().map_or(url, with_scheme);
    let options = Options {
        kubeconfig: arguments.cluster.kubeconfig.clone(),
        namespace: arguments.cluster.namespace.clone(),
        settings: Settings {
            server: of_judgehosts,
            token_secret: arguments.token_secret.clone(),
            pull_secret: arguments.pull_secret.clone(),
            authorities: arguments.authorities.clone(),
            priority_class: arguments.priority_class.clone(),
            cache: arguments.cache.trim_end_matches('/').to_owned(),
        },
        listener: arguments.metrics.as_deref().map(bind).transpose()?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(4)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    runtime.block_on(operator::run(options, server, stopped(interrupt.stop())))?;
    // What waits for an answer of a server is not waited for.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// Returns a Secret with new tokens: one for the server and the operator, one for judgehosts, which see no other.
pub fn secrets(name: &str) -> String {
    let (judgehost, operator) = (random_secret(), random_secret());
    let password = &random_secret()[..24];
    format!(
        "apiVersion: v1
kind: Secret
metadata:
  name: {name}
  labels: {{app.kubernetes.io/name: tautochrone}}
stringData:
  judgehost: {judgehost}
  operator: {operator}
  admin-password: {password}
---
apiVersion: v1
kind: Secret
metadata:
  name: {name}-judgehost
  labels: {{app.kubernetes.io/name: tautochrone}}
stringData:
  token: {judgehost}
"
    )
}
