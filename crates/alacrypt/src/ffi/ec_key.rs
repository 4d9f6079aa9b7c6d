use core::ffi::c_int;
use core::ptr::{self, NonNull};

use aws_lc_sys::{EC_GROUP, EC_KEY, EC_POINT, ECDSA_SIG};

use super::bignum::Bignum;
use super::error_queue::{backend_error, clear};
use crate::Error;

/// A curve's parameters: a pointer to a static of AWS-LC.
#[derive(Clone, Copy)]
pub(crate) struct EcGroup(*const EC_GROUP);

// SAFETY: the pointer comes from AWS-LC's `EC_group_*` accessors only; each returns the address of
// a constant that is never written after its one-time set-up and lives as long as the library.
unsafe impl Send for EcGroup {}
// SAFETY: as above.
unsafe impl Sync for EcGroup {}

macro_rules! accessors {
    ($($name:ident => $function:ident;)*) => {
        impl EcGroup {
            $(
                #[doc = concat!("The group of `", stringify!($function), "`.")]
                pub(crate) fn $name() -> Self {
                    // SAFETY: takes no argument; returns the address of a static.
                    Self(unsafe { aws_lc_sys::$function() })
                }
            )*
        }
    };
}

accessors! {
    p256 => EC_group_p256;
    p384 => EC_group_p384;
    p521 => EC_group_p521;
}

/// A point on a curve: owns one `EC_POINT`.
struct Point(NonNull<EC_POINT>);

impl Point {
    /// `EC_POINT_new`: the point at infinity.
    fn new(group: EcGroup) -> Result<Self, Error> {
        // SAFETY: the group is a static; the object returned is the caller's.
        let point = unsafe { aws_lc_sys::EC_POINT_new(group.0) };
        NonNull::new(point).map(Self).ok_or_else(backend_error)
    }
}

impl Drop for Point {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner.
        unsafe { aws_lc_sys::EC_POINT_free(self.0.as_ptr()) };
    }
}

/// A key on a curve, with or without its private half: owns one reference to an `EC_KEY` that has
/// a group and a public point.
pub(crate) struct EcKey(NonNull<EC_KEY>);

// SAFETY: the object has no tie to a thread.
unsafe impl Send for EcKey {}
// SAFETY: after its construction the object is only read, which AWS-LC allows from many threads at
// once.
unsafe impl Sync for EcKey {}

impl EcKey {
    /// `EC_KEY_new` and `EC_KEY_set_group`.
    fn new(group: EcGroup) -> Result<Self, Error> {
        // SAFETY: takes no argument; the object returned is the caller's.
        let key = unsafe { aws_lc_sys::EC_KEY_new() };
        let key = NonNull::new(key).map(Self).ok_or_else(backend_error)?;
        // SAFETY: the key is live and new, the group is a static.
        if unsafe { aws_lc_sys::EC_KEY_set_group(key.0.as_ptr(), group.0) } == 1 {
            Ok(key)
        } else {
            Err(backend_error())
        }
    }

    /// The public key of an encoded point (SEC 1, section 2.3.4): `EC_POINT_oct2point`, which
    /// refuses a point that is not on the curve, and `EC_KEY_set_public_key`.
    pub(crate) fn public(group: EcGroup, point: &[u8]) -> Result<Self, Error> {
        let key = Self::new(group)?;
        key.set_public(group, point)?;
        Ok(key)
    }

