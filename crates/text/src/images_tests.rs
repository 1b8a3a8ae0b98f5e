//! Sizes of images and the sequences that draw them.

use super::*;

#[test]
fn sizes_are_read_from_the_first_bytes() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x80rest";
    assert_eq!(image_size(png), Some(ImageSize { width: 256, height: 128 }));
    assert_eq!(image_size(b"GIF89a\x0a\0\x14\0"), Some(ImageSize { width: 10, height: 20 }));
    let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 50, 0, 100, 3];
    assert_eq!(image_size(&jpeg), Some(ImageSize { width: 100, height: 50 }));
    for end in 0..png.len().min(23) {
        assert_eq!(image_size(&png[..end]), None, "cut after {end}");
    }
    for end in 0..16 {
        assert_eq!(image_size(&jpeg[..end]), None);
    }
    assert_eq!(image_size(b""), None);
    assert_eq!(image_size(&[0xff, 0xd8, 0xff, 0xff, 0xff]), None);
}

#[test]
fn an_image_is_shrunk_to_the_cells_and_never_enlarged() {
    let size = ImageSize { width: 1600, height: 800 };
    assert_eq!(size.cells(80, 20, (8, 16)), (80, 20));
    assert_eq!(ImageSize { width: 16, height: 16 }.cells(80, 20, (8, 16)), (2, 1));
    assert_eq!(ImageSize { width: 0, height: u32::MAX }.cells(80, 20, (0, 0)), (1, 20));
}

#[test]
fn c9_1_only_base64_gets_into_a_sequence() {
    assert_eq!(inline_image(ImageProtocol::Kitty, "QUJD\x1b[2J", "image/png", 1, 1), None);
    assert_eq!(inline_image(ImageProtocol::Kitty, "QUJD", "image/jpeg", 1, 1), None);
    let long = "A".repeat(5000);
    let kitty = inline_image(ImageProtocol::Kitty, &long, "image/png", 3, 2).unwrap_or_default();
    assert!(kitty.starts_with("\x1b_Ga=T,f=100,q=2,C=1,c=3,r=2,m=1;") && kitty.contains("\x1b_Gm=0;"));
    let iterm = inline_image(ImageProtocol::ITerm2, "QUJD", "image/jpeg", 3, 2);
    assert_eq!(
        iterm.as_deref(),
        Some("\x1b]1337;File=inline=1;width=3;height=2;preserveAspectRatio=1:QUJD\x07")
    );
}
