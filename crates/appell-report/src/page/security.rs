//! The page's content-security policy: nothing is loaded, and only what is named by its hash runs.

use sha2::{Digest, Sha256};

/// `sha256-..` of a text, as a policy names an inline script or style.
pub(crate) fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

/// The SHA-256 of a text in hexadecimal digits.
pub fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The policy of a page with one inline style and one inline script; its font stands in the
/// style, and its pictures are made by the script.
pub(crate) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

/// A text deflated (RFC 1951), in the letters of RFC 4648, section 5: for the address of the lab.
pub fn packed(text: &str) -> String {
    let bytes = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9);
    let base64 = base64(&bytes);
    base64
        .trim_end_matches('=')
        .replace('+', "-")
        .replace('/', "_")
}

/// Base64 as in RFC 4648, section 4.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        let rows = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, expected) in rows {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_packed_text_has_letters_of_addresses_only() {
        let text: String = (0..500)
            .map(|i| char::from(b' ' + (i * i % 90) as u8))
            .collect();
        let packed = packed(&text);
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(
            packed.chars().all(letters) && packed.contains(['-', '_']),
            "{packed}"
        );
    }

    #[test]
    fn the_hash_of_nothing_is_known() {
        assert_eq!(
            hash(""),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        );
    }
}
