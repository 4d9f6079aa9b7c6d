use blake2::digest::{FixedOutput, KeyInit, Update};
use zeroize::{optimization_barrier, zeroize_stack};

use crate::error::Error;

/// More stack than RustCrypto's HMACs use below the functions of this module: twice the state of
/// the largest, with its block, output and padding.
const STACK_LEN_BYTES: usize = 4096;

/// An HMAC of RustCrypto in a box, wiped as far as its interface lets us.
///
/// The types wipe their digests' states on drop, but `SimpleHmac` not its padded key, and all of
/// them pass themselves by value. So the box is overwritten in place on drop, and the stack below
/// is wiped after each call that had the state on it.
pub(super) struct Wiped<M: KeyInit>(Box<M>);

impl<M: KeyInit + Clone + FixedOutput + Update> Wiped<M> {
    pub(super) fn new(key: &[u8]) -> Result<Self, Error> {
        let keyed = Self::keyed(key);
        zeroize_stack::<STACK_LEN_BYTES>();
        keyed
    }

    pub(super) fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// Writes the tag of all input so far and `data`; `tag_out` must have the digest's length.
    pub(super) fn tag(&self, data: &[u8], tag_out: &mut [u8]) {
        self.finalize_copy(data, tag_out);
        zeroize_stack::<STACK_LEN_BYTES>();
    }

    #[inline(never)]
    fn keyed(key: &[u8]) -> Result<Self, Error> {
        M::new_from_slice(key)
            .map(|mac| Self(Box::new(mac)))
            .map_err(|_| Error::Backend)
    }

    #[inline(never)]
    fn finalize_copy(&self, data: &[u8], tag_out: &mut [u8]) {
        let mut copy = M::clone(&self.0);
        copy.update(data);
        tag_out.copy_from_slice(&copy.finalize_fixed());
    }
}

impl<M: KeyInit + Clone> Clone for Wiped<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<M: KeyInit> Drop for Wiped<M> {
    fn drop(&mut self) {
        // The assignment drops the old value, which wipes its digests' states, and puts a value
        // without a secret over all of its bytes. An empty key is never refused.
        if let Ok(blank) = M::new_from_slice(&[]) {
            *self.0 = blank;
        }
        optimization_barrier(&*self.0);
    }
}
