//! Limits of what one run can be given. Readers of packages report early what the sandbox would refuse late.

/// Bytes of the message that asks for a run: arguments, environment, names. The kernel's default socket buffer
/// holds about 200 KiB.
pub const REQUEST_BYTES_MAX: usize = 160 << 10;
/// Descriptors next to it: the kernel's own bound (`SCM_MAX_FD`).
pub const REQUEST_DESCRIPTORS_MAX: usize = 253;

/// Files of a test case that lie in the working directory. Each is one descriptor; the others are input, output, a
/// control group, the program, and what a checker sees.
pub const CASE_FILES_MAX: usize = REQUEST_DESCRIPTORS_MAX - 13;
/// Bytes of the names of these files together.
pub const CASE_FILE_NAMES_BYTES_MAX: usize = 32 << 10;
/// Bytes of the arguments that one field or file of a package gives to a program, with a byte for the end of each.
/// A program can get those of two, and names of files, in one request.
pub const ARGUMENTS_BYTES_MAX: usize = 48 << 10;
/// Bytes of the names of a program's source files together, with their folders: some languages get all of them as
/// arguments.
pub const SOURCE_NAMES_BYTES_MAX: usize = 16 << 10;
/// Bytes of the links by which a program finds its own files in its working directory, names and targets together.
pub const PROGRAM_LINKS_BYTES_MAX: usize = 36 << 10;
