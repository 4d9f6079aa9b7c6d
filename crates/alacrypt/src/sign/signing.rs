use super::{Message, Scheme, ecdsa, rsa};
use crate::digest::MAX_OUTPUT_LEN_BYTES;
use crate::error::{Error, Misuse};
use crate::ffi::curve25519;
use crate::key::{Private, PrivateKey};

/// Signs `message` and returns the signature's length; it is at the start of `signature_out`, of
/// which no byte behind it means anything.
///
/// `signature_out` has room for [`PrivateKey::signature_len_bytes`].
///
/// # Errors
///
/// [`Misuse::KeyKind`] where the key does not fit the scheme, [`Misuse::OutputLength`] where
/// `signature_out` is too short, [`Misuse::DigestLength`] and [`Misuse::ContextLength`].
/// [`Error::Unsupported`] for a digest that the scheme does not have, for an RSA key too short for
/// the digest or the salt, for a key that prescribes other ones for PSS, and for a digest where the scheme signs whole messages only.
/// [`Error::Backend`] for an RSA key whose numbers do not belong together, and when memory runs
/// out.
pub fn sign(
    key: &PrivateKey,
    scheme: &Scheme<'_>,
    message: Message<'_>,
    signature_out: &mut [u8],
) -> Result<usize, Error> {
    if !key.permits(scheme) {
        return Err(Error::Unsupported);
    }
    let mut scratch = [0; MAX_OUTPUT_LEN_BYTES];
    match (key.inner(), *scheme) {
        (Private::Rsa(key), Scheme::RsaPkcs1v15 { digest }) => {
            let digested = message.digest(digest, &mut scratch)?;
            rsa::sign_pkcs1(key, digest, digested, signature_out)
        }
        (
            Private::Rsa(key) | Private::RsaPss(key, _),
            Scheme::RsaPss {
                digest,
                mgf1_digest,
                salt_len,
            },
        ) => {
            let pss = rsa::Pss::new(digest, mgf1_digest, salt_len)?;
            let digested = message.digest(digest, &mut scratch)?;
            pss.sign(key, digested, signature_out)
        }
        (Private::Ec(curve, key), Scheme::Ecdsa { digest, encoding }) => {
            let digested = message.digest(digest, &mut scratch)?;
            ecdsa::sign(key, *curve, encoding, digested, signature_out)
        }
        (Private::Secp256k1(key), Scheme::Ecdsa { digest, encoding }) => {
            let digested = message.digest(digest, &mut scratch)?;
            ecdsa::sign_secp256k1(key, encoding, digested, signature_out)
        }
        (Private::Ed25519(private), Scheme::Ed25519) => {
            let message = message.whole()?;
            let signature_out = signature_out
                .first_chunk_mut()
                .ok_or(Error::Misuse(Misuse::OutputLength))?;
            curve25519::ed25519_sign(private, message, signature_out)?;
            Ok(signature_out.len())
        }
        (Private::MlDsa(pkey), Scheme::MlDsa { context }) => {
            let message = message.whole()?;
            // FIPS 204, algorithm 2, line 1.
            if context.len() > 255 {
                return Err(Error::Misuse(Misuse::ContextLength));
            }
            let signature_out = signature_out
                .get_mut(..key.signature_len_bytes())
                .ok_or(Error::Misuse(Misuse::OutputLength))?;
            pkey.sign(context, message, signature_out)
        }
        _ => Err(Error::Misuse(Misuse::KeyKind)),
    }
}
