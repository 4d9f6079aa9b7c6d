use core::fmt;

/// What can go wrong, sorted by who is at fault.
///
/// The variants answer the question that a caller asks first: is it my code, my data, or the
/// machine? A failed check of a tag or signature carries no detail, as any detail helps an
/// attacker more than a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The calling code broke a rule of the API; no input from outside can cause it.
    Misuse(Misuse),
    /// Data from outside is malformed.
    Rejected,
    /// A tag or a signature does not match.
    Failed,
    /// The algorithm, or this combination of algorithm and option, is not available.
    Unsupported,
    /// The primitive's library failed, for example because memory ran out.
    Backend,
}

/// Which rule of the API was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// The output buffer's length is not the one that the algorithm produces, or not room enough
    /// for an output whose length varies.
    OutputLength,
    /// The key is of another kind than the operation is for.
    KeyKind,
    /// The digest that was handed over does not have its algorithm's length.
    DigestLength,
    /// The context string is longer than the algorithm allows.
    ContextLength,
    /// The key does not have its cipher's length.
    KeyLength,
    /// The initialization vector, or nonce, has a length that its cipher does not take.
    IvLength,
    /// The tag has a length that its cipher does not take.
    TagLength,
    /// The salt, or nonce, is shorter than the algorithm allows.
    SaltLength,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Misuse(Misuse::OutputLength) => {
                "the output buffer does not have the length, or the room, that the output needs"
            }
            Self::Misuse(Misuse::KeyKind) => "the key is not one for this operation",
            Self::Misuse(Misuse::DigestLength) => {
                "the digest does not have the length of its algorithm's output"
            }
            Self::Misuse(Misuse::ContextLength) => "the context string is too long",
            Self::Misuse(Misuse::KeyLength) => {
                "the key does not have the length that the cipher takes"
            }
            Self::Misuse(Misuse::IvLength) => {
                "the initialization vector does not have a length that the cipher takes"
            }
            Self::Misuse(Misuse::TagLength) => {
                "the tag does not have a length that the cipher takes"
            }
            Self::Misuse(Misuse::SaltLength) => "the salt is shorter than the algorithm allows",
            Self::Rejected => "malformed input",
            Self::Failed => "verification failed",
            Self::Unsupported => "not supported",
            Self::Backend => "the cryptographic library failed",
        })
    }
}

impl core::error::Error for Error {}
