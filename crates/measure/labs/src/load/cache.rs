//! The size of the last-level cache; a memory load must be larger.

use model::Bytes;
use system::Roots;

/// If the kernel does not report it: as large as the largest caches of common machines.
const CACHE_UNKNOWN: Bytes = Bytes::from_mib(64);
/// A larger size in the file is an error that would use all memory.
const CACHE_MAX: Bytes = Bytes::from_mib(2048);

/// Returns the size of the first CPU's last-level cache, or a size that is larger than most.
pub(crate) fn last_cache(roots: &Roots) -> Bytes {
    let folder = roots.sys.join("devices/system/cpu/cpu0/cache");
    // The highest index is the last level; machines have at most level 4.
    let sizes =
        (0..8).filter_map(|index| std::fs::read_to_string(folder.join(format!("index{index}/size"))).ok());
    let largest = sizes.filter_map(|text| text.trim().parse::<Bytes>().ok()).max();
    largest.filter(|size| *size > Bytes(0)).unwrap_or(CACHE_UNKNOWN).min(CACHE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_cache_counts_and_an_unknown_one_is_taken_to_be_large() {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots { sys: folder.path().to_owned(), ..Roots::host() };
        assert_eq!(last_cache(&roots), CACHE_UNKNOWN);
        for (index, size) in [(0, "32K"), (2, "1024K"), (3, "36608K")] {
            let cache = folder.path().join(format!("devices/system/cpu/cpu0/cache/index{index}"));
            std::fs::create_dir_all(&cache).unwrap();
            std::fs::write(cache.join("size"), format!("{size}\n")).unwrap();
        }
        assert_eq!(last_cache(&roots), Bytes::from_kib(36_608));
    }
}
