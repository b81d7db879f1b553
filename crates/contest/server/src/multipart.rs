//! Bodies of forms with files (`multipart/form-data`).

use crate::extract::{media_type, read_long, too_large, unsupported};
use crate::problem::unreadable;
use crate::{App, Problem};
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio_stream::Stream;

/// What a form has besides its files: bounds, headers and fields.
pub const FRAME_BYTES_MAX: usize = 64 << 10;
/// Fields and files of one form; contests allow fewer files.
const PARTS_MAX: usize = 200;
/// An id, a time or a name.
const TEXT_BYTES_MAX: usize = 1024;

/// A form that is read only once it is known that the caller may send it.
pub struct LaterForm(Request);

impl<S: Send + Sync> FromRequest<S> for LaterForm {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        Ok(Self(request))
    }
}

#[derive(Debug, Default, PartialEq)]
pub struct Form {
    /// Its fields, each with its name.
    pub fields: Vec<(String, String)>,
    /// Its files, each with the name of its field, its own, and its content.
    pub files: Vec<(String, String, Vec<u8>)>,
}

impl Form {
    /// Takes a field out; `None` if it is not there, or empty.
    /// Fails when it is there twice.
    pub fn take(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let is_it = |field: &(String, String)| field.0 == name;
        let Some(at) = self.fields.iter().position(is_it) else { return Ok(None) };
        let (_, value) = self.fields.remove(at);
        if self.fields.iter().any(is_it) {
            return Err(Problem::invalid_field(name, "the field is there twice"));
        }
        Ok(Some(value).filter(|value| !value.is_empty()))
    }

    /// Refuses fields that were not taken: nothing is dropped in silence.
    pub fn finish(&self, known: &str) -> Result<(), Problem> {
        match self.fields.first() {
            None => Ok(()),
            Some((name, _)) => Err(Problem::invalid_field(
                &plain(name),
                format!("there is no such field here; there are {known}"),
            )),
        }
    }
}

/// Returns a name of the sender's as it may be repeated.
fn plain(name: &str) -> String {
    name.chars().take(40).filter(|letter| !letter.is_control()).collect()
}

impl LaterForm {
    /// Reads it, if its files are no longer than this together.
    pub async fn read(self, app: &App, bytes_max: usize) -> Result<Form, Problem> {
        let boundary = self.boundary()?;
        let (content, _room) = read_long(self.0, app, bytes_max.saturating_add(FRAME_BYTES_MAX)).await?;
        parse(content, boundary).await
    }

    /// Reads a form with one file in one of these fields, of any length up to this one: `store` gets it as a request's body, as it
    /// comes. Returns the other fields, the file's own name and what `store` made of it.
    pub async fn read_one<T, F: Future<Output = Result<T, Problem>>>(
        self,
        kinds: &[&str],
        bytes_max: u64,
        store: impl FnOnce(Request) -> F,
    ) -> Result<(Form, String, T), Problem> {
        let boundary = self.boundary()?;
        if self.0.body().size_hint().lower() > bytes_max.saturating_add(FRAME_BYTES_MAX as u64) {
            return Err(too_large());
        }
        let pieces = OneByOne { stream: self.0.into_body().into_data_stream(), has_given: false };
        let mut parts = multer::Multipart::new(pieces, boundary);
        let mut form = Form::default();
        let Some((field, name, file)) = next_file(&mut parts, &mut form).await? else {
            return Err(not_one_file(kinds));
        };
        if !kinds.contains(&field.as_str()) {
            return Err(not_one_file(kinds));
        }
        let declared = file.headers().get(header::CONTENT_TYPE).cloned();
        let mut request = Request::new(Body::from_stream(file));
        if let Some(declared) = declared {
            request.headers_mut().insert(header::CONTENT_TYPE, declared);
        }
        let stored = store(request).await?;
        match next_file(&mut parts, &mut form).await? {
            None => Ok((form, name, stored)),
            Some(_) => Err(not_one_file(kinds)),
        }
    }

    fn boundary(&self) -> Result<String, Problem> {
        if !media_type(&self.0).eq_ignore_ascii_case("multipart/form-data") {
            return Err(unsupported("send a form with files: Content-Type: multipart/form-data"));
        }
        let content_type = self.0.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        multer::parse_boundary(content_type.unwrap_or(""))
            .map_err(|_| Problem::invalid("the header Content-Type has no boundary"))
    }
}

/// Returns the problem with a form that has another number of files than one, or one in another field.
pub fn not_one_file(kinds: &[&str]) -> Problem {
    Problem::invalid(format!("send one file, in a field named {}", kinds.join(" or ")))
}

async fn parse(content: Vec<u8>, boundary: String) -> Result<Form, Problem> {
    let whole = tokio_stream::once(Ok::<_, Infallible>(content));
    let mut parts = multer::Multipart::new(whole, boundary);
    let mut form = Form::default();
    while let Some((field, name, file)) = next_file(&mut parts, &mut form).await? {
        form.files.push((field, name, file.bytes().await.map_err(wrong)?.to_vec()));
    }
    Ok(form)
}

