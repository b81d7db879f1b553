//! What the kernel knows of a connection: how long a packet takes to the peer and back, and whether packets came in order.
#![allow(unsafe_code)]

use nix::libc::{IPPROTO_TCP, TCP_INFO, getsockopt, socklen_t, tcp_info};
use std::io;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Returns the shortest round trip of the last minutes (`tcpi_min_rtt` of tcp(7)).
///
/// Fails before anything was acknowledged, and before Linux 4.9.
pub(crate) fn shortest_round_trip(socket: &TcpStream) -> io::Result<Duration> {
    let (info, length) = info_of(socket)?;
    let end = offset_of!(tcp_info, tcpi_min_rtt) + size_of::<u32>();
    // The kernel's value for "not measured yet" is the largest.
    if length < end || info.tcpi_min_rtt == u32::MAX {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(Duration::from_micros(info.tcpi_min_rtt.into()))
}

/// Returns whether anything has come before what was sent before it (`tcpi_rcv_ooopack`). Before Linux 5.4 that is not known,
/// so it may have.
pub(crate) fn was_disordered(socket: &TcpStream) -> bool {
    let end = offset_of!(tcp_info, tcpi_rcv_ooopack) + size_of::<u32>();
    info_of(socket).map_or(true, |(info, length)| length < end || info.tcpi_rcv_ooopack > 0)
}

/// Returns what the kernel says, and how many bytes of it.
fn info_of(socket: &TcpStream) -> io::Result<(tcp_info, usize)> {
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
    Ok((info, length as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::libc;
    use rustix::net::sockopt::set_socket_reuseaddr;
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::time::Instant;

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
        assert!(shortest_round_trip(&server).unwrap() < Duration::from_secs(60));
        // Loopback keeps the order.
        assert!(!was_disordered(&server));
    }

    fn option(socket: &impl AsRawFd, name: i32, set: Option<i32>) -> io::Result<i32> {
        let (mut value, mut length) = (set.unwrap_or(0), size_of::<i32>() as socklen_t);
        let number = socket.as_raw_fd();
        // SAFETY: the kernel reads or writes `length` bytes of `value`, which has as many.
        let result = unsafe {
            match set {
                Some(_) => libc::setsockopt(number, IPPROTO_TCP, name, (&raw const value).cast(), length),
                None => getsockopt(number, IPPROTO_TCP, name, (&raw mut value).cast(), &raw mut length),
            }
        };
        if result == 0 { Ok(value) } else { Err(io::Error::last_os_error()) }
    }

    const SENT: i32 = 2;
    const RECEIVED: i32 = 1;

    /// Opens the client's end anew, without notice to the server, as if that many bytes more had been sent.
    fn reopened(client: TcpStream, server: SocketAddr, more: i32) -> io::Result<TcpStream> {
        option(&client, libc::TCP_REPAIR, Some(1))?;
        let mut numbers = [RECEIVED, SENT].map(|queue| (queue, 0));
        for (queue, number) in &mut numbers {
            option(&client, libc::TCP_REPAIR_QUEUE, Some(*queue))?;
            *number = option(&client, libc::TCP_QUEUE_SEQ, None)?;
        }
        let from = client.local_addr()?;
        drop(client);
        let again = socket(AddressFamily::INET, SocketType::STREAM, None)?;
        option(&again, libc::TCP_REPAIR, Some(1))?;
        set_socket_reuseaddr(&again, true)?;
        bind(&again, &from)?;
        numbers[1].1 = numbers[1].1.wrapping_add(more);
        for (queue, number) in numbers {
            option(&again, libc::TCP_REPAIR_QUEUE, Some(queue))?;
            option(&again, libc::TCP_QUEUE_SEQ, Some(number))?;
        }
        connect(&again, &server)?;
        option(&again, libc::TCP_REPAIR_QUEUE, Some(0))?;
        // struct tcp_repair_window: there is room at the server.
        let window = [numbers[0].1, 60_000, 60_000, 60_000, numbers[0].1];
        // SAFETY: the kernel reads as many bytes as `window` has.
        let result = unsafe {
            let length = size_of_val(&window) as socklen_t;
            let value = window.as_ptr().cast();
            libc::setsockopt(again.as_raw_fd(), IPPROTO_TCP, libc::TCP_REPAIR_WINDOW, value, length)
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        // Off, and nothing is sent for it.
        option(&again, libc::TCP_REPAIR, Some(-1))?;
        Ok(TcpStream::from(again))
    }

    #[test]
    fn data_before_its_predecessor_is_noticed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let client = TcpStream::connect(at).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        if let Err(error) = option(&client, libc::TCP_REPAIR, Some(1)) {
            eprintln!("skipped: only root can send the end before the beginning (TCP_REPAIR): {error}");
            return;
        }
        option(&client, libc::TCP_REPAIR, Some(-1)).unwrap();
        let mut end = reopened(client, at, 4).unwrap();
        end.write_all(b"end").unwrap();
        let begun = Instant::now();
        while !was_disordered(&server) {
            assert!(begun.elapsed() < Duration::from_secs(30), "nothing came");
            std::thread::yield_now();
        }
        let mut beginning = reopened(end, at, -7).unwrap();
        beginning.write_all(b"the ").unwrap();
        let mut text = [0; 7];
        server.read_exact(&mut text).unwrap();
        assert!(&text == b"the end" && was_disordered(&server));
    }
}
