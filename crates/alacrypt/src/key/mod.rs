//! Keys: read from DER, told apart, and kept in the form that their use is fastest with.
//!
//! Public keys come as `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7), private ones as
//! `PrivateKeyInfo` (RFC 5208, section 5), each with the algorithm identifiers and the contents of
//! RFC 8017 (RSA), RFC 5480 and RFC 5915 (elliptic curves), RFC 8410 (Ed25519, X25519), RFC 9881
//! (ML-DSA) and RFC 9935 (ML-KEM). The parser is strict and its work is bounded by the input's
//! length, whatever the input. Keys on curves also come as bare numbers and points, and are made; those
//! of other kinds but RSA come as their seeds.
//!
//! ```
//! use alacrypt::Error;
//! use alacrypt::key::PublicKey;
//!
//! assert_eq!(PublicKey::from_spki_der(b"not a key").err(), Some(Error::Rejected));
//! ```

mod algorithm;
mod der;
mod ec;
mod ed25519;
mod footprint;
mod kind;
mod post_quantum;
mod private;
mod pss;
mod public;
mod raw;
mod rsa;
mod secp256k1;

pub use ec::PointForm;
pub use kind::{Curve, KeyKind};
pub use private::PrivateKey;
pub use public::PublicKey;

pub(crate) use private::Private;
pub(crate) use public::Public;
pub(crate) use secp256k1::{Private as Secp256k1Private, STACK_LEN_BYTES as K256_STACK_LEN_BYTES};
