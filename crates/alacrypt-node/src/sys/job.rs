//! Jobs on the pool, and their way back: a thread-safe function of Node-API's.
//!
//! The host is told of each job as it tells itself of its own: a resource object and a type name
//! for `async_hooks`, the context of the caller for what is called at the end.
//!
//! An environment that ends does not wait for its jobs. They run to their end on the pool, and what
//! they did is wiped there.

use core::ffi::c_void;
use core::ptr;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use napi_sys::{
    Status as NapiStatus, napi_async_context, napi_callback_info, napi_env, napi_status,
    napi_threadsafe_function, napi_value,
};

use super::call::opened;
use super::register::Shared;
use crate::job::Job;
use crate::memory::Footprint;
use crate::pool::pool;
use crate::scratch::{Status, Word};

/// A job that is done.
struct Finished {
    job: Job,
    /// Script's number of it.
    number: u32,
    /// How long it waited for a thread.
    waited: Duration,
}

/// An environment's jobs; what its thread alone uses.
pub(super) struct Jobs {
    env: napi_env,
    /// Where the pool's threads leave what is done.
    way_back: Option<Arc<WayBack>>,
    /// Jobs under way.
    pending: usize,
    /// Their contexts, by script's numbers.
    contexts: BTreeMap<u32, napi_async_context>,
    /// Bytes of their inputs.
    input_len_bytes: usize,
}

impl Jobs {
    pub(super) const fn new(env: napi_env) -> Self {
        Self {
            env,
            way_back: None,
            pending: 0,
            contexts: BTreeMap::new(),
            input_len_bytes: 0,
        }
    }

    /// Those under way, and what they take.
    pub(super) fn footprint(&self) -> Footprint {
        Footprint {
            count: self.pending,
            bytes: self.pending * size_of::<Finished>() + self.input_len_bytes,
        }
    }
}

/// The way from the pool to one environment; closed when that ends.
struct WayBack(Mutex<Function>);

/// Null once the way is closed.
struct Function(napi_threadsafe_function);

// SAFETY: Node-API lets any thread call such a function until it is released, which happens under the
// lock that each caller holds.
unsafe impl Send for Function {}

impl WayBack {
    fn lock(&self) -> MutexGuard<'_, Function> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is done to its environment, from whatever thread; drops it where that has ended.
    fn send(&self, finished: Finished) {
        let function = self.lock();
        if function.0.is_null() {
            return;
        }
        let data = Box::into_raw(Box::new(finished));
        // SAFETY: the function is live, as only the holder of the lock closes it; `complete` frees
        // `data`. The call does not block.
        let status = unsafe {
            napi_sys::napi_call_threadsafe_function(
                function.0,
                data.cast(),
                napi_sys::ThreadsafeFunctionCallMode::nonblocking,
            )
        };
        if status != NapiStatus::napi_ok {
            // SAFETY: made above, and Node-API did not take it.
            drop(unsafe { Box::from_raw(data) });
        }
    }
}

/// Hands `job` to the pool; `false`, with the job dropped, where that takes none.
///
/// Script may run meanwhile: hooks of `async_hooks` see the resource.
///
/// # Safety
///
/// `env` belongs to the call in progress, on its thread, and `resource` and `type_name` are values
/// of it. `shared` is the environment's own, and nothing refers to it.
pub(super) unsafe fn start(
    env: napi_env,
    shared: *mut Shared,
    resource: napi_value,
    type_name: napi_value,
    number: u32,
    mut job: Job,
) -> bool {
    // SAFETY: of all below: `env`, the values and `shared` are the caller's; a reference into
    // `shared` ends before script can run.
    let Some(way_back) = (unsafe { way_back(env, shared) }) else {
        return false;
    };
    let mut context = ptr::null_mut();
    // SAFETY: as above; the out-pointer is writable. The TypeScript side keeps `resource` alive until
    // the job is settled.
    let status = unsafe { napi_sys::napi_async_init(env, resource, type_name, &mut context) };
    if status != NapiStatus::napi_ok {
        return false;
    }
    // SAFETY: as above.
    unsafe { (*shared).jobs.contexts.insert(number, context) };
    // SAFETY: as above.
    unsafe { keep_alive(env, &mut (*shared).jobs, true) };
    let input_len_bytes = job.input_len_bytes();
    // SAFETY: as above.
    unsafe { (*shared).jobs.input_len_bytes += input_len_bytes };
    let lane = job.lane();
    let submitted = Instant::now();
    let taken = pool().submit(
        lane,
        Box::new(move || {
            let waited = submitted.elapsed();
            job.run();
            way_back.send(Finished {
                job,
                number,
                waited,
            });
        }),
    );
    if !taken {
        // SAFETY: as above.
        unsafe {
            let jobs = &mut (*shared).jobs;
            jobs.input_len_bytes -= input_len_bytes;
            keep_alive(env, jobs, false);
            if let Some(context) = jobs.contexts.remove(&number) {
                napi_sys::napi_async_destroy(env, context);
            }
        }
    }
    taken
}

