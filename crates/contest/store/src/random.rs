//! Random names that cannot be guessed.

pub fn token() -> Result<String, std::io::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(crate::blob::hex(&bytes))
}
