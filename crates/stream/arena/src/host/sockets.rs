//! Sockets, and when the kernel received or sent what they carry.

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, TimestampingFlag, recvmsg, setsockopt, sockopt};
use rustix::net::sockopt::{
    set_socket_keepalive, set_tcp_keepcnt, set_tcp_keepidle, set_tcp_keepintvl, set_tcp_nodelay,
    set_tcp_user_timeout,
};
use rustix::net::{SendFlags, send};
use std::io::{self, IoSliceMut};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// A peer that acknowledges nothing for this time is gone.
const SILENT_MAX: Duration = Duration::from_secs(20);
/// How often a silent peer is asked whether it is there.
const PROBE_EVERY: Duration = Duration::from_secs(5);

/// Room for what the kernel says about one message: times, and for those of sending an address and an error.
pub(crate) fn control_space() -> Vec<u8> {
    cmsg_space!([nix::libc::timespec; 3], [u8; 128])
}

/// Makes a connection fit for a contest: nothing waits to be sent, nothing blocks, and a silent peer is noticed.
pub(crate) fn prepare(socket: &TcpStream) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    set_tcp_nodelay(socket, true)?;
    notice_silence(socket)
}

/// Ends a connection whose peer is gone, or takes nothing.
pub(crate) fn notice_silence(socket: &impl AsFd) -> io::Result<()> {
    set_socket_keepalive(socket, true)?;
    set_tcp_keepidle(socket, PROBE_EVERY)?;
    set_tcp_keepintvl(socket, PROBE_EVERY)?;
    set_tcp_keepcnt(socket, (SILENT_MAX.as_secs() / PROBE_EVERY.as_secs()) as u32)?;
    // With this, a peer with no room for more is silent, too.
    set_tcp_user_timeout(socket, SILENT_MAX.as_millis() as u32)?;
    Ok(())
}

/// Asks the kernel for the time at which each byte was received. Without an answer the time of reading is used.
pub(crate) fn stamp_received(socket: &impl AsFd) {
    let flags = TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE;
    let _ = setsockopt(&socket.as_fd(), sockopt::Timestamping, &flags);
}

/// Asks the kernel for the time at which what is sent next leaves, or not any more.
pub(crate) fn stamp_sent(socket: &TcpStream, on: bool) {
    let flags = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
    let flags = if on { flags } else { TimestampingFlag::empty() };
    let _ = setsockopt(socket, sockopt::Timestamping, &flags);
}

/// Reads, and returns how much, and when the packet of the last byte was received by the system's clock. That may be before
/// the packets of other bytes, if they came in another order than they were sent.
pub(crate) fn receive(
    socket: &TcpStream,
    buffer: &mut [u8],
    control: &mut [u8],
) -> io::Result<(usize, Option<Duration>)> {
    let mut buffers = [IoSliceMut::new(buffer)];
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut buffers, Some(control), MsgFlags::MSG_DONTWAIT)?;
    Ok((message.bytes, message.cmsgs().ok().and_then(stamp_in)))
}

/// Returns when what was sent last left, by the system's clock, and forgets it.
pub(crate) fn sent_stamp(socket: &TcpStream, control: &mut [u8]) -> Option<Duration> {
    let mut newest = None;
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_ERRQUEUE;
    // A message for each send since the last time.
    while let Ok(message) = recvmsg::<()>(socket.as_raw_fd(), &mut [], Some(control), flags) {
        newest = message.cmsgs().ok().and_then(stamp_in).or(newest);
    }
    newest
}

fn stamp_in(mut messages: impl Iterator<Item = ControlMessageOwned>) -> Option<Duration> {
    messages.find_map(|message| match message {
        ControlMessageOwned::ScmTimestampsns(stamps) => {
            let stamp = Duration::from(stamps.system);
            (!stamp.is_zero()).then_some(stamp)
        }
        _ => None,
    })
}

/// Sends what the kernel takes at once, and returns how much that is.
pub(crate) fn send_now(socket: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    Ok(send(socket, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::ioctl_fionread;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::SystemTime;

    #[test]
    fn kernel_stamps_what_was_sent_and_received() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        stamp_received(&listener);
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        prepare(&server).unwrap();
        let unix = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let (mut control, mut buffer) = (control_space(), [0; 16]);

        // The kernel begins to stamp a little after it was asked to.
        loop {
            let before = unix();
            client.write_all(b"answer").unwrap();
            let (count, stamp) = loop {
                match receive(&server, &mut buffer, &mut control) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                    other => break other.unwrap(),
                }
            };
            assert_eq!(&buffer[..count], b"answer");
            if let Some(stamp) = stamp {
                assert!((before..=unix()).contains(&stamp));
                break;
            }
        }

        stamp_sent(&server, true);
        let before = unix();
        assert_eq!(send_now(&server, b"digits").unwrap(), 6);
        assert!((before..=unix()).contains(&sent_stamp(&server, &mut control).expect("a stamp")));
        assert_eq!(sent_stamp(&server, &mut control), None);
        stamp_sent(&server, false);
        send_now(&server, b"digits").unwrap();
        assert_eq!(sent_stamp(&server, &mut control), None);
        client.read_exact(&mut buffer[..12]).unwrap();
    }

    /// A client that sends something, and a moment later an answer with much behind it, must not get the first one's time for it.
    #[test]
    fn combined_read_is_not_stamped_earlier() {
        const LATE: usize = 40_000;
        // Packets are put together in the kernel's queue, up to a number that depends on it; the next one has a time of its own.
        for early in 1..=50 {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            stamp_received(&listener);
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            set_tcp_nodelay(&client, true).unwrap();
            let (server, _) = listener.accept().unwrap();
            prepare(&server).unwrap();
            stamp_received(&server);
            let has_come = |bytes: usize| {
                while ioctl_fionread(&server).unwrap() < bytes as u64 {
                    std::thread::yield_now();
                }
            };
            for sent in 1..=early {
                client.write_all(b"a").unwrap();
                has_come(sent);
            }
            let between = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            client.write_all(&[b'b'; LATE]).unwrap();
            has_come(early + LATE);

            let (mut control, mut buffer) = (control_space(), [0; 16 << 10]);
            let mut left = early + LATE;
            while left > 0 {
                let (count, stamp) = receive(&server, &mut buffer, &mut control).unwrap();
                left -= count;
                let is_late = buffer[..count].contains(&b'b');
                assert!(!is_late || stamp.is_none_or(|stamp| stamp >= between), "{early} early");
            }
        }
    }
}
