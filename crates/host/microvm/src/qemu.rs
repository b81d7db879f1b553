//! The hypervisor, QEMU: whether it is there, and how it is called.

use crate::wire::{PORT, PROGRAM};
use model::Bytes;
use rustix::fs::{Access, AtFlags, CWD};
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const QEMU: &str = "/usr/bin/qemu-system-x86_64";
const KVM: &str = "/dev/kvm";
/// Others' permission to read and write.
const ALL_MAY_USE: u32 = 0o006;
/// Memory for translated code, where the processor is emulated.
const TRANSLATED: Bytes = Bytes::from_mib(64);
/// What QEMU needs besides the guest's memory, and the translated code.
pub const OWN_MEMORY: Bytes = Bytes(TRANSLATED.0 + Bytes::from_mib(192).0);
/// Where the guest's kernel, its first files and its disk are in the hypervisor's container.
pub const FILES: &str = "/program";
pub const KERNEL: &str = "vmlinuz";
pub const INITRAMFS: &str = "initramfs";
pub const DISK: &str = "/box/disk";
pub const STATE: &str = "/box/state";
/// Where a machine writes that is to become a template.
pub const OUT: &str = "/box/out";
pub const HELLO: &str = "hello";
pub const SAVED: &str = "state";

/// What executes the guest's instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// The processor.
    Kvm,
    /// QEMU's translator, many times as slowly; with why it is not the processor.
    Emulated { why: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypervisor {
    pub path: PathBuf,
    pub accelerator: Accelerator,
}

/// The size of a machine, by which templates are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub memory: Bytes,
    pub cpus: u32,
}

/// What a machine is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be saved when it is ready.
    Template,
    /// To run something, from the state of a template.
    Run,
}

impl Hypervisor {
    /// # Errors
    /// With why there is none.
    pub fn find() -> Result<Self, String> {
        let path = Path::new(QEMU);
        if !path.is_file() {
            return Err(format!("{QEMU} is missing"));
        }
        Ok(Self { path: path.to_owned(), accelerator: Accelerator::find() })
    }

    /// Returns the command line. The same for a template and for a run, but for where the port leads and where the state comes from:
    /// else the state would not fit.
    pub fn command(&self, size: Size, purpose: Purpose) -> Vec<String> {
        let mut argv = vec![self.path.to_string_lossy().into_owned()];
        let mut add = |words: &[&str]| argv.extend(words.iter().map(|word| (*word).to_owned()));
        add(&["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-nic", "none"]);
        // The same for every template, whose age would else show in the times of its devices.
        add(&["-rtc", "base=2020-01-01T00:00:00"]);
        match self.accelerator {
            Accelerator::Kvm => add(&["-accel", "kvm", "-cpu", "host"]),
            Accelerator::Emulated { .. } => {
                // With several threads, some versions stop at times.
                let threads = if size.cpus > 1 { "single" } else { "multi" };
                let buffer = TRANSLATED.0 >> 20;
                add(&["-accel", &format!("tcg,thread={threads},tb-size={buffer}"), "-cpu", "max"]);
            }
        }
        let memory = size.memory.0 >> 20;
        add(&["-M", "q35,smm=off,hpet=off,usb=off,sata=off,smbus=off,memory-backend=memory"]);
        add(&["-m", &format!("{memory}M"), "-smp", &size.cpus.to_string()]);
        add(&["-object", &format!("memory-backend-ram,id=memory,size={memory}M")]);
        add(&["-kernel", &format!("{FILES}/{KERNEL}"), "-initrd", &format!("{FILES}/{INITRAMFS}")]);
        add(&["-append", &guest_options()]);
        // What the guest's kernel says goes where QEMU says what is wrong.
        add(&["-chardev", "file,id=console,path=/dev/stderr", "-serial", "chardev:console"]);
        add(&[
            "-device",
            "virtio-serial-pci",
            "-device",
            &format!("virtserialport,chardev=port,name={PORT}"),
        ]);
        // Locks on files are not for runs.
        add(&["-drive", &format!("id=disk,file={DISK},format=raw,if=none,readonly=on,file.locking=off")]);
        add(&["-device", "virtio-blk-pci,drive=disk"]);
        match purpose {
            Purpose::Template => {
                add(&["-chardev", &format!("file,id=port,path={OUT}/{HELLO}"), "-qmp", "stdio"]);
            }
            Purpose::Run => {
                add(&["-chardev", "stdio,id=port,signal=off", "-incoming", &format!("exec:cat {STATE}")]);
            }
        }
        argv
    }
}

