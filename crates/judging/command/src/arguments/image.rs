//! Arguments of `tauto image`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const IMPORT_EXAMPLES: &str = "\
A SOURCE is oci:PATH for an OCI image layout, a folder or an archive, with :NAME after it where it has several images; \
or the name of an image in a registry, such as registry.example.org/judge/cpp:2026-1. Devices, owners, and the bits that \
give rights are left out. What is there already is not copied again.

Exit code: 0, or 2 if the image cannot be used; 3 internal or system error.

Examples:
  sudo tauto image import oci:cpp.tar
  sudo tauto image import oci:build/layout:cpp -t judge/cpp:2026-1
  sudo tauto image import registry.example.org/judge/cpp:2026-1";

const VERIFY_EXAMPLES: &str = "\
Each layer is compared with its digest, and the root with another one that is made of the layers.

Exit code: 0 if all is as the digest says, 1 if something is not, 2 wrong usage, 3 internal or system error.

Example:
  sudo tauto image verify judge/cpp:2026-1";

const EXPORT_EXAMPLES: &str = "\
The file is an OCI image layout; 'tauto image import oci:FILE' reads it on another machine.

Exit code: 0, or 2 if there is no such image or the file cannot be written; 3 internal or system error.

Example:
  sudo tauto image export judge/cpp:2026-1 cpp.tar";

const PUSH_EXAMPLES: &str = "\
What the registry has already is not sent again. One of this machine (localhost, 127.0.0.1) is asked without TLS.

Exit code: 0, or 2 if there is no such image or the registry does not take it; 3 internal or system error.

Examples:
  sudo tauto image push judge/cpp:2026-1 registry.example.org/judge/cpp:2026-1";

const SHOW_EXAMPLES: &str = "\
Compilers and interpreters of the image are asked for their versions, in the sandbox.

Exit code: 0, or 2 if there is no such image; 3 internal or system error.

Examples:
  sudo tauto image show judge/cpp:2026-1
  sudo tauto image show judge/cpp:2026-1 --sbom cpp.spdx.json";

/// What to do with images.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ImageCommand {
    /// Build an image from a Dockerfile, without a daemon, and import it
    #[command(after_help = BUILD_EXAMPLES)]
    Build(BuildArguments),
    /// Import an image and unpack it, once
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportArguments),
    /// List the images
    List(StoreArguments),
    /// Show what is in an image: languages with the versions of their compilers, and packages
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowArguments),
    /// Check that an image is what its digest says
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(NamedArguments),
    /// Write an image into a file
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Send an image to a registry, from which judgehosts fetch it by its digest
    #[command(after_help = PUSH_EXAMPLES)]
    Push(PushArguments),
    /// Take the name from an image, or all of its names if its digest is given; 'prune' then removes what has no name
    Remove(NamedArguments),
    /// Remove what no image needs, and what a killed import left
    Prune(StoreArguments),
}

const BUILD_EXAMPLES: &str = "\
Its instructions run as root of a container, so build on a machine where no time is measured and that has no secrets. The same \
Dockerfile, base and files give the same digest: times are those of SOURCE_DATE_EPOCH, or 0. Name bases by digest \
(FROM debian@sha256:...), and fix versions of packages.

Exit code: 0, 1 if an instruction fails or the image is not as --lock says, 2 wrong usage, 3 internal or system error.

Examples:
  sudo tauto image build my-image -t judge/cpp:2026-1 --lock my-image/image.lock.json
  sudo tauto image build . -t judge/cpp:2026-2 --build-arg VERSION=14 --push registry.example.org/judge/cpp:2026-2";

