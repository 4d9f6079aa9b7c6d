//! What an environment holds in native memory: counted when it is asked for, and never before, so that
//! nothing else pays for it.

use core::mem::size_of;

use alacrypt::random;

use crate::cipher;
use crate::ecdh::Pair;
use crate::environment::Environment;
use crate::key::Key;
use crate::mac;
use crate::pool;
use crate::scratch::{LEN_BYTES, OUTPUT_CAPACITY_BYTES};
use crate::stream::Stream;

/// Objects of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) count: usize,
    /// With the places that wait for more.
    pub(crate) bytes: usize,
}

/// The kinds, in the order in which `memory()` in `npm/alacrypt/src/memory.ts` reads them.
const KINDS: usize = 13;

/// `memory()`: for each kind a count and bytes, as 32-bit words at the start of the output.
pub(crate) fn write(
    environment: &Environment,
    jobs: Footprint,
    output: &mut [u8; OUTPUT_CAPACITY_BYTES],
) {
    let words = kinds(environment, jobs)
        .into_iter()
        .flat_map(|Footprint { count, bytes }| [count, bytes]);
    for (word, number) in output.chunks_exact_mut(4).zip(words) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        word.copy_from_slice(&number.to_ne_bytes());
    }
}

fn kinds(environment: &Environment, jobs: Footprint) -> [Footprint; KINDS] {
    let random_pool = environment
        .pool
        .as_ref()
        .map_or_else(Footprint::default, |_| one(random::Pool::CAPACITY_BYTES));
    let scheduler = environment.scheduler.heap_len_bytes();
    let environment_len = one(size_of::<Environment>());
    [
        environment
            .pkeys
            .footprint(|key| Key::memory_len_bytes(key)),
        environment.pairs.footprint(Pair::memory_len_bytes),
        environment.keys.footprint(mac::heap_len_bytes),
        environment.cipher_keys.footprint(|_| 0),
        environment
            .ciphers
            .footprint(cipher::Stream::heap_len_bytes),
        environment.streams.footprint(Stream::heap_len_bytes),
        environment
            .tls_clients
            .footprint(|client| client.heap_len_bytes()),
        environment
            .tls_connections
            .footprint(|connection| connection.heap_len_bytes()),
        random_pool,
        if scheduler == 0 {
            Footprint::default()
        } else {
            one(scheduler)
        },
        jobs,
        Footprint {
            count: 1,
            bytes: LEN_BYTES + environment_len.bytes,
        },
        // Those of the whole process; their stacks are the system's.
        Footprint {
            count: pool::threads(),
            bytes: 0,
        },
    ]
}

const fn one(bytes: usize) -> Footprint {
    Footprint { count: 1, bytes }
}

#[cfg(test)]
mod tests {
    use alacrypt::digest::Algorithm;
    use alacrypt::mac::Hmac;

    use super::*;

    #[test]
    fn each_kind_has_its_place() {
        let mut environment = Environment::new();
        let nothing = kinds(&environment, Footprint::default());
        assert_eq!(nothing[2], Footprint::default());
        let jobs = Footprint {
            count: 3,
            bytes: 700,
        };
        let id = environment
            .keys
            .insert(Hmac::new(Algorithm::Sha256, b"key").unwrap());
        let one = kinds(&environment, jobs);
        assert_eq!(one[2].count, 1);
        assert!(one[2].bytes > 1000, "{:?}", one[2]);
        assert_eq!(one[10], jobs);

        let mut output = [0; OUTPUT_CAPACITY_BYTES];
        write(&environment, jobs, &mut output);
        assert_eq!(output[2 * 8..2 * 8 + 4], 1_u32.to_ne_bytes());
        assert_eq!(output[10 * 8 + 4..10 * 8 + 8], 700_u32.to_ne_bytes());

        environment.keys.remove(id.unwrap());
        assert_eq!(kinds(&environment, jobs)[2].count, 0);
    }
}
