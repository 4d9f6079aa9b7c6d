//! Jobs on the host's pool: Node-API's asynchronous work.
//!
//! The host is told of each job as it tells itself of its own: a resource object and a type name
//! for `async_hooks`, the context of the caller for what is called at the end.

use core::ffi::c_void;
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi_sys::{
    Status as NapiStatus, napi_async_work, napi_callback_info, napi_env, napi_status, napi_value,
};

use super::call::opened;
use super::register::Shared;
use crate::job::Job;
use crate::scratch::{Status, Word};

/// A job on its way to the pool and back.
struct Running {
    job: Job,
    /// Script's number of it.
    number: u32,
    work: napi_async_work,
}

// A job comes back to its own thread; while the pool has it, nothing else refers to it.
const _: () = {
    const fn crosses_threads<T: Send>() {}
    crosses_threads::<Job>();
};

/// Hands `job` to the pool; `false`, with the job dropped, where the host takes none.
///
/// Script may run meanwhile: hooks of `async_hooks` see the resource.
///
/// # Safety
///
/// `env` belongs to the call in progress, on its thread, and `resource` and `type_name` are values
/// of it. Nothing refers to the environment's [`Shared`].
pub(super) unsafe fn start(
    env: napi_env,
    resource: napi_value,
    type_name: napi_value,
    number: u32,
    job: Job,
) -> bool {
    let running = Box::into_raw(Box::new(Running {
        job,
        number,
        work: ptr::null_mut(),
    }));
    let mut work = ptr::null_mut();
    // SAFETY: `env` and the two values are the caller's; the out-pointer is writable; both
    // functions take `running`, which `complete` frees, called once on this thread.
    let status = unsafe {
        napi_sys::napi_create_async_work(
            env,
            resource,
            type_name,
            Some(execute),
            Some(complete),
            running.cast(),
            &mut work,
        )
    };
    if status != NapiStatus::napi_ok {
        // SAFETY: made above, and Node-API did not take it.
        drop(unsafe { Box::from_raw(running) });
        return false;
    }
    // SAFETY: the pool has not got it yet: nothing else refers to it.
    unsafe { (*running).work = work };
    // SAFETY: the work was made above for this `env`.
    if unsafe { napi_sys::napi_queue_async_work(env, work) } == NapiStatus::napi_ok {
        return true;
    }
    // SAFETY: work that is not queued never runs and may be deleted; then nothing of Node-API's
    // has `running`.
    unsafe {
        napi_sys::napi_delete_async_work(env, work);
        drop(Box::from_raw(running));
    }
    false
}

/// Does a job, on a thread of the pool.
unsafe extern "C" fn execute(_env: napi_env, data: *mut c_void) {
    // SAFETY: `data` is the `Running` that the work was made with. It lives until `complete`,
    // which Node-API calls after this has returned; nothing else refers to its job meanwhile.
    let job = unsafe { &mut (*data.cast::<Running>()).job };
    job.run();
}

/// Ends a job, on its environment's thread.
///
/// An environment that ends first waits for its jobs, and then calls this though script may not
/// run any more: the job is only dropped then.
unsafe extern "C" fn complete(env: napi_env, status: napi_status, data: *mut c_void) {
    // SAFETY: Node-API calls this once for each work, with the pointer of `start`, after `execute`.
    let Running { job, number, work } = *unsafe { Box::from_raw(data.cast::<Running>()) };
    if status == NapiStatus::napi_ok {
        // A panic leaves the callback uncalled; nothing here indexes or allocates in Rust.
        // SAFETY: `env` is live, on its thread, inside a handle scope of Node-API's.
        let _ = catch_unwind(AssertUnwindSafe(|| unsafe { settle(env, number, job) }));
    }
    // SAFETY: the work is done. An exception may be pending: this function may be called then.
    unsafe { napi_sys::napi_delete_async_work(env, work) };
}

/// Leaves the answer in the scratch and calls script's function for that; a refused job's input
/// goes there as an argument, for the host to work on. An exception stays pending: it becomes an
/// uncaught one in the job's context.
///
/// # Safety
///
/// `env` is live, on its thread, with a handle scope open, and no entry is in progress.
unsafe fn settle(env: napi_env, number: u32, job: Job) -> Option<()> {
    let mut data: *mut c_void = ptr::null_mut();
    let mut function = ptr::null_mut();
    let mut receiver = ptr::null_mut();
    let mut argument = ptr::null_mut();
    let mut argument_count = 0;
    // SAFETY: out-pointers are writable. The environment's data is null or its `Shared`, which
    // lives until the environment has no jobs left; no entry is in progress, so nothing else
    // refers to it, and the reference ends before script is called.
    unsafe {
        check(napi_sys::napi_get_instance_data(env, &mut data))?;
        let shared = data.cast::<Shared>().as_mut()?;
        check(napi_sys::napi_get_reference_value(
            env,
            shared.settle,
            &mut function,
        ))?;
        check(napi_sys::napi_get_undefined(env, &mut receiver))?;
        let mut scratch = shared.scratch.parts();
        let answer = job.answer();
        scratch
            .output
            .get_mut(..answer.output.len())?
            .copy_from_slice(&answer.output);
        scratch.set_word(Word::Job, number);
        scratch.set_word(Word::Status, answer.status as u32);
        scratch.set_word(Word::OutputLen, u32::try_from(answer.output.len()).ok()?);
    }
    if matches!(job.answer().status, Status::Refused) {
        let input = job.input();
        // SAFETY: `input` is readable for its length during the call, which copies it; a null
        // out-pointer says that the address of the copy is not asked for.
        check(unsafe {
            napi_sys::napi_create_buffer_copy(
                env,
                input.len(),
                input.as_ptr().cast(),
                ptr::null_mut(),
                &mut argument,
            )
        })?;
        argument_count = 1;
    }
    // Wiped before script runs.
    drop(job);
    // SAFETY: the values are of `env`; `argument` is readable for `argument_count` values. Nothing
    // is asked of the result.
    let called = check(unsafe {
        napi_sys::napi_call_function(
            env,
            receiver,
            function,
            argument_count,
            &argument,
            ptr::null_mut(),
        )
    });
    if called.is_none() {
        // Script took the answer before it threw, or never ran, as when its thread is being ended.
        // SAFETY: `data` was found to be the environment's `Shared` above, script has returned, and
        // nothing else refers to it.
        if let Some(shared) = unsafe { data.cast::<Shared>().as_mut() } {
            // SAFETY: as for an entry: the memory is the module's, and script does not run.
            unsafe { shared.scratch.parts() }.output.fill(0);
        }
    }
    called
}

/// `jobsSettleBy(function)`: keeps script's function that settles jobs, once.
///
/// # Safety
///
/// `env` and `info` are those that Node-API passed to the entry's callback, on its thread, and
/// the function was registered with a pointer to this environment's [`Shared`].
pub(crate) unsafe fn settle_by(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: the arguments are the caller's.
    if let Some((shared, [function, _])) = unsafe { opened(env, info) } {
        // SAFETY: `shared` is the environment's own and nothing else refers to it; the value is
        // of `env`, and the out-pointer writable. Node-API frees the reference with `env`.
        unsafe {
            let settle = &mut (*shared).settle;
            if settle.is_null() {
                napi_sys::napi_create_reference(env, function, 1, settle);
            }
        }
    }
    ptr::null_mut()
}

fn check(status: napi_status) -> Option<()> {
    (status == NapiStatus::napi_ok).then_some(())
}
