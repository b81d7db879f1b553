//! What traces of other programs do not say of themselves.

use ::noise::TickRate;
use ::noise::format::Foreign;
use clap::{Args, ValueEnum};

// Traces of other programs.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct TraceArguments {
    /// The format of a trace of another program; by default its content decides
    #[arg(long, value_name = "NAME", value_enum)]
    pub format: Option<TraceFormat>,
    /// The rate of the counter that the numbers of an FWQ file are in, such as 2.4GHz; by default they are nanoseconds
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub clock: Option<TickRate>,
}

/// Formats of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// Text of the kernel's tracer osnoise or timerlat with its events
    Osnoise,
    /// A file of sysjitter --raw
    Sysjitter,
    /// A file of netgauge's pattern noise
    Netgauge,
    /// A file of FTQ: a time and a count in each line
    Ftq,
    /// A file of FWQ: the length of a call in each line
    Fwq,
}

impl From<TraceFormat> for Foreign {
    fn from(format: TraceFormat) -> Self {
        match format {
            TraceFormat::Osnoise => Self::Osnoise,
            TraceFormat::Sysjitter => Self::Sysjitter,
            TraceFormat::Netgauge => Self::Netgauge,
            TraceFormat::Ftq => Self::Ftq,
            TraceFormat::Fwq => Self::Fwq,
        }
    }
}

fn rate(text: &str) -> Result<TickRate, String> {
    let units = [("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3), ("Hz", 1.0)];
    let rate = units.iter().find_map(|(unit, factor)| {
        let number: f64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * factor)
    });
    match rate {
        Some(rate) if (1e3..=1e12).contains(&rate) => Ok(TickRate(rate)),
        Some(_) => Err(format!("the rate '{text}' is out of range; give from 1kHz to 1000GHz")),
        None => Err(format!("the rate '{text}' is not a number with Hz, kHz, MHz or GHz, such as 2.4GHz")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_units() {
        assert_eq!(rate("2.4GHz"), Ok(TickRate(2.4e9)));
        assert_eq!(rate("512000000 Hz"), Ok(TickRate(512e6)));
        for wrong in ["2.4", "2.4 parsecs", "-1GHz", "0Hz", "NaNGHz", ""] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
