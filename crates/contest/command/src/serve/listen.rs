//! Addresses to listen at, and why one cannot be used.

use model::without_error_numbers;
use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use terminal::failure::input_with_hint;

/// Reads an address with a port; a port alone is one that only this machine reaches.
pub fn address(text: &str) -> Result<String, String> {
    let port = |text: &str| text.parse::<u16>().is_ok();
    match text.rsplit_once(':') {
        None if port(text) => Ok(format!("127.0.0.1:{text}")),
        _ if text.contains("//") => Err("leave the scheme out, as in 127.0.0.1:8080".to_owned()),
        None => Err(format!("the port is missing, as in {text}:8080")),
        Some(("", number)) if port(number) => Err(format!(
            "write 127.0.0.1:{number} for this machine alone, or 0.0.0.0:{number} for all networks"
        )),
        Some((_, number)) if port(number) => Ok(text.to_owned()),
        Some(_) => Err("the port is a number up to 65535, as in 127.0.0.1:8080".to_owned()),
    }
}

/// Listens at an address.
pub fn bind(address: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).map_err(|error| {
        let message = format!("cannot listen at {address}: {}", without_error_numbers(&error.to_string()));
        input_with_hint(message, hint(address, error.kind()))
    })
}

fn hint(address: &str, kind: ErrorKind) -> String {
    match kind {
        ErrorKind::AddrInUse => {
            let holder = address.rsplit_once(':').and_then(|(_, port)| holder(port.parse().ok()?));
            let holder = holder.unwrap_or_else(|| "another program".to_owned());
            format!("{holder} has this port: stop it, or choose another port (0 is any free one)")
        }
        ErrorKind::PermissionDenied => {
            "ports below 1024 need root: choose a higher one, or use sudo".to_owned()
        }
        ErrorKind::AddrNotAvailable => {
            "this machine does not have this address; 0.0.0.0 stands for all that it has".to_owned()
        }
        _ => "give an address of this machine and a port, such as 127.0.0.1:8080".to_owned(),
    }
}

/// Finds the process that listens at a port: `None` if it belongs to another user and this process is not root's.
fn holder(port: u16) -> Option<String> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let sockets: Vec<String> =
        tables.iter().flat_map(|table| table.lines()).filter_map(|line| socket(line, port)).collect();
    let has_one = |pid: &str| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|target| sockets.iter().any(|socket| target.as_os_str() == socket.as_str()))
    };
    let mut names =
        fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let pid = names.find(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && has_one(name))?;
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some(format!("process {pid} ({})", name.trim_end()))
}

/// Returns the name of the socket in a line of `/proc/net/tcp` (proc(5)), if it listens at the port.
fn socket(line: &str, port: u16) -> Option<String> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (_, at) = fields.get(1)?.rsplit_once(':')?;
    let is_it = u16::from_str_radix(at, 16) == Ok(port) && *fields.get(3)? == LISTEN;
    Some(format!("socket:[{}]", fields.get(9)?)).filter(|_| is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::failure::Failure;

    #[test]
    fn a_port_alone_is_of_this_machine() {
        assert_eq!(address("8080").as_deref(), Ok("127.0.0.1:8080"));
        for text in ["0.0.0.0:8080", "[::]:8080", "localhost:0"] {
            assert_eq!(address(text).as_deref(), Ok(text));
        }
        for (text, words) in [
            ("localhost", "as in localhost:8080"),
            (":8080", "0.0.0.0:8080 for all"),
            ("http://127.0.0.1:8080", "leave the scheme out"),
            ("127.0.0.1:99999", "up to 65535"),
            ("99999", "the port is missing"),
        ] {
            assert!(address(text).unwrap_err().contains(words), "{text}");
        }
    }

    #[test]
    fn the_process_that_has_a_port_is_named() {
        let listener = bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let failure = Failure::of(&bind(&address).unwrap_err());
        assert!(failure.message.starts_with(&format!("cannot listen at {address}: Address already in use")));
        let us = format!("process {} (", std::process::id());
        assert!(failure.hint.unwrap().starts_with(&us));
        assert!(hint("192.0.2.1:8080", ErrorKind::AddrNotAvailable).contains("0.0.0.0"));
    }
}
