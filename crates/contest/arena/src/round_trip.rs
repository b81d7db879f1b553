//! How long a packet takes to a peer and back, as the kernel has measured it.
#![allow(unsafe_code)]

use nix::libc::{IPPROTO_TCP, TCP_INFO, getsockopt, socklen_t, tcp_info};
use std::io;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Returns the shortest round trip of the last minutes (`tcpi_min_rtt` of tcp(7)).
///
/// # Errors
/// When the kernel has none: before anything was acknowledged, and before Linux 4.9.
pub(crate) fn shortest(socket: &TcpStream) -> io::Result<Duration> {
    let mut info = MaybeUninit::<tcp_info>::zeroed();
    let mut length = size_of::<tcp_info>() as socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `info`, which has as many.
    let result = unsafe {
        getsockopt(socket.as_raw_fd(), IPPROTO_TCP, TCP_INFO, info.as_mut_ptr().cast(), &raw mut length)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `tcp_info` is made of integers, of which all bytes are zero or were written.
    let info = unsafe { info.assume_init() };
    let end = offset_of!(tcp_info, tcpi_min_rtt) + size_of::<u32>();
    // The kernel's value for "not measured yet" is the largest.
    if (length as usize) < end || info.tcpi_min_rtt == u32::MAX {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(Duration::from_micros(info.tcpi_min_rtt.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn the_kernel_measures_round_trips() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        for _ in 0..3 {
            server.write_all(b"x").unwrap();
            client.read_exact(&mut [0]).unwrap();
            client.write_all(b"y").unwrap();
            server.read_exact(&mut [0]).unwrap();
        }
        assert!(shortest(&server).unwrap() < Duration::from_secs(60));
    }
}
