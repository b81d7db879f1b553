//! Blobs and uploads.

use std::io::Read;
use std::time::Duration;

use store::{BlobError, BlobHash, Blobs, Owner, UNUSED_AGE, UploadId, UploadLimits};

use crate::Test;
use crate::place::StoreLocation;

pub const TESTS: &[Test] = &[
    ("a_blob_is_named_by_its_content", a_blob_is_named_by_its_content),
    ("a_range_is_cut", a_range_is_cut),
    (
        "contents_that_are_too_long_or_have_another_hash_are_not_kept",
        contents_that_are_too_long_or_have_another_hash_are_not_kept,
    ),
    ("a_sender_that_fails_leaves_nothing", a_sender_that_fails_leaves_nothing),
    ("an_upload_goes_on_where_it_stopped", an_upload_goes_on_where_it_stopped),
    ("an_upload_is_checked", an_upload_is_checked),
    ("an_owner_has_limits", an_owner_has_limits),
    ("there_are_not_too_many_uploads", there_are_not_too_many_uploads),
    ("only_old_unused_blobs_are_collected", only_old_unused_blobs_are_collected),
    ("many_threads_store_the_same", many_threads_store_the_same),
];

const NO_LIMIT: u64 = u64::MAX;

fn owner() -> Owner {
    Owner::named("somebody")
}

fn at_most(bytes: u64) -> UploadLimits {
    UploadLimits { bytes, of_owner: usize::MAX, bytes_of_owner: u64::MAX }
}

/// 3 MiB and a bit, different everywhere.
fn large() -> Vec<u8> {
    (0..800_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

fn put(blobs: &dyn Blobs, content: &[u8]) -> BlobHash {
    blobs.put(&mut &content[..], NO_LIMIT, None).unwrap().hash
}

fn a_blob_is_named_by_its_content(place: &StoreLocation) {
    let blobs = place.open().blobs;
    for content in [Vec::new(), b"abc".to_vec(), large()] {
        let hash = put(&*blobs, &content);
        assert_eq!(hash, BlobHash::of(&content));
        assert_eq!(put(&*blobs, &content), hash);
        assert_eq!(blobs.size(&hash).unwrap(), Some(content.len() as u64));
        assert!(blobs.read(&hash, NO_LIMIT).unwrap() == content);
    }
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(BlobHash::of(b"abc").to_string(), known);
    assert_eq!(known.parse(), Ok(BlobHash::of(b"abc")));
    let missing = BlobHash::of(b"missing");
    assert_eq!(blobs.size(&missing).unwrap(), None);
    assert!(matches!(blobs.get(&missing, None), Err(BlobError::NotFound(hash)) if hash == missing));
    let result = blobs.read(&BlobHash::of(b"abc"), 2);
    assert!(matches!(result, Err(BlobError::TooLarge { limit_bytes: 2 })));
}

fn a_range_is_cut(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let content = large();
    let hash = put(&*blobs, &content);
    let length = content.len() as u64;
    let check = |range: std::ops::Range<u64>, expect: std::ops::Range<u64>| {
        let mut reader = blobs.get(&hash, Some(range)).unwrap();
        assert_eq!((reader.range.clone(), reader.size_bytes), (expect.clone(), length));
        let mut part = Vec::new();
        reader.read_to_end(&mut part).unwrap();
        assert!(part == content[expect.start as usize..expect.end as usize]);
    };
    check(0..10, 0..10);
    check(1_048_570..1_048_580, 1_048_570..1_048_580);
    check(1_000_000..3_000_000, 1_000_000..3_000_000);
    check(length - 5..length + 5, length - 5..length);
    check(length + 5..length + 9, length..length);
    check(0..u64::MAX, 0..length);
}

fn contents_that_are_too_long_or_have_another_hash_are_not_kept(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let content = large();
    let length = content.len() as u64;
    let result = blobs.put(&mut &content[..], length - 1, None);
    assert!(matches!(result, Err(BlobError::TooLarge { limit_bytes }) if limit_bytes == length - 1));
    let other = BlobHash::of(b"other");
    let result = blobs.put(&mut &content[..], length, Some(&other));
    assert!(matches!(result, Err(BlobError::WrongHash { expected, .. }) if expected == other));
    assert_eq!(blobs.size(&BlobHash::of(&content)).unwrap(), None);
    assert_eq!(blobs.size(&other).unwrap(), None);
    blobs.put(&mut &content[..], length, Some(&BlobHash::of(&content))).unwrap();
}

/// A content that fails after its first part.
struct Failing(u64);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = buffer.len().min(self.0 as usize);
        buffer[..read].fill(b'x');
        self.0 -= read as u64;
        if read == 0 { Err(std::io::Error::other("the sender is gone")) } else { Ok(read) }
    }
}