// Where the images are.
#[derive(Clone, Debug, Args)]
pub struct StoreArguments {
    /// Folder with the images; by default TAUTO_IMAGES, else /var/lib/tauto/images
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl StoreArguments {
    pub fn folder(&self) -> PathBuf {
        self.store.clone().unwrap_or_else(usual_store)
    }
}

/// Returns the folder in which images are if no other is named.
pub fn usual_store() -> PathBuf {
    let named = std::env::var_os("TAUTO_IMAGES").filter(|folder| !folder.is_empty());
    named.map_or_else(|| PathBuf::from("/var/lib/tauto/images"), PathBuf::from)
}

// An image in place of the host's toolchains.
#[derive(Clone, Debug, Default, Args)]
pub struct ImageArguments {
    /// Image that is seen instead of the host's toolchains, by its name or digest, see 'tauto image list'
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// What is between a run and this machine
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub isolation: IsolationName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IsolationName {
    /// A container, on this machine's kernel
    #[default]
    Container,
    /// A virtual machine for each run, with a kernel of its own (docs/microvm.md); needs an image
    Microvm,
}

// What a run sees in place of the host's toolchains.
#[derive(Clone, Debug, Default, Args)]
pub struct RootArguments {
    /// Root file system tree that is seen instead of the host's toolchains
    #[arg(long, value_name = "TREE", conflicts_with = "image")]
    pub root: Option<PathBuf>,
    /// Or an image.
    #[command(flatten)]
    pub image: ImageArguments,
}

// Options of `tauto image import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// oci:PATH[:NAME], or the name of an image in a registry
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// Its name here; by default the name that it has there
    #[arg(short = 't', long, value_name = "NAME")]
    pub tag: Option<String>,
    /// Credentials of registries, as Docker's config.json has them; by default those of the user
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// See --store.
    #[command(flatten)]
    pub store: StoreArguments,
}

// Options of commands about one image.
#[derive(Debug, Args)]
pub struct NamedArguments {
    /// Name, digest, or the first digits of a digest
    #[arg(value_name = "IMAGE")]
    pub image: String,
    /// See --store.
    #[command(flatten)]
    pub store: StoreArguments,
}

// Options of `tauto image show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// See IMAGE.
    #[command(flatten)]
    pub named: NamedArguments,
    /// Also write its packages into this file, as an SBOM in SPDX 2.3
    #[arg(long, value_name = "FILE")]
    pub sbom: Option<PathBuf>,
}

// Options of `tauto image export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// See IMAGE.
    #[command(flatten)]
    pub named: NamedArguments,
    /// The archive that is written
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

// Options of `tauto image push`.
#[derive(Debug, Args)]
pub struct PushArguments {
    /// See IMAGE.
    #[command(flatten)]
    pub named: NamedArguments,
    /// The registry and the name there
    #[arg(value_name = "REGISTRY/NAME")]
    pub to: String,
    /// Credentials of registries, as Docker's config.json has them; by default those of the user
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
}

/// What builds an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// buildah if it is installed, else kaniko
    #[default]
    Auto,
    Buildah,
    /// kaniko's executor: 'kaniko' in PATH, or /kaniko/executor
    Kaniko,
}

// Options of `tauto image build`.
#[derive(Debug, Args)]
pub struct BuildArguments {
    /// Folder with what the Dockerfile copies
    #[arg(value_name = "CONTEXT")]
    pub context: PathBuf,
    /// Name of the image here
    #[arg(short = 't', long, value_name = "NAME")]
    pub tag: String,
    /// The Dockerfile; by default Dockerfile or Containerfile in CONTEXT
    #[arg(short = 'f', long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What builds it
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t)]
    pub engine: EngineName,
    /// Value of an ARG of the Dockerfile
    #[arg(long = "build-arg", value_name = "NAME=VALUE")]
    pub build_arguments: Vec<String>,
    /// Write what is in the image into FILE; if the file is there and says something else, list what differs and exit with 1
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
    /// Also push it to a registry, under this name
    #[arg(long, value_name = "REGISTRY/NAME")]
    pub push: Option<String>,
    /// Credentials of registries, as Docker's config.json has them
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// See --store.
    #[command(flatten)]
    pub store: StoreArguments,
}
