//! After a fork, parent and children draw different random bytes.
//!
//! The program has no harness: a fork of a process with more than one thread may do little more
//! than call `_exit`, and the harness runs tests on threads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(not(unix))]
fn main() {
    println!("fork: nothing to check, this system does not fork");
}

#[cfg(unix)]
mod unix {
    use std::collections::HashSet;
    use std::io::{Read, Write, pipe};

    use alacrypt::random::{self, Pool};

    const DRAW_LEN_BYTES: usize = 16;
    /// More than the pool holds, so that the draws go on past a refill.
    const DRAWS: usize = 2 * Pool::CAPACITY_BYTES / DRAW_LEN_BYTES;
    const CHILDREN: usize = 3;

    pub(super) fn main() {
        let mut pool = Pool::new();
        // The pool is full but for one draw, and the generator is seeded, before the fork.
        let first = draw(&mut pool);

        let children: Vec<_> = (0..CHILDREN).map(|_| in_a_child(&mut pool)).collect();
        let mut draws = vec![first];
        draws.extend(all_draws(&mut pool));
        for child in children {
            assert_eq!(child.len(), 2 * DRAWS, "the child has drawn");
            draws.extend(child);
        }

        let distinct: HashSet<_> = draws.iter().collect();
        assert_eq!(distinct.len(), 1 + (1 + CHILDREN) * 2 * DRAWS);
        println!(
            "fork: {} draws of four processes, all different",
            draws.len()
        );
    }

    fn draw(pool: &mut Pool) -> [u8; DRAW_LEN_BYTES] {
        let mut bytes = [0; DRAW_LEN_BYTES];
        pool.fill(&mut bytes).unwrap();
        bytes
    }

    /// Draws from the pool, then from the generator below it.
    fn all_draws(pool: &mut Pool) -> Vec<[u8; DRAW_LEN_BYTES]> {
        let mut draws: Vec<_> = (0..DRAWS).map(|_| draw(pool)).collect();
        for _ in 0..DRAWS {
            let mut bytes = [0; DRAW_LEN_BYTES];
            random::fill(&mut bytes).unwrap();
            draws.push(bytes);
        }
        draws
    }

    /// The draws of a forked child.
    fn in_a_child(pool: &mut Pool) -> Vec<[u8; DRAW_LEN_BYTES]> {
        let (mut reader, mut writer) = pipe().unwrap();
        // SAFETY: takes no pointer. This process has one thread (there is no harness), so the
        // child is a whole copy of it: no lock is held by a thread that is gone.
        let child = unsafe { libc::fork() };
        assert_ne!(child, -1, "fork failed");
        if child == 0 {
            let sent = writer.write_all(all_draws(pool).as_flattened());
            // SAFETY: takes no pointer and does not return: nothing of the parent's (its output
            // buffers, its exit handlers) runs twice.
            unsafe { libc::_exit(i32::from(sent.is_err())) };
        }
        drop(writer);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        let mut status = -1;
        // SAFETY: `status` is writable for one `c_int` during the call.
        let waited = unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!((waited, status), (child, 0), "the child ended well");
        let (draws, rest) = bytes.as_chunks();
        assert!(rest.is_empty());
        draws.to_vec()
    }
}