fn a_sender_that_fails_leaves_nothing(place: &StoreLocation) {
    let blobs = place.open().blobs;
    for length in [10, 3 << 20] {
        let result = blobs.put(&mut Failing(length), NO_LIMIT, None);
        assert!(matches!(result, Err(BlobError::Content(_))));
    }
    assert_eq!(blobs.size(&BlobHash::of(&[b'x'; 10])).unwrap(), None);
}

fn an_upload_goes_on_where_it_stopped(place: &StoreLocation) {
    let content = large();
    let (hash, length) = (BlobHash::of(&content), content.len() as u64);
    let opened = place.open();
    let upload = opened.blobs.begin_upload(&owner(), &hash, length, &at_most(NO_LIMIT)).unwrap();
    assert_eq!(opened.blobs.append_upload(&upload, 0, &mut &content[..1_500_000]).unwrap(), 1_500_000);
    assert_eq!(
        opened.blobs.append_upload(&upload, 1_500_000, &mut &content[1_500_000..1_500_007]).unwrap(),
        1_500_007
    );
    drop(opened);
    let blobs = place.open().blobs;
    let status = blobs.upload(&upload).unwrap();
    assert_eq!((status.hash, status.size_bytes, status.received_bytes), (hash, length, 1_500_007));
    for offset in [0, 1_500_006, 1_500_008, length] {
        let result = blobs.append_upload(&upload, offset, &mut &content[..1]);
        assert!(matches!(result, Err(BlobError::WrongOffset { received_bytes: 1_500_007 })));
    }
    let result = blobs.finish_upload(&upload);
    assert!(matches!(result, Err(BlobError::Incomplete { received_bytes: 1_500_007, .. })));
    let rest = &content[1_500_007..];
    let too_much = [rest, b"x"].concat();
    let result = blobs.append_upload(&upload, 1_500_007, &mut &too_much[..]);
    assert!(matches!(result, Err(BlobError::TooLarge { .. })));
    // The pieces before the one that is too long were kept.
    let at = blobs.upload(&upload).unwrap().received_bytes;
    blobs.append_upload(&upload, at, &mut &content[at as usize..]).unwrap();
    assert_eq!(blobs.size(&hash).unwrap(), None);
    assert_eq!(blobs.finish_upload(&upload).unwrap().hash, hash);
    assert!(blobs.read(&hash, NO_LIMIT).unwrap() == content);
    assert!(matches!(blobs.upload(&upload), Err(BlobError::NoUpload)));
}

fn an_upload_is_checked(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let hash = BlobHash::of(b"right");
    let result = blobs.begin_upload(&owner(), &hash, 6, &at_most(5));
    assert!(matches!(result, Err(BlobError::TooLarge { limit_bytes: 5 })));
    let upload = blobs.begin_upload(&owner(), &hash, 5, &at_most(5)).unwrap();
    blobs.append_upload(&upload, 0, &mut &b"wrong"[..]).unwrap();
    let result = blobs.finish_upload(&upload);
    assert!(matches!(result, Err(BlobError::WrongHash { expected, .. }) if expected == hash));
    assert!(matches!(blobs.finish_upload(&upload), Err(BlobError::NoUpload)));
    let upload = blobs.begin_upload(&owner(), &hash, 5, &at_most(5)).unwrap();
    blobs.abandon_upload(&upload).unwrap();
    for id in [&upload.0, "", "../lock", "a-1-b"] {
        let result = blobs.upload(&UploadId(id.to_owned()));
        assert!(matches!(result, Err(BlobError::NoUpload)), "{id}");
    }
}

