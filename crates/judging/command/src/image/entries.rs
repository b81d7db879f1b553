//! What commands about images share: the store, names, and documents.

use documents::{ImageEntry, ImageReport};
use images::{Image, ImageError, Limits, Store, Unpacked};
use std::path::Path;
use terminal::failure::input_with_hint;
use terminal::interrupt::Interrupt;

pub fn existing(folder: &Path) -> anyhow::Result<Store> {
    Store::find(folder, Limits::default())?.ok_or_else(|| {
        input_with_hint(
            format!("there are no images in {}", folder.display()),
            "'tauto image import' gets one, 'tauto image build' makes one",
        )
    })
}

/// Returns the signal that stopped what was done, if that is why it failed.
pub fn or_signal(interrupt: &Interrupt, error: ImageError) -> anyhow::Error {
    match (interrupt.check(), error) {
        (Err(signal), ImageError::Stopped) => signal.into(),
        (_, error) => error.into(),
    }
}

pub fn entry(image: &Image) -> ImageEntry {
    ImageEntry {
        names: image.names.iter().cloned().collect(),
        digest: image.digest.to_string(),
        entries: image.entries,
        bytes: image.bytes.0,
        compressed_bytes: image.compressed.0,
        layers: image.layers as u64,
    }
}

pub fn report(store: &Store, image: &Image, unpacked: Option<Unpacked>) -> ImageReport {
    ImageReport {
        store: store.folder().display().to_string(),
        image: entry(image),
        unpacked: unpacked.is_some(),
        left_out: unpacked.map_or(0, |unpacked| unpacked.left_out),
        differences: Vec::new(),
        pushed: None,
    }
}
