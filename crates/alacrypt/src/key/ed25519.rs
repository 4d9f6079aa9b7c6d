//! Which encodings of an Ed25519 public key are taken.
//!
//! RFC 8032, section 5.1.3, refuses coordinates that are not reduced; libraries differ on those, and
//! on points of small order, for which a signature can be right for almost any message. Neither is
//! the result of an honest key generation, and both are left to whoever knows what they mean.

/// p - 1 = 2^255 - 20, little-endian: the largest reduced coordinate, and that of the point of
/// order 2.
const MINUS_ONE: [u8; 32] = {
    let mut bytes = [0xff; 32];
    bytes[0] = 0xec;
    bytes[31] = 0x7f;
    bytes
};

/// The second coordinates of the eight points whose order divides 8: of order 1, 2, 4 and twice 8.
/// Each stands for one or two points, which the sign of the first coordinate tells apart.
const SMALL_ORDER: [[u8; 32]; 5] = [
    {
        let mut one = [0; 32];
        one[0] = 1;
        one
    },
    MINUS_ONE,
    [0; 32],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ],
];

/// Whether the key is reduced and its order is not one of 1, 2, 4 and 8.
pub(super) fn is_plain(public: &[u8; 32]) -> bool {
    let mut y = *public;
    y[31] &= 0x7f;
    let is_reduced = y.iter().rev().le(MINUS_ONE.iter().rev());
    is_reduced && !SMALL_ORDER.contains(&y)
}
