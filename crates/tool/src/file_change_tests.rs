//! Content hashes as text.

use super::*;

#[test]
fn a_hash_reads_what_it_writes_and_refuses_everything_else() {
    let hash = ContentHash::from_bytes([0xab; 32]);
    assert_eq!(hash.to_string(), "ab".repeat(32));
    assert_eq!(hash.to_string().parse(), Ok(hash));
    assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{hash}\""));
    assert_eq!(serde_json::from_str::<ContentHash>(&format!("\"{hash}\"")).unwrap(), hash);
    let bad =
        ["".to_owned(), "ab".repeat(31), "ab".repeat(33), "+a".repeat(32), "zz".repeat(32), "é".repeat(32)];
    for text in bad {
        assert!(text.parse::<ContentHash>().is_err(), "{text}");
    }
}