fn an_owner_has_limits(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let other = Owner::named("other");
    let limits = UploadLimits { bytes: 10, of_owner: 3, bytes_of_owner: 20 };
    let begin =
        |owner: &Owner, name: u8, size| blobs.begin_upload(owner, &BlobHash::of(&[name]), size, &limits);
    let first = begin(&owner(), 0, 10).unwrap();
    assert_eq!(blobs.upload(&first).unwrap().owner, owner());
    blobs.append_upload(&first, 0, &mut &b"12345"[..]).unwrap();
    assert_eq!(begin(&owner(), 0, 10).unwrap(), first, "it goes on");
    assert_ne!(begin(&other, 0, 10).unwrap(), first, "another owner begins anew");
    let second = begin(&owner(), 1, 9).unwrap();
    let full = begin(&owner(), 2, 2);
    assert!(matches!(full, Err(BlobError::OwnerFull { uploads: 2, bytes: 19 })), "{full:?}");
    begin(&owner(), 3, 1).unwrap();
    let full = begin(&owner(), 4, 0);
    assert!(matches!(full, Err(BlobError::OwnerFull { uploads: 3, bytes: 20 })), "{full:?}");
    begin(&other, 4, 0).unwrap();
    blobs.abandon_upload(&second).unwrap();
    begin(&owner(), 4, 0).unwrap();
}

fn there_are_not_too_many_uploads(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let begin =
        |number: usize| blobs.begin_upload(&owner(), &BlobHash::of(&number.to_le_bytes()), 5, &at_most(5));
    let uploads: Vec<_> = (0..store::UPLOADS_MAX).map(|number| begin(number).unwrap()).collect();
    assert!(matches!(begin(uploads.len()), Err(BlobError::TooManyUploads(_))));
    blobs.abandon_upload(&uploads[0]).unwrap();
    begin(uploads.len()).unwrap();
}

fn only_old_unused_blobs_are_collected(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let (used, unused) = (put(&*blobs, b"used"), put(&*blobs, &large()));
    let is_used = |hash: &BlobHash| *hash == used;
    assert_eq!(blobs.collect(&is_used, UNUSED_AGE).unwrap().blobs, 0);
    let collected = blobs.collect(&is_used, Duration::ZERO).unwrap();
    assert_eq!((collected.blobs, collected.bytes, collected.uploads), (1, 3_200_000, 0));
    assert_eq!((blobs.size(&unused).unwrap(), blobs.renew(&unused).unwrap()), (None, None));
    assert_eq!(blobs.renew(&used).unwrap(), Some(4));
    assert_eq!(blobs.read(&used, 4).unwrap(), b"used");
    assert_eq!(put(&*blobs, &large()), unused);
    assert!(blobs.read(&unused, NO_LIMIT).unwrap() == large());
}

fn many_threads_store_the_same(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let content = large();
    std::thread::scope(|scope| {
        for thread in 0..6_u8 {
            let (blobs, content) = (&*blobs, &content);
            scope.spawn(move || {
                let hash = put(blobs, content);
                assert!(blobs.read(&hash, NO_LIMIT).unwrap() == *content);
                put(blobs, &[thread; 1000]);
                // Nothing that another thread has just stored goes away.
                blobs.collect(&|_| false, UNUSED_AGE).unwrap();
            });
        }
    });
    assert!(blobs.size(&BlobHash::of(&[3; 1000])).unwrap().is_some());
}
