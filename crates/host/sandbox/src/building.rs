//! Makes a slot's place: its groups, users and launcher; again, where others remove it.

use crate::SandboxError;
use crate::child::Report;
use crate::handover;
use crate::launcher::LAUNCHER_ARGUMENT;
use crate::process::HelperProcess;
use crate::protocol::{self, Answer};
use crate::slot::{SlotOptions, step_failed};
use crate::slot_number::SlotNumber;
use crate::sys::SharedPage;
use cgroup::{CgroupError, SlotGroups};
use rustix::fd::OwnedFd;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

/// For how long a lost place is made again: a clean-up from outside takes some tenths of a second.
const RENEWAL_TIME_MAX: Duration = Duration::from_secs(3);
const RENEWAL_PAUSE: Duration = Duration::from_millis(20);

/// The launcher and the run's init are in the pooled groups too.
const RESIDENTS: u32 = 2;

pub(crate) struct Built {
    pub groups: SlotGroups,
    pub launcher: HelperProcess,
    /// The report of the present run, which its launcher and it write.
    pub report: SharedPage<Report>,
}

/// Makes a slot's groups, users and launcher. If that fails, no group stays, except those with a run that could not be ended.
pub(crate) fn build(place: &SlotNumber, options: &SlotOptions) -> Result<Built, SandboxError> {
    let built = build_unless_lost(place, options);
    if !matches!(built, Ok(_) | Err(SandboxError::Cgroup(CgroupError::StillPopulated { .. }))) {
        place.remove_groups();
    }
    built
}

fn build_unless_lost(place: &SlotNumber, options: &SlotOptions) -> Result<Built, SandboxError> {
    let mut launcher = HelperProcess::start(LAUNCHER_ARGUMENT)?;
    match hand_over(place, options, &launcher) {
        Ok((groups, report)) => Ok(Built { groups, launcher, report }),
        Err(error) => {
            launcher.end();
            Err(error)
        }
    }
}

/// Makes the groups for a launcher, and waits until it has built the container.
fn hand_over(
    place: &SlotNumber,
    options: &SlotOptions,
    launcher: &HelperProcess,
) -> Result<(SlotGroups, SharedPage<Report>), SandboxError> {
    let socket = &launcher.socket;
    // The launcher builds its container while the groups are made.
    let sent = handover::send_root(socket, &options.root)
        .and_then(|()| handover::send_users(socket, place, &options.roles));
    explain(launcher, sent)?;
    let groups = place.groups(RESIDENTS, &options.cpus)?;
    let claims = options.cpus.claim.as_deref().into_iter().chain([place.claim()]);
    explain(launcher, handover::send_belongings(socket, &groups, claims))?;
    match receive(launcher, &mut Vec::new())? {
        (Answer::Ready, files) => {
            let file = files.first();
            let file = file.ok_or_else(|| SandboxError::LauncherDied("it sent no page".to_owned()))?;
            let report = SharedPage::of(file);
            Ok((groups, report.map_err(SandboxError::system("share memory with the launcher"))?))
        }
        (Answer::Failed { step, errno }, _) => Err(step_failed(step, errno, "")),
        _ => Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
    }
}

/// Returns whether the other side has closed: a reset means that it did not read all.
pub(crate) fn is_closed(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

/// If a message could not be sent because the launcher has ended, its own message has the cause.
fn explain(launcher: &HelperProcess, sent: Result<(), SandboxError>) -> Result<(), SandboxError> {
    match sent {
        Err(SandboxError::System { source, .. }) if is_closed(&source) => {
            match receive(launcher, &mut Vec::new())? {
                (Answer::Failed { step, errno }, _) => Err(step_failed(step, errno, "")),
                _ => Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
            }
        }
        sent => sent,
    }
}

pub(crate) fn receive(
    launcher: &HelperProcess,
    buffer: &mut Vec<u8>,
) -> Result<(Answer, Vec<OwnedFd>), SandboxError> {
    match protocol::receive(&launcher.socket, buffer) {
        Ok(Some(message)) => Ok(message),
        Ok(None) => Err(launcher_died(launcher)),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(launcher_died(launcher)),
        Err(source) => Err(SandboxError::System { what: "receive from the launcher", source }),
    }
}

pub(crate) fn launcher_died(launcher: &HelperProcess) -> SandboxError {
    let status = launcher.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
    SandboxError::LauncherDied(status)
}

/// Does something until its place stays. What removes groups of ours may remove several, one after the other.
pub(crate) fn until_it_stays<T>(
    is_lost: fn(&SandboxError) -> bool,
    mut act: impl FnMut() -> Result<T, SandboxError>,
) -> Result<T, SandboxError> {
    let start = Instant::now();
    loop {
        match act() {
            Err(error) if is_lost(&error) => {
                let tried = start.elapsed();
                if tried > RENEWAL_TIME_MAX {
                    return Err(given_up(error, tried));
                }
                std::thread::sleep(RENEWAL_PAUSE);
            }
            done => return done,
        }
    }
}

/// Returns why a place is not made again. A launcher that ended may have ended by itself.
fn given_up(error: SandboxError, tried: Duration) -> SandboxError {
    match error {
        SandboxError::LauncherDied(_) => error,
        error => SandboxError::KeepsBeingRemoved(tried, Box::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_groups_are_blamed_on_others() {
        let tried = Duration::from_secs(3);
        let died = given_up(SandboxError::LauncherDied("signal: 31 (SIGSYS)".to_owned()), tried);
        assert_eq!(died.to_string(), "the slot's launcher ended unexpectedly (signal: 31 (SIGSYS))");
        let gone = ErrorKind::NotFound.into();
        let step = given_up(SandboxError::file("open", "/sys/fs/cgroup/tauto-slot-0")(gone), tried);
        assert!(matches!(step, SandboxError::KeepsBeingRemoved(..)), "{step}");
    }
}
