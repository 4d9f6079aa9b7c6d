use core::ffi::c_int;
use core::ptr::NonNull;

use aws_lc_sys::RSA;

use super::bignum::Bignum;
use super::error_queue::{backend_error, clear};
use super::md::Md;
use crate::Error;

/// The numbers of a private key with two primes, big-endian, in the order of RFC 8017, A.1.2.
pub(crate) struct PrivateParts<'a> {
    pub(crate) n: &'a [u8],
    pub(crate) e: &'a [u8],
    pub(crate) d: &'a [u8],
    pub(crate) p: &'a [u8],
    pub(crate) q: &'a [u8],
    pub(crate) dp: &'a [u8],
    pub(crate) dq: &'a [u8],
    pub(crate) q_inv: &'a [u8],
}

/// How PSS finds the salt's length: a number of bytes, or one of AWS-LC's two special values.
#[derive(Clone, Copy)]
pub(crate) struct PssSaltLen(c_int);

impl PssSaltLen {
    /// `RSA_PSS_SALTLEN_DIGEST`: as long as the digest.
    pub(crate) const DIGEST: Self = Self(-1);
    /// `RSA_PSS_SALTLEN_AUTO`: the longest when signing, whichever is found when verifying.
    pub(crate) const AUTO: Self = Self(-2);

    /// `len_bytes` bytes; `None` for a number that no key has room for.
    pub(crate) fn bytes(len_bytes: usize) -> Option<Self> {
        c_int::try_from(len_bytes).ok().map(Self)
    }
}

/// An RSA key, with or without its private half: owns one reference to an `RSA`.
pub(crate) struct Rsa(NonNull<RSA>);

// SAFETY: the object has no tie to a thread.
unsafe impl Send for Rsa {}
// SAFETY: the functions below only use the key. AWS-LC allows that from many threads at once and
// keeps what it caches inside (Montgomery contexts, blindings) behind the object's own lock; the
// mutable pointers in their signatures are for that.
unsafe impl Sync for Rsa {}

impl Rsa {
    /// `RSA_new_public_key`, which refuses an even or overlong modulus and an exponent that is
    /// even, 1, or longer than 33 bits.
    pub(crate) fn public(n: &[u8], e: &[u8]) -> Result<Self, Error> {
        let (n, e) = (Bignum::from_be_bytes(n)?, Bignum::from_be_bytes(e)?);
        // SAFETY: both numbers are live during the call, which copies them.
        let rsa = unsafe { aws_lc_sys::RSA_new_public_key(n.as_ptr(), e.as_ptr()) };
        NonNull::new(rsa).map(Self).ok_or_else(backend_error)
    }

    /// `RSA_new`, `RSA_set0_key`, `RSA_set0_factors`, `RSA_set0_crt_params`, none of which looks at
    /// the numbers. The caller has checked `n` and `e`; here the others are held to the ranges of
    /// RFC 8017, A.1.2, and to `p · q = n`, so that no later computation is larger than a key of
    /// this size makes it.
    ///
    /// Whether `d`, `dp`, `dq` and `q_inv` are the right ones shows on each use, where AWS-LC
    /// compares the result's public transform with the input before it hands the result out.
    pub(crate) fn private(parts: &PrivateParts<'_>) -> Result<Self, Error> {
        let (n, e, d) = (
            Bignum::from_be_bytes(parts.n)?,
            Bignum::from_be_bytes(parts.e)?,
            Bignum::from_be_bytes(parts.d)?,
        );
        let (p, q) = (
            Bignum::from_be_bytes(parts.p)?,
            Bignum::from_be_bytes(parts.q)?,
        );
        let (dp, dq, q_inv) = (
            Bignum::from_be_bytes(parts.dp)?,
            Bignum::from_be_bytes(parts.dq)?,
            Bignum::from_be_bytes(parts.q_inv)?,
        );
        let in_range = d.is_below(&n)
            && p.is_below(&n)
            && q.is_below(&n)
            && dp.is_below(&p)
            && dq.is_below(&q)
            && q_inv.is_below(&p);
        if !in_range || !Bignum::product(&p, &q)?.is_equal(&n) {
            return Err(Error::Unsupported);
        }
        // SAFETY: takes no argument; the object returned is the caller's.
        let rsa = unsafe { aws_lc_sys::RSA_new() };
        let rsa = NonNull::new(rsa).map(Self).ok_or_else(backend_error)?;
        let at = rsa.0.as_ptr();
        // SAFETY: the key is live, new, and nobody else's yet. Each call takes its numbers over,
        // and fails only where a number is missing in both the key and the call, which is not so.
        let ok = unsafe {
            aws_lc_sys::RSA_set0_key(at, n.into_raw(), e.into_raw(), d.into_raw()) == 1
                && aws_lc_sys::RSA_set0_factors(at, p.into_raw(), q.into_raw()) == 1
                && aws_lc_sys::RSA_set0_crt_params(
                    at,
                    dp.into_raw(),
                    dq.into_raw(),
                    q_inv.into_raw(),
                ) == 1
        };
        if ok { Ok(rsa) } else { Err(backend_error()) }
    }