    /// The private key of a big-endian number and, where there is one, the point beside it: that
    /// the two belong together is not checked.
    ///
    /// `EC_KEY_set_private_key`, which refuses 0 and what is not below the order;
    /// `EC_POINT_mul` where the point is to be computed.
    pub(crate) fn private(
        group: EcGroup,
        scalar: &[u8],
        point: Option<&[u8]>,
    ) -> Result<Self, Error> {
        let key = Self::new(group)?;
        let scalar = Bignum::from_be_bytes(scalar)?;
        // SAFETY: the key is live and this frame's alone, the number live; the call copies it.
        if unsafe { aws_lc_sys::EC_KEY_set_private_key(key.0.as_ptr(), scalar.as_ptr()) } != 1 {
            clear();
            return Err(Error::Rejected);
        }
        if let Some(point) = point {
            key.set_public(group, point)?;
            return Ok(key);
        }
        let public = Point::new(group)?;
        // SAFETY: group, point, number and key are live; the null pointers say that only the
        // generator is multiplied and that the call allocates for itself. The key copies the
        // point.
        let ok = unsafe {
            aws_lc_sys::EC_POINT_mul(
                group.0,
                public.0.as_ptr(),
                scalar.as_ptr(),
                ptr::null(),
                ptr::null(),
                ptr::null_mut(),
            ) == 1
                && aws_lc_sys::EC_KEY_set_public_key(key.0.as_ptr(), public.0.as_ptr()) == 1
        };
        if ok { Ok(key) } else { Err(backend_error()) }
    }

    /// `EC_KEY_generate_key`: a new key.
    pub(crate) fn generate(group: EcGroup) -> Result<Self, Error> {
        let key = Self::new(group)?;
        // SAFETY: the key is live, has a group, and is this frame's alone.
        if unsafe { aws_lc_sys::EC_KEY_generate_key(key.0.as_ptr()) } == 1 {
            Ok(key)
        } else {
            Err(backend_error())
        }
    }

    /// `EC_KEY_get0_private_key` and `BN_bn2bin_padded`: the private number, big-endian, which
    /// fails where it does not fit.
    pub(crate) fn number(&self, number_out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the key is live, and its number, if it has one, lives as long; `number_out` is
        // writable for its length, which the second call checks before it writes.
        let ok = unsafe {
            let number = aws_lc_sys::EC_KEY_get0_private_key(self.0.as_ptr());
            !number.is_null()
                && aws_lc_sys::BN_bn2bin_padded(number_out.as_mut_ptr(), number_out.len(), number)
                    == 1
        };
        if ok { Ok(()) } else { Err(backend_error()) }
    }