/// The environment's way back, made on first use.
///
/// # Safety
///
/// As for [`start`].
unsafe fn way_back(env: napi_env, shared: *mut Shared) -> Option<Arc<WayBack>> {
    // SAFETY: the caller's; the reference ends before Node-API is called.
    if let Some(way_back) = unsafe { &(*shared).jobs.way_back } {
        return Some(Arc::clone(way_back));
    }
    let mut name = ptr::null_mut();
    let mut function = ptr::null_mut();
    const NAME: &str = "ALACRYPT";
    // SAFETY: `env` is live, on its thread; the name is readable for its length, the out-pointers are
    // writable. Hooks may run script: nothing here refers to `shared`.
    unsafe {
        check(napi_sys::napi_create_string_latin1(
            env,
            NAME.as_ptr().cast(),
            isize::try_from(NAME.len()).ok()?,
            &mut name,
        ))?;
        check(napi_sys::napi_create_threadsafe_function(
            env,
            ptr::null_mut(),
            ptr::null_mut(),
            name,
            0,
            1,
            ptr::null_mut(),
            None,
            ptr::null_mut(),
            Some(complete),
            &mut function,
        ))?;
        // It keeps the loop alive while there are jobs, and not longer.
        check(napi_sys::napi_unref_threadsafe_function(env, function))?;
    }
    let way_back = Arc::new(WayBack(Mutex::new(Function(function))));
    // SAFETY: `env` is live; `shared` outlives the hook, as Node-API runs hooks before it drops the
    // environment's data. Hooks run in the reverse order: this one before the function's own.
    unsafe {
        (*shared).jobs.way_back = Some(Arc::clone(&way_back));
        check(napi_sys::napi_add_env_cleanup_hook(
            env,
            Some(close),
            shared.cast(),
        ))?;
    }
    Some(way_back)
}

/// Counts a job in or out.
///
/// # Safety
///
/// `env` is live, on its thread, and `jobs` its own.
unsafe fn keep_alive(env: napi_env, jobs: &mut Jobs, more: bool) {
    jobs.pending = if more {
        jobs.pending + 1
    } else {
        jobs.pending.saturating_sub(1)
    };
    let Some(way_back) = &jobs.way_back else {
        return;
    };
    let function = way_back.lock().0;
    if function.is_null() {
        return;
    }
    // SAFETY: the function is live: it is closed on this thread alone.
    unsafe {
        match (jobs.pending, more) {
            (1, true) => napi_sys::napi_ref_threadsafe_function(env, function),
            (0, false) => napi_sys::napi_unref_threadsafe_function(env, function),
            _ => NapiStatus::napi_ok,
        };
    }
}

