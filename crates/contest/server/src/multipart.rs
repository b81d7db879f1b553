//! Bodies of forms with files (`multipart/form-data`).

use crate::extract::{media_type, read_long, unsupported};
use crate::{App, Problem};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use percent_encoding::percent_decode_str;
use std::convert::Infallible;

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

/// What a form has.
#[derive(Debug, Default, PartialEq)]
pub struct Form {
    /// Its fields, each with its name.
    pub fields: Vec<(String, String)>,
    /// Its files, each with the name of its field, its own, and its content.
    pub files: Vec<(String, String, Vec<u8>)>,
}

impl Form {
    /// Takes a field out; `None` if it is not there, or empty.
    ///
    /// # Errors
    ///
    /// When it is there twice.
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
        if !media_type(&self.0).eq_ignore_ascii_case("multipart/form-data") {
            return Err(unsupported("send a form with files: Content-Type: multipart/form-data"));
        }
        let content_type = self.0.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = multer::parse_boundary(content_type.unwrap_or(""))
            .map_err(|_| Problem::invalid("the header Content-Type has no boundary"))?;
        let (content, _room) = read_long(self.0, app, bytes_max.saturating_add(FRAME_BYTES_MAX)).await?;
        parse(content, boundary).await
    }
}

async fn parse(content: Vec<u8>, boundary: String) -> Result<Form, Problem> {
    let wrong = |error: multer::Error| Problem::invalid(format!("the form cannot be read: {error}"));
    let whole = tokio_stream::once(Ok::<_, Infallible>(content));
    let mut parts = multer::Multipart::new(whole, boundary);
    let mut form = Form::default();
    while let Some(part) = parts.next_field().await.map_err(wrong)? {
        if form.fields.len() + form.files.len() >= PARTS_MAX {
            return Err(Problem::invalid(format!("the form has more than {PARTS_MAX} parts")));
        }
        let name = part.name().unwrap_or("").to_owned();
        let file_name = part.file_name().map(ToOwned::to_owned).or_else(|| encoded_name(part.headers()));
        let content = part.bytes().await.map_err(wrong)?;
        if let Some(file_name) = file_name {
            form.files.push((name, file_name, content.to_vec()));
            continue;
        }
        let text = std::str::from_utf8(&content).ok().filter(|text| text.len() <= TEXT_BYTES_MAX);
        let text = text.ok_or_else(|| {
            Problem::invalid_field(
                &plain(&name),
                format!("a field is UTF-8, and at most {TEXT_BYTES_MAX} bytes"),
            )
        })?;
        form.fields.push((name, text.to_owned()));
    }
    Ok(form)
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
    async fn fields_and_files_are_told_apart() {
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
