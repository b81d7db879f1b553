//! Several PDF documents as one.

mod load;

use load::Budget;
use lopdf::{Document, Object, ObjectId, dictionary};

/// Pages of all documents; more is no problem set.
const PAGES_MAX: usize = 5000;
/// Of all documents; each is there alone as well.
const BYTES_MAX: usize = 64 << 20;

#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    #[error("document {0} cannot be read: {1}")]
    Unreadable(usize, lopdf::Error),
    #[error("document {0} is encrypted")]
    Encrypted(usize),
    #[error("document {0} has too many objects or updates for its size")]
    TooComplex(usize),
    #[error("the documents have more than {} MiB: ask for each", BYTES_MAX >> 20)]
    TooLong,
    #[error("the documents have {0} pages")]
    Pages(usize),
    #[error("the result cannot be written: {0}")]
    Unwritten(std::io::Error),
}

/// Returns documents one after the other, in one.
pub fn join(documents: &[Vec<u8>]) -> Result<Vec<u8>, PdfError> {
    let bytes = documents.iter().map(Vec::len).sum();
    if bytes > BYTES_MAX {
        return Err(PdfError::TooLong);
    }
    let mut budget = Budget::of(bytes);
    let mut joined = Document::with_version("1.7");
    let root = joined.new_object_id();
    let mut kids = Vec::new();
    for (number, bytes) in (1..).zip(documents) {
        let mut document = budget.load(number, bytes)?;
        if document.is_encrypted() {
            return Err(PdfError::Encrypted(number));
        }
        document.renumber_objects_with(joined.max_id + 1);
        joined.max_id = joined.max_id.max(document.max_id);
        let pages: Vec<ObjectId> = document.get_pages().into_values().collect();
        for page in &pages {
            inherit(&mut document, *page);
            if let Ok(page) = document.get_object_mut(*page).and_then(Object::as_dict_mut) {
                page.set("Parent", root);
            }
        }
        kids.extend(pages);
        if kids.len() > PAGES_MAX {
            return Err(PdfError::Pages(kids.len()));
        }
        let is_frame = |object: &Object| {
            object
                .type_name()
                .is_ok_and(|name| matches!(name, b"Catalog" | b"Pages" | b"Outlines" | b"ObjStm" | b"XRef"))
        };
        joined.objects.extend(document.objects.into_iter().filter(|(_, object)| !is_frame(object)));
    }
    if kids.is_empty() {
        return Err(PdfError::Pages(0));
    }
    let count = i64::try_from(kids.len()).unwrap_or(i64::MAX);
    let kids: Vec<Object> = kids.into_iter().map(Object::Reference).collect();
    joined.objects.insert(root, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
    let catalog = joined.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    joined.trailer.set("Root", catalog);
    joined.prune_objects();
    joined.compress();
    let mut bytes = Vec::new();
    joined.save_to(&mut bytes).map_err(PdfError::Unwritten)?;
    Ok(bytes)
}

/// Gives a page what it has from the nodes above, which are not kept.
fn inherit(document: &mut Document, page: ObjectId) {
    const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];
    /// A damaged document can have a node above itself.
    const DEPTH_MAX: usize = 64;
    let mut found = Vec::new();
    for name in INHERITED {
        let mut at = page;
        for _ in 0..DEPTH_MAX {
            let Ok(node) = document.get_dictionary(at) else { break };
            if let Ok(value) = node.get(name) {
                found.push((name, value.clone()));
                break;
            }
            match node.get(b"Parent").and_then(Object::as_reference) {
                Ok(parent) => at = parent,
                Err(_) => break,
            }
        }
    }
    if let Ok(page) = document.get_object_mut(page).and_then(Object::as_dict_mut) {
        for (name, value) in found {
            page.set(name, value);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lopdf::Stream;

    /// Returns a document of `pages` pages, whose size is set above them.
    pub fn sample(pages: usize, text: &str) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let root = document.new_object_id();
        let font = document
            .add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" });
        let fonts = dictionary! { "Font" => dictionary! { "F1" => font } };
        let kids: Vec<Object> = (0..pages)
            .map(|_| {
                let words = format!("BT /F1 24 Tf 72 700 Td ({text}) Tj ET");
                let content = document.add_object(Stream::new(dictionary! {}, words.into_bytes()));
                let page = dictionary! { "Type" => "Page", "Parent" => root, "Contents" => content };
                document.add_object(page).into()
            })
            .collect();
        let tree = dictionary! {
            "Type" => "Pages", "Kids" => kids, "Count" => pages as i64, "Resources" => fonts,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        };
        document.objects.insert(root, tree.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn pages_come_one_after_the_other() {
        let joined = join(&[sample(2, "first"), sample(1, "second"), sample(3, "third")]).unwrap();
        let read = Document::load_mem(&joined).unwrap();
        assert_eq!(read.get_pages().len(), 6);
        let text = |page: u32| read.extract_text(&[page]).unwrap();
        assert!(text(2).contains("first") && text(3).contains("second") && text(6).contains("third"));
        for id in read.get_pages().into_values() {
            assert!(read.get_dictionary(id).unwrap().has(b"MediaBox"));
        }
        assert_eq!(joined, join(&[sample(2, "first"), sample(1, "second"), sample(3, "third")]).unwrap());
    }

    #[test]
    fn malformed_pdf_is_refused() {
        assert!(matches!(join(&[b"no".to_vec()]), Err(PdfError::Unreadable(1, _))));
        assert!(matches!(join(&[]), Err(PdfError::Pages(0))));
    }
}