/// Closes the way back of an environment that ends.
unsafe extern "C" fn close(shared: *mut c_void) {
    // SAFETY: Node-API calls this once, on the environment's thread, with the pointer of `way_back`,
    // while its data is live; no entry is in progress.
    let jobs = unsafe { &mut (*shared.cast::<Shared>()).jobs };
    for context in core::mem::take(&mut jobs.contexts).into_values() {
        // SAFETY: it was made for that environment, which is live until its hooks have run, and the
        // job that it was for is never settled.
        unsafe { napi_sys::napi_async_destroy(jobs.env, context) };
    }
    if let Some(way_back) = jobs.way_back.take() {
        let mut function = way_back.lock();
        let open = core::mem::replace(&mut function.0, ptr::null_mut());
        // SAFETY: it was live; no other thread can call it now, as the lock is held and it is null
        // to the next holder.
        unsafe {
            napi_sys::napi_release_threadsafe_function(
                open,
                napi_sys::ThreadsafeFunctionReleaseMode::abort,
            );
        }
    }
}

/// Ends a job, on its environment's thread; called for each with a scope of its own, behind which the
/// host runs what waits for the next tick, and microtasks.
unsafe extern "C" fn complete(
    env: napi_env,
    _function: napi_value,
    _context: *mut c_void,
    data: *mut c_void,
) {
    // SAFETY: Node-API calls this once for each pointer that `send` gave it.
    let finished = *unsafe { Box::from_raw(data.cast::<Finished>()) };
    // An environment that ends: what it asked for is dropped.
    if env.is_null() {
        return;
    }
    // A panic leaves the callback uncalled; nothing here indexes or allocates in Rust.
    // SAFETY: `env` is live, on its thread, inside a handle scope of Node-API's.
    let _ = catch_unwind(AssertUnwindSafe(|| unsafe { settle(env, finished) }));
}

/// Leaves the answer in the scratch and calls script's function for that; a refused job's input goes
/// there as an argument, for the host to work on.
///
/// # Safety
///
/// `env` is live, on its thread, with a handle scope open, and no entry is in progress.
unsafe fn settle(env: napi_env, finished: Finished) -> Option<()> {
    let Finished {
        job,
        number,
        waited,
    } = finished;
    let mut data: *mut c_void = ptr::null_mut();
    let mut function = ptr::null_mut();
    let mut receiver = ptr::null_mut();
    let mut argument = ptr::null_mut();
    let mut argument_count = 0;
    // SAFETY: out-pointers are writable. The environment's data is null or its `Shared`, which
    // lives as long as `env`; no entry is in progress, so nothing else refers to it, and the
    // reference ends before script is called.
    let context = unsafe {
        check(napi_sys::napi_get_instance_data(env, &mut data))?;
        let shared = data.cast::<Shared>().as_mut()?;
        keep_alive(env, &mut shared.jobs, false);
        shared.jobs.input_len_bytes = shared
            .jobs
            .input_len_bytes
            .saturating_sub(job.input_len_bytes());
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
        scratch.set_word(
            Word::WaitedMicros,
            u32::try_from(waited.as_micros()).unwrap_or(u32::MAX),
        );
        scratch.set_word(Word::Status, answer.status as u32);
        scratch.set_word(Word::OutputLen, u32::try_from(answer.output.len()).ok()?);
        shared.jobs.contexts.remove(&number)
    };
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
    // SAFETY: the context was made in `start` for this `env`, and is destroyed below; the scope is
    // closed before that.
    let scope = context.and_then(|context| unsafe {
        let mut scope = ptr::null_mut();
        let opened = napi_sys::napi_open_callback_scope(env, receiver, context, &mut scope);
        (opened == NapiStatus::napi_ok).then_some(scope)
    });
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
        // Uncaught, in the context of the job: it is told of before the scope is closed.
        let mut exception = ptr::null_mut();
        // SAFETY: `env` is live; an exception that is pending is taken, and told of.
        unsafe {
            if napi_sys::napi_get_and_clear_last_exception(env, &mut exception)
                == NapiStatus::napi_ok
            {
                napi_sys::napi_fatal_exception(env, exception);
            }
        }
    }
    // SAFETY: both were opened for this `env`, and are done with.
    unsafe {
        if let Some(scope) = scope {
            napi_sys::napi_close_callback_scope(env, scope);
        }
        if let Some(context) = context {
            napi_sys::napi_async_destroy(env, context);
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
