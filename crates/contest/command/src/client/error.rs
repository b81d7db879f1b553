//! What a server refuses, as a sentence.

use documents::contest::{ImportMessage, ProblemDetails};

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("{message}")]
    Refused {
        status: u16,
        /// Why, and each mistake of an import.
        message: String,
        hint: Option<String>,
    },
    /// Its name has no address.
    #[error("no address is known for the host of {server}")]
    UnknownHost { server: String },
    #[error("cannot reach {server}")]
    Unreachable { server: String, source: Box<ureq::Error> },
    /// It answers something else than was asked for.
    #[error("the server answered something unexpected; is it of another version?")]
    Unexpected { source: serde_json::Error },
}

impl ClientError {
    /// Reads a problem document (RFC 9457).
    pub fn refused(status: u16, body: &[u8], is_logged_in: bool) -> Self {
        let mut message = match serde_json::from_slice::<ProblemDetails>(body) {
            Ok(problem) => {
                let mut message = problem.detail;
                if let Some(field) = problem.field.filter(|field| !message.contains(field.as_str())) {
                    message = format!("{field}: {message}");
                }
                for error in problem.errors {
                    message.push_str(&format!("\n  {}", import_message(&error)));
                }
                message
            }
            Err(_) => format!("the server answered with status {status}"),
        };
        if message.is_empty() {
            message = format!("the server answered with status {status}");
        }
        let hint = match status {
            401 if is_logged_in => Some("the login has ended: tauto login URL --user NAME"),
            401 => Some("log in first: tauto login URL --user NAME"),
            403 if !is_logged_in => Some("log in first: tauto login URL --user NAME"),
            429 => Some("wait a little, then try again"),
            503 => Some("try again; the server could not store it"),
            _ => None,
        };
        Self::Refused { status, message, hint: hint.map(str::to_owned) }
    }

    /// Returns whether the request is at fault, not the server.
    pub fn is_of_input(&self) -> bool {
        matches!(self, Self::Refused { status, .. } if (400..500).contains(status))
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { hint, .. } => hint.clone(),
            Self::Unreachable { server, source } => Some(match tls_error(source) {
                Some(rustls::Error::InvalidMessage(_)) => {
                    format!(
                        "it does not speak HTTPS there; without encryption: {}",
                        server.replacen("https:", "http:", 1)
                    )
                }
                Some(_) => "--ca-file FILE names the authorities that may certify the server".to_owned(),
                None => "is it running? 'tauto serve --data DIR' starts one".to_owned(),
            }),
            Self::UnknownHost { .. } => Some(
                "check how the name is spelt, and that this machine can resolve it: DNS or /etc/hosts"
                    .to_owned(),
            ),
            Self::Unexpected { .. } => None,
        }
    }

    /// Returns the error for a request that got no answer.
    pub fn unreachable(server: &str, source: ureq::Error) -> Self {
        let server = server.to_owned();
        match is_unknown_host(&source) {
            true => Self::UnknownHost { server },
            false => Self::Unreachable { server, source: Box::new(source) },
        }
    }
}

/// Returns whether a name has no address. The standard library has no kind for that, but always these words.
fn is_unknown_host(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::HostNotFound => true,
        ureq::Error::Io(error) => error.to_string().starts_with("failed to lookup address information"),
        _ => false,
    }
}

/// Returns what TLS says: a handshake's error comes as one of input and output.
fn tls_error(error: &ureq::Error) -> Option<&rustls::Error> {
    match error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref()?.downcast_ref(),
        _ => None,
    }
}

/// Returns an error or a warning about a file of an import as a line.
pub fn import_message(message: &ImportMessage) -> String {
    match (&message.file, message.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {}", message.message),
        (Some(file), None) => format!("{file}: {}", message.message),
        _ => message.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_an_address_is_no_server_that_is_down() {
        use std::net::ToSocketAddrs;
        // No name has an empty part, so no resolver is asked.
        let unknown = "a..invalid:80".to_socket_addrs().unwrap_err();
        let error = ClientError::unreachable("http://a..invalid", unknown.into());
        assert_eq!(error.to_string(), "no address is known for the host of http://a..invalid");
        assert!(error.hint().unwrap().contains("DNS"));
        let down = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = ClientError::unreachable("http://a", down.into());
        assert_eq!(error.hint().unwrap(), "is it running? 'tauto serve --data DIR' starts one");
    }

    #[test]
    fn a_problem_is_a_sentence_with_its_errors() {
        let body = br#"{"type": "/problems/invalid", "title": "Invalid", "status": 422, "detail": "the files have mistakes",
            "code": 422, "message": "x", "errors": [{"file": "teams.yaml", "line": 3, "message": "id: is missing"}]}"#;
        let error = ClientError::refused(422, body, true);
        assert_eq!(error.to_string(), "the files have mistakes\n  teams.yaml:3: id: is missing");
        assert!(error.is_of_input());
        let error = ClientError::refused(502, b"<html>", true);
        assert_eq!(error.to_string(), "the server answered with status 502");
        assert!(!error.is_of_input());
        assert!(ClientError::refused(401, b"", false).hint().unwrap().starts_with("log in first"));
    }
}