fn wrong(error: multer::Error) -> Problem {
    match error {
        multer::Error::StreamReadFailed(cause) => unreadable(&*cause),
        error => Problem::invalid(format!("the form cannot be read: {error}")),
    }
}

/// Returns the next file of a form, with its field and its name, and adds the fields before it; `None` at the end.
async fn next_file(
    parts: &mut multer::Multipart<'static>,
    form: &mut Form,
) -> Result<Option<(String, String, multer::Field<'static>)>, Problem> {
    while let Some(mut part) = parts.next_field().await.map_err(wrong)? {
        if form.fields.len() + form.files.len() >= PARTS_MAX {
            return Err(Problem::invalid(format!("the form has more than {PARTS_MAX} parts")));
        }
        let name = part.name().unwrap_or("").to_owned();
        let file_name = part.file_name().map(ToOwned::to_owned).or_else(|| encoded_name(part.headers()));
        if let Some(file_name) = file_name {
            return Ok(Some((name, file_name, part)));
        }
        let unusable = || {
            let detail = format!("a field is UTF-8, and at most {TEXT_BYTES_MAX} bytes");
            Problem::invalid_field(&plain(&name), detail)
        };
        let mut text = Vec::new();
        while let Some(piece) = part.chunk().await.map_err(wrong)? {
            if text.len() + piece.len() > TEXT_BYTES_MAX {
                return Err(unusable());
            }
            text.extend_from_slice(&piece);
        }
        let text = String::from_utf8(text).map_err(|_| unusable())?;
        form.fields.push((name, text));
    }
    Ok(None)
}

/// A stream that gives one item each time it is asked: the reader of forms keeps all that is there in memory.
struct OneByOne<S> {
    stream: S,
    has_given: bool,
}

impl<S: Stream + Unpin> Stream for OneByOne<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        if std::mem::take(&mut self.has_given) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = Pin::new(&mut self.stream).poll_next(context);
        self.has_given = matches!(next, Poll::Ready(Some(_)));
        next
    }
}

/// Returns a file's name that is not ASCII, as older clients write it (RFC 5987).
fn encoded_name(headers: &HeaderMap) -> Option<String> {
    let parameters = headers.get(header::CONTENT_DISPOSITION)?.to_str().ok()?.split(';').map(str::trim);
    let encoded = parameters.filter_map(|one| one.strip_prefix("filename*=")).next()?;
    let (charset, rest) = encoded.split_once('\'')?;
    let (_language, name) = rest.split_once('\'')?;
    let name = percent_decode_str(name).decode_utf8().ok()?;
    charset.eq_ignore_ascii_case("utf-8").then(|| name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn form(body: &str) -> Result<Form, Problem> {
        parse(body.replace('\n', "\r\n").into_bytes(), "x".to_owned()).await
    }

    #[tokio::test]
    async fn fields_and_files_of_a_form_differ() {
        let body = "--x\nContent-Disposition: form-data; name=\"problem\"\n\nhello\n\
                    --x\nContent-Disposition: form-data; name=\"code[]\"; filename=\"a.c\"\n\nint x;\n\n--x--\n";
        let mut read = form(body).await.unwrap();
        assert_eq!(read.files, [("code[]".to_owned(), "a.c".to_owned(), b"int x;\r\n".to_vec())]);
        assert!(read.finish("none").is_err());
        assert_eq!((read.take("problem"), read.take("problem")), (Ok(Some("hello".to_owned())), Ok(None)));
        assert_eq!(read.finish("none"), Ok(()));
        // As Python's requests writes a name that is not ASCII: by the age of its library.
        let body = "--x\nContent-Disposition: form-data; name=\"code[]\"; filename*=utf-8''gr%C3%BC%C3%9Fe.c\n\n1\n--x--\n";
        assert_eq!(form(body).await.unwrap().files[0].1, "grüße.c");
        let body = "--x\nContent-Disposition: form-data; name=\"code[]\"; filename=\"grüße.c\"\n\n1\n--x--\n";
        assert_eq!(form(body).await.unwrap().files[0].1, "grüße.c");
    }

    #[tokio::test]
    async fn forms_are_bounded_and_whole() {
        let field = |name: &str, text: &str| {
            format!("--x\nContent-Disposition: form-data; name=\"{name}\"\n\n{text}\n")
        };
        assert!(form(&(field("a", &"y".repeat(2000)) + "--x--\n")).await.is_err(), "a long text");
        assert!(form(&(field("a", "1").repeat(300) + "--x--\n")).await.is_err(), "many parts");
        assert!(form(&field("a", "1")).await.is_err(), "cut off");
        assert!(form("").await.is_err(), "empty");
        let mut twice = form(&(field("team_id", "1") + &field("team_id", "2") + "--x--\n")).await.unwrap();
        assert!(twice.take("team_id").is_err());
    }
}
