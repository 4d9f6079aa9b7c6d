//! Whether a program is static: it asks for no program that would load it.
//!
//! Source: System V ABI, chapter 5: an executable that needs shared objects names their loader in a
//! segment of type `PT_INTERP`.

use std::path::Path;

use crate::failure::{Failure, Result};

const PT_INTERP: u32 = 3;

/// Fails unless the file is a static 64-bit little-endian ELF program.
pub(crate) fn check(path: &Path) -> Result<()> {
    let bytes = std::fs::read(path).map_err(Failure::at(path))?;
    match loader(&bytes) {
        None => Err(Failure::new(format!(
            "{}: expected a 64-bit little-endian ELF program",
            path.display()
        ))),
        Some(Some(name)) => Err(Failure::new(format!(
            "{} is not static: it asks for {name}",
            path.display()
        ))),
        Some(None) => Ok(()),
    }
}

/// The loader that the program asks for, if any; `None` when this is no such program.
fn loader(bytes: &[u8]) -> Option<Option<String>> {
    // Class 2: 64 bits; data 1: little-endian.
    if bytes.get(..6)? != [0x7f, b'E', b'L', b'F', 2, 1] {
        return None;
    }
    let u16_at = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let u64_at = |at: usize| {
        let number = u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?);
        usize::try_from(number).ok()
    };
    let (table, size, count) = (u64_at(32)?, u16_at(54)?, u16_at(56)?);
    for index in 0..usize::from(count) {
        let head = table + index * usize::from(size);
        let kind = u32::from_le_bytes(bytes.get(head..head + 4)?.try_into().ok()?);
        if kind == PT_INTERP {
            let (start, length) = (u64_at(head + 8)?, u64_at(head + 32)?);
            let name = bytes.get(start..start.checked_add(length)?)?;
            let name = String::from_utf8_lossy(name);
            return Some(Some(name.trim_end_matches('\0').to_owned()));
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with one segment of the given type, whose content is `/lib/ld.so`.
    fn program(kind: u32) -> Vec<u8> {
        let mut bytes = vec![0u8; 64 + 56];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64..68].copy_from_slice(&kind.to_le_bytes());
        bytes[72] = 120;
        bytes[96] = 11;
        bytes.extend(b"/lib/ld.so\0");
        bytes
    }

    #[test]
    fn only_a_program_that_names_a_loader_is_dynamic() {
        assert_eq!(loader(&program(PT_INTERP)), Some(Some("/lib/ld.so".into())));
        assert_eq!(loader(&program(1)), Some(None));
        assert_eq!(loader(b"#!/bin/sh"), None);
        assert_eq!(loader(&program(1)[..66]), None);
    }
}
