//! Images from a registry.

use images::{Image, ImageError, Limits, Remote, Store};
use std::fs;
use std::path::Path;
use test_support::oci::{Answers, Layer, Layout, serve, stored};

fn pull(name: &str, secret: Option<&Path>, store: &Path) -> Result<Image, ImageError> {
    let limits = Limits::default();
    let (remote, chosen) =
        Remote::choose(name, &images::Access { secret, ..images::Access::default() }, limits)?;
    let store = Store::open(store, limits)?;
    store.import(&remote, &chosen, name, &|| false).map(|(image, _)| image)
}

#[test]
fn an_image_is_pulled_by_its_tag_or_digest() {
    let layout = Layout::new().image(Some("2026-1"), &[stored(Layer::new().file("file", "1"))]);
    let registry = serve(layout.path(), Answers::Right);
    let here = tempfile::tempdir().unwrap();
    let image = pull(&format!("{registry}/judge/cpp:2026-1"), None, here.path()).unwrap();
    let root = here.path().join("roots").join(image.digest.hex());
    assert_eq!(fs::read_to_string(root.join("file")).unwrap(), "1");
    let again = pull(&format!("{registry}/judge/cpp@{}", image.digest), None, here.path()).unwrap();
    assert_eq!((again.digest, again.names.len()), (image.digest, 2));
}

#[test]
fn what_a_registry_does_wrong_is_a_sentence_and_leaves_nothing() {
    let layout = Layout::new().image(Some("1"), &[stored(Layer::new().file("file", "1"))]);
    for (answers, name, words) in [
        (Answers::Right, "judge/cpp:2", "it has no such image"),
        (Answers::WithPassword, "judge/cpp:1", "it asks for a name and a password"),
        (Answers::Garbage, "judge/cpp:1", "is not JSON"),
        (Answers::Endless, "judge/cpp:1", "its answer has more than 4194304 bytes"),
        (Answers::BadToken, "judge/cpp:1", "its token is not what it should be"),
        (Answers::Half, "judge/cpp:1", "it stopped sending"),
        (Answers::Failure, "judge/cpp:1", "it answers 500 to manifests/1"),
        (Answers::Right, "judge/UPPER CASE", "it is no name of an image"),
    ] {
        let registry = serve(layout.path(), answers);
        let here = tempfile::tempdir().unwrap();
        let error = pull(&format!("{registry}/{name}"), None, here.path()).unwrap_err();
        assert!(matches!(error, ImageError::Bad { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(words) && !text.contains('\n'), "{text}");
        for part in ["roots", "partial", "blobs/sha256"] {
            let folder = here.path().join(part);
            assert!(!folder.exists() || fs::read_dir(&folder).unwrap().count() == 0, "{part} after {text}");
        }
    }
    // No process listens at that port.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = pull(&format!("{free}/judge/cpp:1"), None, Path::new("/nowhere")).unwrap_err();
    assert!(error.to_string().contains("Connection refused"), "{error}");
}

#[test]
fn credentials_are_read_from_a_file() {
    let layout = Layout::new().image(Some("1"), &[stored(Layer::new().file("file", "1"))]);
    let registry = serve(layout.path(), Answers::WithPassword);
    let here = tempfile::tempdir().unwrap();
    let secret = here.path().join("config.json");
    let name = format!("{registry}/judge/cpp:1");
    let pull = |password: &str| {
        let auth = base64(&format!("judge:{password}"));
        fs::write(&secret, format!(r#"{{"auths": {{"{registry}": {{"auth": "{auth}"}}}}}}"#)).unwrap();
        pull(&name, Some(&secret), &here.path().join("images"))
    };
    pull("secret").unwrap();
    let error = pull("wrong").unwrap_err().to_string();
    assert!(error.contains("that are right") && !error.contains("wrong"), "{error}");
    fs::write(&secret, "{}").unwrap();
    let error = pull_with(&name, &secret).unwrap_err().to_string();
    assert!(error.contains("has no credentials for 127.0.0.1"), "{error}");
    let error = pull_with(&name, &here.path().join("none")).unwrap_err().to_string();
    assert!(error.contains("cannot read the credentials in"), "{error}");
}

fn pull_with(name: &str, secret: &Path) -> Result<Image, ImageError> {
    pull(name, Some(secret), Path::new("/nowhere"))
}

/// The few texts of these tests need no padding rules but these.
fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.as_bytes().chunks(3).flat_map(|bytes| {
        let word =
            bytes.iter().enumerate().fold(0_u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        (0..4).map(
            move |at| if at <= bytes.len() { DIGITS[(word >> (18 - 6 * at)) as usize & 63] } else { b'=' },
        )
    });
    String::from_utf8(digits.collect()).unwrap()
}
