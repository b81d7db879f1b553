//! A whole server on a listener: from opening the store to the graceful end.

use crate::listen::{Serving, listen};
use crate::problem::with_causes;
use crate::setup::{Tokens, add_tokens_when_possible};
use crate::{
    App, Config, Role, SetupError, Start, StartError, add_admin, blob_collector, ops, random, router,
};
use std::future::Future;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::{StoreAddress, StoreError, WriterPlace};

/// How often a panic of the writer is looked for; an error wakes at once.
const FAILURE_CHECK: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub struct Options {
    pub data: PathBuf,
    /// A database, if it is not in the folder.
    pub database: Option<StoreAddress>,
    pub config: Config,
}

/// What is known once a server answers.
pub struct Ready {
    /// The password of `admin`, if that was made now.
    pub admin_password: Option<String>,
    /// The secret of the local judgehosts.
    pub judgehost_token: String,
    /// The server, for those in the same process.
    pub app: Arc<App>,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("the store cannot be opened")]
    Store(#[source] StoreError),
    #[error("the server cannot start")]
    Start(#[from] StartError),
    #[error("the first accounts cannot be made")]
    Setup(#[from] SetupError),
    #[error("cannot {action}")]
    System { action: &'static str, source: std::io::Error },
    #[error("passwords cannot be hashed: {0}")]
    Passwords(String),
    #[error("the writer has ended; its error is in the log")]
    Writer,
}

/// Serves until `stop` is done.
pub async fn run(
    options: Options,
    listener: TcpListener,
    ready: impl FnOnce(Ready) + Send,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), RunError> {
    let system = |action| move |source| RunError::System { action, source };
    let address = options.database.clone().unwrap_or(StoreAddress::Folder(options.data.clone()));
    let replica = options.config.replica.clone();
    let blocking = tokio::task::spawn_blocking(move || open(&address, replica));
    let (start, blobs) = blocking.await.map_err(|_| RunError::Writer)??;
    // What a killed server was reading is of no use, now that the store is ours.
    let temporary = &options.config.temporary;
    std::fs::create_dir_all(temporary).map_err(system("make the folder for temporary files"))?;
    empty(temporary).map_err(system("empty the folder for temporary files"))?;
    let given = options.config.admin_password.clone();
    // Once: a follower may become the writer meanwhile.
    let is_writer = start.published.is_writer();
    let admin_password = match is_writer {
        true => add_admin(&start.writer, &start.published, &options.data, given.as_deref()).await?,
        false => None,
    };
    let judgehost_token = options.config.judgehost_token.clone().unwrap_or_else(random::hex_256);
    let tokens =
        Tokens { judgehosts: judgehost_token.clone(), operator: options.config.operator_token.clone() };
    let limits = options.config.limits.clone();
    let (tls, local) = (options.config.tls.clone(), options.config.local.clone());
    let for_operators = options.config.operations.listener.clone();
    let app = App::new(options.config, start.writer.clone(), start.published.clone(), blobs);
    let app = Arc::new(app.map_err(|error| RunError::Passwords(error.to_string()))?);
    let begins_later = match is_writer {
        true => {
            add_tokens_when_possible(Arc::downgrade(&app), tokens).await?;
            None
        }
        false => Some(tokio::spawn(begin_to_write(app.clone(), options.data.clone(), tokens))),
    };
    let usable = |listener: TcpListener| {
        listener.set_nonblocking(true).map_err(system("use the listening socket"))?;
        tokio::net::TcpListener::from_std(listener).map_err(system("use the listening socket"))
    };
    let copy =
        |listener: &TcpListener| usable(listener.try_clone().map_err(system("use the listening socket"))?);
    let listener = usable(listener)?;
    let local = local.as_deref().map(copy).transpose()?;
    let for_operators = for_operators.as_deref().map(copy).transpose()?;
    let routes = router(app.clone());
    let collecting = tokio::spawn(blob_collector::collect(Arc::downgrade(&app)));
    let watching = tokio::spawn(ops::watch_health(Arc::downgrade(&app)));
    ready(Ready { admin_password, judgehost_token, app: app.clone() });
    let published = start.published.clone();
    let failed = async move {
        let mut version = published.version();
        while !published.has_failed() {
            let _ = tokio::time::timeout(FAILURE_CHECK, version.changed()).await;
        }
    };
    let stop = async {
        tokio::select! {
            () = stop => {}
            () = failed => {}
        }
        app.end_streams();
    };
    let (stopping, _) = tokio::sync::watch::channel(false);
    let stopped = || {
        let mut stopping = stopping.subscribe();
        async move { drop(stopping.wait_for(|stopping| *stopping).await) }
    };
    let metrics = &start.published.metrics;
    let serving = |tls, router| Serving { router, limits: &limits, tls, metrics };
    let optional = |listener: Option<_>, router| {
        let stopped = stopped();
        async move {
            if let Some(listener) = listener {
                listen(listener, serving(None, router), stopped).await;
            }
        }
    };
    tokio::join!(
        async {
            stop.await;
            stopping.send_replace(true);
        },
        listen(listener, serving(tls, routes.clone()), stopped()),
        optional(local, routes),
        optional(for_operators, ops::router(app.clone())),
    );
    collecting.abort();
    begins_later.inspect(tokio::task::JoinHandle::abort);
    watching.abort();
    let has_failed = start.published.has_failed();
    start.writer.stop();
    let thread = start.thread;
    let ended = tokio::task::spawn_blocking(move || thread.join()).await;
    if has_failed || !matches!(ended, Ok(Ok(()))) { Err(RunError::Writer) } else { Ok(()) }
}

type Open = (Start, Arc<dyn store::Blobs>);

/// Does what a writer does at its start, once this server is the writer.
async fn begin_to_write(app: Arc<App>, data: PathBuf, tokens: Tokens) {
    let mut role = app.published.role();
    if role.wait_for(|role| *role == Role::Writer).await.is_err() {
        return;
    }
    // Judgehosts have not been heard of here: they have as long as after a start.
    app.hosts.begin_again(crate::clock::system_now());
    app.published.wake_claims();
    let given = app.config.admin_password.clone();
    if let Err(error) = add_admin(&app.writer, &app.published, &data, given.as_deref()).await {
        tracing::error!(error = with_causes(&error), "the first account cannot be made");
    }
    if let Err(error) = add_tokens_when_possible(Arc::downgrade(&app), tokens).await {
        tracing::error!(error = with_causes(&error), "the server's judgehosts have no token");
    }
}

fn open(address: &StoreAddress, replica: Option<WriterPlace>) -> Result<Open, RunError> {
    if let (StoreAddress::Postgres(url), Some(place)) = (address, replica) {
        let followable = store::follow(url, place).map_err(RunError::Store)?;
        return Ok((Start::following(followable.log)?, followable.blobs));
    }
    let opened = store::open(address).map_err(|error| {
        tracing::error!(error = with_causes(&error), "the store cannot be opened");
        RunError::Store(error)
    })?;
    Ok((Start::new(opened.store)?, opened.blobs))
}

/// Deletes all that is in a folder. The folder itself stays: on a full disk it could not be made again.
fn empty(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => std::fs::remove_dir_all(entry.path())?,
            false => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}
