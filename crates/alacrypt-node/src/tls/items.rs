//! Lists that script writes: the number of an item's kind in one byte, the length of its value in four
//! (in the machine's byte order, as everything between script and addon), the value.

/// The items of a list; `None` ends one that is cut.
pub(super) struct Items<'list>(pub(super) &'list [u8]);

impl<'list> Iterator for Items<'list> {
    type Item = Option<(u8, &'list [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, rest) = self.0.split_first()?;
        // Whatever is wrong with the list, it ends here.
        self.0 = &[];
        let item = rest.split_first_chunk().and_then(|(len, rest)| {
            let len = usize::try_from(u32::from_ne_bytes(*len)).ok()?;
            rest.split_at_checked(len)
        });
        Some(item.map(|(value, rest)| {
            self.0 = rest;
            (*kind, value)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_list_ends_with_none() {
        let list = [
            &[7][..],
            &2_u32.to_ne_bytes(),
            b"ab",
            &[8],
            &0_u32.to_ne_bytes(),
        ]
        .concat();
        let items: Vec<_> = Items(&list).collect();
        assert_eq!(items, [Some((7, &b"ab"[..])), Some((8, &b""[..]))]);
        for len in 1..list.len() {
            let cut: Vec<_> = Items(&list[..len]).collect();
            let is_whole = len == 7;
            assert_eq!(cut.last() != Some(&None), is_whole, "{len}");
        }
        assert_eq!(Items(&[]).count(), 0);
    }
}
