//! Settings that cannot be changed on a running system, in words and for the documents.

use settings::Advice;
use terminal::Report;

pub(super) fn add_to(report: &mut Report, advice: &Advice) {
    if let Some(boot) = &advice.boot {
        report.section("Kernel command line, from the next start on; add:");
        let mut text = format!("    {}\n", boot.parameters);
        for (loader, lines) in [("GRUB", &boot.grub), ("systemd-boot", &boot.systemd_boot)] {
            text.push_str(&format!("  with {loader}:\n"));
            text.extend(lines.iter().map(|line| format!("    {line}\n")));
        }
        report.code(&text);
    }
    report.section("Firmware");
    report.sentences(advice.firmware.iter().map(|line| (*line).to_owned()).collect());
}

pub(super) fn wire(advice: &Advice) -> (Option<documents::BootAdvice>, Vec<String>) {
    let boot = advice.boot.as_ref().map(|boot| documents::BootAdvice {
        parameters: boot.parameters.clone(),
        grub: boot.grub.clone(),
        systemd_boot: boot.systemd_boot.clone(),
    });
    (boot, advice.firmware.iter().map(|line| (*line).to_owned()).collect())
}
