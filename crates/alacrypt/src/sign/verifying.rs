use super::{Message, Scheme, ecdsa, rsa};
use crate::digest::MAX_OUTPUT_LEN_BYTES;
use crate::error::{Error, Misuse};
use crate::ffi::curve25519;
use crate::key::{Public, PublicKey};

/// Checks that `signature` is one of `message` under `key`.
///
/// # Errors
///
/// [`Error::Failed`] for every signature that is not, whatever its form and length.
/// [`Misuse::KeyKind`] where the key does not fit the scheme, [`Misuse::DigestLength`] and
/// [`Misuse::ContextLength`]. [`Error::Unsupported`] for a digest that the scheme does not have,
/// for a key that prescribes another one or a longer salt for PSS,
/// and for a digest where the scheme signs whole messages only. [`Error::Backend`] when memory
/// runs out.
pub fn verify(
    key: &PublicKey,
    scheme: &Scheme<'_>,
    message: Message<'_>,
    signature: &[u8],
) -> Result<(), Error> {
    if !key.permits(scheme) {
        return Err(Error::Unsupported);
    }
    let mut scratch = [0; MAX_OUTPUT_LEN_BYTES];
    let is_right = match (key.inner(), *scheme) {
        (Public::Rsa(key), Scheme::RsaPkcs1v15 { digest }) => {
            let digested = message.digest(digest, &mut scratch)?;
            rsa::verify_pkcs1(key, digest, digested, signature)?
        }
        (
            Public::Rsa(key) | Public::RsaPss(key, _),
            Scheme::RsaPss {
                digest,
                mgf1_digest,
                salt_len,
            },
        ) => {
            let pss = rsa::Pss::new(digest, mgf1_digest, salt_len)?;
            let digested = message.digest(digest, &mut scratch)?;
            pss.verify(key, digested, signature)
        }
        (Public::Ec(curve, key), Scheme::Ecdsa { digest, encoding }) => {
            let digested = message.digest(digest, &mut scratch)?;
            ecdsa::verify(key, *curve, encoding, digested, signature)?
        }
        (Public::Secp256k1(key), Scheme::Ecdsa { digest, encoding }) => {
            let digested = message.digest(digest, &mut scratch)?;
            ecdsa::verify_secp256k1(key, encoding, digested, signature)
        }
        (Public::Ed25519(public), Scheme::Ed25519) => {
            let message = message.whole()?;
            signature
                .try_into()
                .is_ok_and(|signature| curve25519::ed25519_verify(public, message, signature))
        }
        (Public::MlDsa(key), Scheme::MlDsa { context }) => {
            let message = message.whole()?;
            // FIPS 204, algorithm 3, line 1.
            if context.len() > 255 {
                return Err(Error::Misuse(Misuse::ContextLength));
            }
            key.verify(context, message, signature)?
        }
        _ => return Err(Error::Misuse(Misuse::KeyKind)),
    };
    if is_right { Ok(()) } else { Err(Error::Failed) }
}