    pub(super) fn as_ptr(&self) -> *mut RSA {
        self.0.as_ptr()
    }

    /// The public half alone, in an object of its own.
    pub(crate) fn to_public(&self) -> Result<Self, Error> {
        // SAFETY: the key is live, and has both numbers since it was made; the call copies them.
        let rsa = unsafe {
            aws_lc_sys::RSA_new_public_key(
                aws_lc_sys::RSA_get0_n(self.0.as_ptr()),
                aws_lc_sys::RSA_get0_e(self.0.as_ptr()),
            )
        };
        NonNull::new(rsa).map(Self).ok_or_else(backend_error)
    }

    /// `RSA_bits`: the length of the modulus.
    pub(crate) fn bits(&self) -> usize {
        // SAFETY: the key is live and has a modulus.
        unsafe { aws_lc_sys::RSA_bits(self.0.as_ptr()) as usize }
    }

    /// `RSA_size`: the length of signatures and ciphertexts.
    pub(crate) fn size_bytes(&self) -> usize {
        // SAFETY: the key is live and has a modulus.
        unsafe { aws_lc_sys::RSA_size(self.0.as_ptr()) as usize }
    }

    /// `RSA_sign_raw` with PKCS #1 v1.5 padding of type 1: the private transform of padded data.
    /// `out` must have room for `size_bytes`.
    pub(crate) fn sign_pkcs1(&self, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let mut len = 0;
        // SAFETY: the key is live (`Sync` says why sharing is right); `data` is readable and `out`
        // writable for their lengths during the call, which checks the room before it writes.
        let ok = unsafe {
            aws_lc_sys::RSA_sign_raw(
                self.0.as_ptr(),
                &mut len,
                out.as_mut_ptr(),
                out.len(),
                data.as_ptr(),
                data.len(),
                aws_lc_sys::RSA_PKCS1_PADDING,
            )
        };
        if ok == 1 {
            Ok(len)
        } else {
            Err(backend_error())
        }
    }

