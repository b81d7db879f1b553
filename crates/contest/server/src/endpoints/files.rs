//! Files of objects.

use crate::attachments::FILE_BYTES_MAX;
use crate::handlers::files;
use crate::routes::{Routes, delete, get, put};

const OF_OBJECT: &str = "/{endpoint}/{id}/files/{property}/{filename}";
const OF_CONTEST: &str = "/files/{property}/{filename}";

pub fn add(routes: Routes) -> Routes {
    let max = usize::try_from(FILE_BYTES_MAX).unwrap_or(usize::MAX);
    routes
        .below("/api/contests/{contest}")
        .add(
            get(OF_OBJECT, "A file of an organization, a team, a person or a submission.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            files::get,
        )
        .add(
            put(OF_OBJECT, "Sets a file of such an object.")
                .query("tag", "What it is good for, such as `light,dark`.")
                .takes_bytes("application/octet-stream", max)
                .unlimited_time(),
            files::put,
        )
        .add(delete(OF_OBJECT, "Removes a file of such an object."), files::remove)
        .add(
            get(OF_CONTEST, "A file of the contest.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            files::get,
        )
        .add(
            put(OF_CONTEST, "Sets a file of the contest.")
                .query("tag", "What it is good for, such as `light,dark`.")
                .takes_bytes("application/octet-stream", max)
                .unlimited_time(),
            files::put,
        )
        .add(delete(OF_CONTEST, "Removes a file of the contest."), files::remove)
}
