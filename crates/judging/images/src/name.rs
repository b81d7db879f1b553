//! Names of images, which are never those of digests.

use crate::digest::Digest;

/// A digest begins so.
pub(crate) const DIGEST: &str = "sha256:";
/// Fewer digits do not name a digest.
const PREFIX_MIN: usize = 8;

/// Returns whether an image can have a name: parts of letters, digits and separators with slashes between, then maybe a tag and a digest.
///
/// What could be a digest is none.
pub fn is_name(name: &str) -> bool {
    let (rest, digest) = name.split_once('@').map_or((name, None), |(rest, digest)| (rest, Some(digest)));
    let at = rest.rfind('/').map_or(0, |at| at + 1);
    let (parts, tag) = match rest[at..].split_once(':') {
        Some((_, tag)) => (&rest[..rest.len() - tag.len() - 1], Some(tag)),
        None => (rest, None),
    };
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        part.bytes().all(|byte| is_word(byte) || b"._-".contains(&byte))
            && part.bytes().next().is_some_and(is_word)
            && part.bytes().last().is_some_and(is_word)
    };
    let is_tag = |tag: &str| {
        (1..=128).contains(&tag.len())
            && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
            && !tag.starts_with(['.', '-'])
    };
    let mut parts = parts.split('/').peekable();
    let first = parts.next().unwrap_or_default();
    // A registry may have a port.
    let first = match first.rsplit_once(':') {
        Some((host, port)) if parts.peek().is_some() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            host
        }
        _ => first,
    };
    name.len() <= 255
        && is_part(first)
        && parts.all(is_part)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(|digest| Digest::parse(digest).is_some())
        && !name.starts_with(DIGEST)
        && !is_hex(name)
}

/// Returns whether it could be the beginning of a digest.
pub(crate) fn is_hex(name: &str) -> bool {
    name.len() >= PREFIX_MIN
        && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