    /// `RSA_verify_raw` with PKCS #1 v1.5 padding of type 1: what the signature's owner padded,
    /// or `None` where the padding is not one. `out` must have room for `size_bytes`.
    pub(crate) fn verify_pkcs1<'a>(&self, signature: &[u8], out: &'a mut [u8]) -> Option<&'a [u8]> {
        let mut len = 0;
        // SAFETY: the key is live (`Sync` says why sharing is right); `signature` is readable and
        // `out` writable for their lengths during the call, which checks the room before it
        // writes.
        let ok = unsafe {
            aws_lc_sys::RSA_verify_raw(
                self.0.as_ptr(),
                &mut len,
                out.as_mut_ptr(),
                out.len(),
                signature.as_ptr(),
                signature.len(),
                aws_lc_sys::RSA_PKCS1_PADDING,
            )
        };
        if ok == 1 {
            out.get(..len)
        } else {
            clear();
            None
        }
    }

    /// `RSA_encrypt` with PKCS #1 v1.5 padding of type 2; `out` must have room for `size_bytes`.
    pub(crate) fn encrypt_pkcs1(&self, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let mut len = 0;
        // SAFETY: the key is live (`Sync` says why sharing is right); `data` is readable and `out`
        // writable for their lengths during the call, which checks the room before it writes.
        let ok = unsafe {
            aws_lc_sys::RSA_encrypt(
                self.0.as_ptr(),
                &mut len,
                out.as_mut_ptr(),
                out.len(),
                data.as_ptr(),
                data.len(),
                aws_lc_sys::RSA_PKCS1_PADDING,
            )
        };
        if ok == 1 {
            Ok(len)
        } else {
            Err(backend_error())
        }
    }

    /// `RSA_sign_pss_mgf1`; `digest` has `md`'s length, and `out` room for `size_bytes`.
    pub(crate) fn sign_pss(
        &self,
        digest: &[u8],
        md: Md,
        mgf1_md: Md,
        salt_len: PssSaltLen,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mut len = 0;
        // SAFETY: the key is live (`Sync` says why sharing is right); `digest` is readable and
        // `out` writable for their lengths during the call, which compares the first with `md`'s
        // and checks the room before it writes; both tables are static.
        let ok = unsafe {
            aws_lc_sys::RSA_sign_pss_mgf1(
                self.0.as_ptr(),
                &mut len,
                out.as_mut_ptr(),
                out.len(),
                digest.as_ptr(),
                digest.len(),
                md.as_ptr(),
                mgf1_md.as_ptr(),
                salt_len.0,
            )
        };
        if ok == 1 {
            Ok(len)
        } else {
            Err(backend_error())
        }
    }

    /// `RSA_verify_pss_mgf1`: whether the signature is right; `digest` has `md`'s length.
    pub(crate) fn verify_pss(
        &self,
        digest: &[u8],
        md: Md,
        mgf1_md: Md,
        salt_len: PssSaltLen,
        signature: &[u8],
    ) -> bool {
        // SAFETY: the key is live (`Sync` says why sharing is right); `digest` and `signature` are
        // readable for their lengths during the call, which compares both with those that `md`
        // and the key ask for; both tables are static.
        let ok = unsafe {
            aws_lc_sys::RSA_verify_pss_mgf1(
                self.0.as_ptr(),
                digest.as_ptr(),
                digest.len(),
                md.as_ptr(),
                mgf1_md.as_ptr(),
                salt_len.0,
                signature.as_ptr(),
                signature.len(),
            )
        };
        if ok != 1 {
            clear();
        }
        ok == 1
    }
}

impl Drop for Rsa {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner. All its numbers are wiped:
        // AWS-LC's `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::RSA_free(self.0.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use crate::key::{Private, PrivateKey, Public};

    /// AWS-LC's own decryption, which the engine does not offer (it tells a right padding from a
    /// wrong one), gets out what was encrypted.
    #[test]
    fn pkcs1_encryption() {
        let text = include_str!("../../../../vectors/key/openssl_generated.txt");
        let (_, rest) = text.split_once("Name = Rsa1031").unwrap();
        let (_, rest) = rest.split_once("Pkcs8 = ").unwrap();
        let hex = rest.lines().next().unwrap();
        let pkcs8: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect();
        let key = PrivateKey::from_pkcs8_der(&pkcs8).unwrap();
        let public = key.public_key().unwrap();
        let (Private::Rsa(key), Public::Rsa(public)) = (key.inner(), public.inner()) else {
            panic!("an RSA key");
        };
        for len in [0, 1, 117, 118] {
            let message: Vec<u8> = (1..).take(len).collect();
            let (mut ciphertext, mut again) = ([0; 129], [0; 129]);
            assert_eq!(public.encrypt_pkcs1(&message, &mut ciphertext), Ok(129));
            assert_eq!(public.encrypt_pkcs1(&message, &mut again), Ok(129));
            assert_ne!(ciphertext, again);
            let mut out = [0; 129];
            let mut out_len = 0;
            // SAFETY: the key is live, `out` is writable and `ciphertext` readable for their
            // lengths.
            let ok = unsafe {
                aws_lc_sys::RSA_decrypt(
                    key.0.as_ptr(),
                    &mut out_len,
                    out.as_mut_ptr(),
                    out.len(),
                    ciphertext.as_ptr(),
                    ciphertext.len(),
                    aws_lc_sys::RSA_PKCS1_PADDING,
                )
            };
            assert_eq!((ok, &out[..out_len]), (1, &message[..]));
        }
    }
}
