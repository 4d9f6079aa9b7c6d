//! What asks for all that an environment has at once.

use core::ptr;

use napi_sys::{napi_callback_info, napi_env, napi_value};

use super::call::opened;
use super::register::Entry;
use crate::memory;

/// `memory()`: see [`memory::write`].
pub(crate) const MEMORY: Entry = {
    unsafe extern "C" fn callback(env: napi_env, info: napi_callback_info) -> napi_value {
        // SAFETY: Node-API calls this with its own `env` and `info`, and with the data that the
        // module registered for the function.
        if let Some((shared, _)) = unsafe { opened(env, info) } {
            // SAFETY: it is this environment's, script does not run, and nothing else refers to it.
            let shared = unsafe { &mut *shared };
            let jobs = shared.jobs.footprint();
            // SAFETY: as for every entry: the memory is the module's, and script does not run.
            let scratch = unsafe { shared.scratch.parts() };
            // It allocates nothing and indexes nothing, so that there is no panic to catch.
            memory::write(&shared.environment, jobs, scratch.output);
        }
        ptr::null_mut()
    }
    Entry {
        name: "memory",
        callback,
    }
};
