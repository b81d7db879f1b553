//! The sizes of pictures.

/// Returns width and height of a picture; of an SVG those of its viewport.
pub fn size(mime: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    if mime == "image/svg+xml" {
        return svg_size(std::str::from_utf8(bytes).ok()?);
    }
    let size = imagesize::blob_size(bytes).ok()?;
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

fn svg_size(text: &str) -> Option<(u32, u32)> {
    let start = text.find("<svg")?;
    let tag = &text[start..start + text[start..].find('>')?];
    let value = |name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}="))?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next()
    };
    let pixels = |text: &str| {
        let number: f64 = text.trim().trim_end_matches("px").parse().ok()?;
        (0.5..1e6).contains(&number).then_some(number.round() as u32)
    };
    if let (Some(width), Some(height)) = (value("width").and_then(pixels), value("height").and_then(pixels)) {
        return Some((width, height));
    }
    let numbers: Vec<u32> = value("viewBox")?.split([' ', ',']).filter_map(pixels).collect();
    match numbers[..] {
        [.., width, height] => Some((width, height)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_svg_has_a_viewport() {
        let svg = |attributes: &str| size("image/svg+xml", format!("<svg{attributes}></svg>").as_bytes());
        assert_eq!(svg(" width=\"10\" height='20px'"), Some((10, 20)));
        assert_eq!(svg(" viewBox=\"0 0 56 57.4\""), Some((56, 57)));
        assert_eq!(svg(" width=\"100%\" height=\"100%\" viewBox=\"0,0,5,6\""), Some((5, 6)));
        assert_eq!(svg(""), None);
        assert_eq!(size("image/png", b"no"), None);
    }
}