/// The options of the guest's kernel. One program runs in it, which could only spy on itself, so no mitigation costs time.
fn guest_options() -> String {
    format!(
        "console=ttyS0 quiet loglevel=3 rdinit=/{PROGRAM} panic=-1 mitigations=off cgroup_no_v1=all random.trust_cpu=on"
    )
}

impl Accelerator {
    fn find() -> Self {
        Self::of(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default(), Path::new(KVM))
    }

    fn of(cpuinfo: &str, device: &Path) -> Self {
        let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        let virtualises = flags.split_whitespace().any(|flag| flag == "vmx" || flag == "svm");
        let emulated = |why: String| Self::Emulated { why };
        if !virtualises {
            return emulated("the processor shows no virtualisation (vmx, svm)".to_owned());
        }
        let Ok(found) = device.metadata() else {
            return emulated(format!("{} is missing", device.display()));
        };
        // The hypervisor is an ordinary user.
        if found.permissions().mode() & ALL_MAY_USE != ALL_MAY_USE {
            return emulated(format!("{0} is not for all users ('chmod o+rw {0}')", device.display()));
        }
        match rustix::fs::accessat(CWD, device, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS) {
            Ok(()) => Self::Kvm,
            Err(error) => emulated(format!("{} cannot be used: {error}", device.display())),
        }
    }

    /// Returns the device that it needs.
    pub fn device(&self) -> Option<&'static Path> {
        matches!(self, Self::Kvm).then_some(Path::new(KVM))
    }
}

impl fmt::Display for Accelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kvm => "kvm",
            Self::Emulated { .. } => "tcg",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_used_where_it_can_be() {
        let why = |cpuinfo: &str, device: &Path| match Accelerator::of(cpuinfo, device) {
            Accelerator::Kvm => "kvm".to_owned(),
            Accelerator::Emulated { why } => why,
        };
        let (intel, none) = ("flags\t\t: fpu vmx avx\n", "flags\t\t: fpu avx svme\n");
        assert_eq!(why(intel, Path::new("/dev/null")), "kvm");
        assert!(why(none, Path::new("/dev/null")).contains("no virtualisation"));
        assert_eq!(why(intel, Path::new("/dev/none")), "/dev/none is missing");
        let private = tempfile::NamedTempFile::new().unwrap();
        assert!(why(intel, private.path()).contains("chmod o+rw"));
    }

    #[test]
    fn a_template_and_its_runs_are_the_same_machine() {
        let hypervisor =
            Hypervisor { path: "/bin/q".into(), accelerator: Accelerator::Emulated { why: String::new() } };
        let size = Size { memory: Bytes::from_mib(512), cpus: 1 };
        let [template, run] =
            [Purpose::Template, Purpose::Run].map(|purpose| hypervisor.command(size, purpose));
        let same = template.iter().zip(&run).take_while(|(a, b)| a == b).count();
        assert_eq!(template[same..], ["file,id=port,path=/box/out/hello", "-qmp", "stdio"]);
        assert_eq!(run[same..], ["stdio,id=port,signal=off", "-incoming", "exec:cat /box/state"]);
        assert!(run.windows(2).any(|pair| pair == ["-nic", "none"]), "no network");
    }
}
