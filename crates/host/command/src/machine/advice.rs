//! Settings that cannot be changed on a running system, in words and for the documents.

use settings::Advice;
use terminal::prose;

pub(super) fn render(advice: &Advice) -> String {
    let mut text = String::new();
    if let Some(boot) = &advice.boot {
        text.push_str("Kernel command line, from the next start on; add:\n");
        text.push_str(&format!("    {}\n", boot.parameters));
        for (loader, lines) in [("GRUB", &boot.grub), ("systemd-boot", &boot.systemd_boot)] {
            text.push_str(&format!("  with {loader}:\n"));
            text.extend(lines.iter().map(|line| format!("    {line}\n")));
        }
        text.push('\n');
    }
    text.push_str("Firmware:\n");
    text.extend(advice.firmware.iter().map(|line| prose("    ", 6, line)));
    text
}

pub(super) fn wire(advice: &Advice) -> (Option<documents::BootAdvice>, Vec<String>) {
    let boot = advice.boot.as_ref().map(|boot| documents::BootAdvice {
        parameters: boot.parameters.clone(),
        grub: boot.grub.clone(),
        systemd_boot: boot.systemd_boot.clone(),
    });
    (boot, advice.firmware.iter().map(|line| (*line).to_owned()).collect())
}
