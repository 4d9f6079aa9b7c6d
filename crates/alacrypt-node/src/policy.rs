//! The host's FIPS setting.

use crate::environment::host_fips;

/// `fips()`: `true` while FIPS is on, else `undefined`. Reads and writes nothing in the scratch.
pub(crate) fn fips() -> bool {
    host_fips()
}
