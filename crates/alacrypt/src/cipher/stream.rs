use core::sync::atomic::AtomicU8;

use super::{Algorithm, BLOCK_LEN_BYTES, Padding};
use crate::ffi::evp_cipher::CipherCtx;
use crate::{Error, Misuse};

/// Which way a cipher goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From plaintext to ciphertext.
    Encrypt,
    /// From ciphertext to plaintext.
    Decrypt,
}

/// An encryption or decryption in progress.
pub struct Cipher {
    algorithm: Algorithm,
    ctx: CipherCtx,
}

impl Cipher {
    /// Begins with a key and an initialization vector of the algorithm's lengths.
    ///
    /// # Errors
    ///
    /// [`Error::Misuse`] for other lengths.
    pub fn new(
        algorithm: Algorithm,
        direction: Direction,
        key: &[u8],
        iv: &[u8],
        padding: Padding,
    ) -> Result<Self, Error> {
        let encrypts = direction == Direction::Encrypt;
        let mut ctx = CipherCtx::new(algorithm.table(), encrypts, key, iv, false)?;
        if padding == Padding::None {
            ctx.set_padding(false);
        }
        Ok(Self { algorithm, ctx })
    }

    /// Takes `data`, of any length, and returns how many bytes of output that made.
    ///
    /// `out` needs room for as many bytes as there are of `data` and, in ECB and CBC mode, for a
    /// block more.
    ///
    /// # Errors
    ///
    /// [`Misuse::OutputLength`] where there is less room.
    pub fn update(&mut self, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        self.ctx.update(data, out)
    }

    /// [`update`](Self::update) with data that another thread may change meanwhile. The output is
    /// then that of some mixture of both.
    ///
    /// # Errors
    ///
    /// As for `update`.
    pub fn update_shared(&mut self, data: &[AtomicU8], out: &mut [u8]) -> Result<usize, Error> {
        self.ctx.update_shared(data, out)
    }

    /// Ends the message and returns how many bytes of output that made: none, but in ECB and CBC
    /// mode, where `out` needs room for a block.
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] where the message is not whole blocks and should be, or its padding is
    /// wrong; [`Misuse::OutputLength`] where there is less room.
    pub fn finish(mut self, out: &mut [u8]) -> Result<usize, Error> {
        if self.algorithm.is_block_mode() {
            if out.len() < BLOCK_LEN_BYTES {
                return Err(Error::Misuse(Misuse::OutputLength));
            }
            self.ctx.finish(out)
        } else {
            self.ctx.finish(&mut [0; BLOCK_LEN_BYTES])
        }
    }
}