    /// `EC_POINT_point2oct`: the public point, uncompressed, which fills `point_out` exactly.
    pub(crate) fn point(&self, point_out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the key is live, and has a group and a point since it was made, which live as
        // long; `point_out` is writable for its length, which the call checks before it writes;
        // the null pointer says that it allocates for itself.
        let len = unsafe {
            aws_lc_sys::EC_POINT_point2oct(
                aws_lc_sys::EC_KEY_get0_group(self.0.as_ptr()),
                aws_lc_sys::EC_KEY_get0_public_key(self.0.as_ptr()),
                aws_lc_sys::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED,
                point_out.as_mut_ptr(),
                point_out.len(),
                ptr::null_mut(),
            )
        };
        if len == point_out.len() {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    fn set_public(&self, group: EcGroup, encoded: &[u8]) -> Result<(), Error> {
        let point = Point::new(group)?;
        // SAFETY: group and point are live, `encoded` is readable for its length during the call;
        // the null pointer says that the call allocates for itself.
        let ok = unsafe {
            aws_lc_sys::EC_POINT_oct2point(
                group.0,
                point.0.as_ptr(),
                encoded.as_ptr(),
                encoded.len(),
                ptr::null_mut(),
            )
        };
        if ok != 1 {
            clear();
            return Err(Error::Rejected);
        }
        // SAFETY: the key is live and still its maker's alone, the point live; it is copied.
        if unsafe { aws_lc_sys::EC_KEY_set_public_key(self.0.as_ptr(), point.0.as_ptr()) } == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// The public half alone, in an object of its own.
    pub(crate) fn to_public(&self) -> Result<Self, Error> {
        // SAFETY: the key is live, and has a group and a point since it was made.
        let (group, point) = unsafe {
            (
                aws_lc_sys::EC_KEY_get0_group(self.0.as_ptr()),
                aws_lc_sys::EC_KEY_get0_public_key(self.0.as_ptr()),
            )
        };
        let public = Self::new(EcGroup(group))?;
        // SAFETY: the new key is live and this frame's alone; the point lives as long as `self`
        // and is copied.
        if unsafe { aws_lc_sys::EC_KEY_set_public_key(public.0.as_ptr(), point) } == 1 {
            Ok(public)
        } else {
            Err(backend_error())
        }
    }

    /// `ECDSA_do_sign` of a digest of any length; `r_out` and `s_out` are filled big-endian
    /// (`BN_bn2bin_padded`), and fail where a number does not fit.
    pub(crate) fn sign(
        &self,
        digest: &[u8],
        r_out: &mut [u8],
        s_out: &mut [u8],
    ) -> Result<(), Error> {
        // SAFETY: the key is live and `digest` readable for its length during the call; the object
        // returned is the caller's.
        let signature =
            unsafe { aws_lc_sys::ECDSA_do_sign(digest.as_ptr(), digest.len(), self.0.as_ptr()) };
        let signature = NonNull::new(signature)
            .map(Signature)
            .ok_or_else(backend_error)?;
        let (mut r, mut s) = (ptr::null(), ptr::null());
        // SAFETY: the signature is live and keeps both numbers, which live as long; the outputs are
        // writable for their lengths, which the calls check before they write.
        let ok = unsafe {
            aws_lc_sys::ECDSA_SIG_get0(signature.0.as_ptr(), &mut r, &mut s);
            aws_lc_sys::BN_bn2bin_padded(r_out.as_mut_ptr(), r_out.len(), r) == 1
                && aws_lc_sys::BN_bn2bin_padded(s_out.as_mut_ptr(), s_out.len(), s) == 1
        };
        if ok { Ok(()) } else { Err(backend_error()) }
    }

    /// `ECDSA_do_verify` of a digest of any length and the signature's two numbers, big-endian.
    pub(crate) fn verify(&self, digest: &[u8], r: &[u8], s: &[u8]) -> Result<bool, Error> {
        // SAFETY: takes no argument; the object returned is the caller's.
        let signature = unsafe { aws_lc_sys::ECDSA_SIG_new() };
        let signature = NonNull::new(signature)
            .map(Signature)
            .ok_or_else(backend_error)?;
        let (r, s) = (Bignum::from_be_bytes(r)?, Bignum::from_be_bytes(s)?);
        // SAFETY: the signature is live and this frame's alone, and takes both numbers over: the
        // call fails for null pointers only, which these are not. The key is live, and `digest`
        // readable for its length during the call.
        let ok = unsafe {
            aws_lc_sys::ECDSA_SIG_set0(signature.0.as_ptr(), r.into_raw(), s.into_raw()) == 1
                && aws_lc_sys::ECDSA_do_verify(
                    digest.as_ptr(),
                    digest.len(),
                    signature.0.as_ptr(),
                    self.0.as_ptr(),
                ) == 1
        };
        if !ok {
            clear();
        }
        Ok(ok)
    }

    /// `ECDH_compute_key`: the shared point's first coordinate, big-endian, which fills `x_out`
    /// exactly. Both keys must be on one curve.
    pub(crate) fn agree(&self, peer: &Self, x_out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: both keys are live, and the peer's point lives as long as the peer; `x_out` is
        // writable for its length, and no more is written. No function is called back.
        let len = unsafe {
            aws_lc_sys::ECDH_compute_key(
                x_out.as_mut_ptr().cast(),
                x_out.len(),
                aws_lc_sys::EC_KEY_get0_public_key(peer.0.as_ptr()),
                self.0.as_ptr(),
                None,
            )
        };
        if c_int::try_from(x_out.len()) == Ok(len) {
            Ok(())
        } else {
            Err(backend_error())
        }
    }
}

impl Drop for EcKey {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner. The scalar is wiped: AWS-LC's
        // `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::EC_KEY_free(self.0.as_ptr()) };
    }
}

/// A signature's two numbers: owns one `ECDSA_SIG`.
struct Signature(NonNull<ECDSA_SIG>);

impl Drop for Signature {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner; it frees its numbers.
        unsafe { aws_lc_sys::ECDSA_SIG_free(self.0.as_ptr()) };
    }
}
