//! The `unsafe` around Node-API: module set-up, entry points, strings, the scratch's memory.
#![allow(unsafe_code)]

mod call;
mod host_policy;
mod job;
mod memory;
mod register;

pub(crate) use call::{Call, Outcome, answer, dispatch, dispatch_job};
pub(crate) use host_policy::HostPolicy;
pub(crate) use memory::MEMORY;
pub(crate) use register::Entry;

use job::settle_by;

/// An exported function: its name and the handler behind it.
macro_rules! entry {
    ($name:literal, $handler:path) => {{
        #[allow(unsafe_code)]
        unsafe extern "C" fn callback(
            env: napi_sys::napi_env,
            info: napi_sys::napi_callback_info,
        ) -> napi_sys::napi_value {
            // SAFETY: Node-API calls this with its own `env` and `info`, and with the data that
            // the module registered for the function.
            unsafe { $crate::sys::dispatch(env, info, $handler) }
        }
        $crate::sys::Entry {
            name: $name,
            callback,
        }
    }};
}
pub(crate) use entry;

/// An exported function that makes a job: its name and the handler that makes it.
macro_rules! job_entry {
    ($name:literal, $handler:path) => {{
        #[allow(unsafe_code)]
        unsafe extern "C" fn callback(
            env: napi_sys::napi_env,
            info: napi_sys::napi_callback_info,
        ) -> napi_sys::napi_value {
            // SAFETY: Node-API calls this with its own `env` and `info`, and with the data that
            // the module registered for the function.
            unsafe { $crate::sys::dispatch_job(env, info, $handler) }
        }
        $crate::sys::Entry {
            name: $name,
            callback,
        }
    }};
}
pub(crate) use job_entry;

/// An exported function that answers `true` or `undefined`, and needs neither arguments nor the
/// scratch: less than half of the price of an [`entry!`].
macro_rules! question {
    ($name:literal, $handler:path) => {{
        #[allow(unsafe_code)]
        unsafe extern "C" fn callback(
            env: napi_sys::napi_env,
            _info: napi_sys::napi_callback_info,
        ) -> napi_sys::napi_value {
            // SAFETY: Node-API calls this with its own `env`.
            unsafe { $crate::sys::answer(env, $handler) }
        }
        $crate::sys::Entry {
            name: $name,
            callback,
        }
    }};
}
pub(crate) use question;

/// `jobsSettleBy(function)`: says what settles jobs.
pub(crate) const JOBS_SETTLE_BY: Entry = {
    unsafe extern "C" fn callback(
        env: napi_sys::napi_env,
        info: napi_sys::napi_callback_info,
    ) -> napi_sys::napi_value {
        // SAFETY: Node-API calls this with its own `env` and `info`, and with the data that the
        // module registered for the function.
        unsafe { settle_by(env, info) }
    }
    Entry {
        name: "jobsSettleBy",
        callback,
    }
};
