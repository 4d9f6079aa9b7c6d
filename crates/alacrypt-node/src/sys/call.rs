use core::ffi::c_void;
use core::ptr;
use core::slice;
use core::sync::atomic::AtomicU8;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi_sys::{Status as NapiStatus, napi_callback_info, napi_env, napi_value};

use super::job;
use super::register::Shared;
use crate::encoding::Encoding;
use crate::environment::Environment;
use crate::job::Job;
use crate::scratch::{INPUT_CAPACITY_BYTES, SLACK_BYTES, Scratch, Status, Word};

/// The most arguments that an entry takes.
const ARGUMENTS: usize = 2;

/// Digests and tags are no longer than this.
const COMMON_OUTPUT_BYTES: usize = 64;
/// No longer than this are most signatures and the outputs of extendable-output functions.
const LONG_OUTPUT_BYTES: usize = 1024;

/// One call from script.
pub(crate) struct Call<'call> {
    pub(crate) environment: &'call mut Environment,
    pub(crate) scratch: Scratch<'call>,
    env: napi_env,
    arguments: [napi_value; ARGUMENTS],
}

/// What a handler wants returned.
pub(crate) enum Outcome {
    /// A status, and `undefined`.
    Status(Status),
    /// So many bytes of output, in the encoding that the header names.
    Output(usize),
}

impl<'call> Call<'call> {
    /// # Safety
    ///
    /// `env`, `shared` and `arguments` are of the call in progress. Nothing else refers to what
    /// `shared` points at for the lifetime of the result, and script does not run.
    #[inline(always)]
    unsafe fn new(env: napi_env, shared: *mut Shared, arguments: [napi_value; ARGUMENTS]) -> Self {
        // SAFETY: the data is this environment's `Shared`, which lives until the environment
        // ends. One environment runs on one thread, so no second call refers to it.
        let shared: &'call mut Shared = unsafe { &mut *shared };
        // SAFETY: the scratch's memory belongs to an ArrayBuffer that the module holds and never
        // gives away, so it is neither freed, moved nor shared with another thread; script does
        // not run during the call. `Scratch`'s three parts lie side by side in it.
        let scratch = unsafe { shared.scratch.parts() };
        Self {
            environment: &mut shared.environment,
            scratch,
            env,
            arguments,
        }
    }

    /// Writes argument `index`, a string, as UTF-8 to the input from `offset` on and returns its
    /// length in bytes. Lone surrogates become U+FFFD, as in Node's own conversion. `None` if it
    /// is no string or does not fit.
    pub(crate) fn string_to_input(&mut self, index: usize, offset: usize) -> Option<usize> {
        let argument = *self.arguments.get(index)?;
        let capacity = INPUT_CAPACITY_BYTES.checked_sub(offset)?;
        // The function cuts a text that is too long between two characters, up to three bytes
        // before the terminator. With this much room behind the input, what was cut is longer
        // than the input.
        const ROOM_BEHIND: usize = 5;
        const { assert!(ROOM_BEHIND <= SLACK_BYTES) };
        let room = self
            .scratch
            .input
            .get_mut(offset..INPUT_CAPACITY_BYTES + ROOM_BEHIND)?;
        let mut written = 0;
        // SAFETY: `env` and the argument belong to the call in progress; `room` is writable for
        // its length, which includes the terminator that the function writes behind the text.
        let status = unsafe {
            napi_sys::napi_get_value_string_utf8(
                self.env,
                argument,
                room.as_mut_ptr().cast(),
                room.len(),
                &mut written,
            )
        };
        (status == NapiStatus::napi_ok && written <= capacity).then_some(written)
    }

    /// The call's two arguments, `Uint8Array`s of one length: data, and where its output goes. They
    /// can be taken once. `None` for all else.
    pub(crate) fn take_data_and_out(&mut self) -> Option<(&'call [AtomicU8], &'call mut [u8])> {
        let [data, out] = core::mem::replace(&mut self.arguments, [ptr::null_mut(); ARGUMENTS]);
        let (data, data_len) = bytes(self.env, data)?;
        let (out, out_len) = bytes(self.env, out)?;
        if data_len != out_len {
            return None;
        }
        if data_len == 0 {
            return Some((&[], &mut []));
        }
        // SAFETY: both are readable for their lengths for as long as script does not run, as their
        // buffers are arguments of the call in progress. Script may share `data`'s memory with
        // another thread, which is why it is seen as atomic bytes. `out` was made by the TypeScript
        // side for this call: nothing else refers to its memory, and arguments are taken once.
        unsafe {
            Some((
                slice::from_raw_parts(data.cast::<AtomicU8>(), data_len),
                slice::from_raw_parts_mut(out, out_len),
            ))
        }
    }

    /// The call's two arguments, `Uint8Array`s: data, and room for output. Either may be missing, and
    /// is then empty. They can be taken once. `None` for all else.
    pub(crate) fn take_data_and_room(&mut self) -> Option<(&'call [u8], &'call mut [u8])> {
        let [data, room] = core::mem::replace(&mut self.arguments, [ptr::null_mut(); ARGUMENTS]);
        let (data, data_len) = bytes_if_any(self.env, data)?;
        let (room, room_len) = bytes_if_any(self.env, room)?;
        // SAFETY: both are readable for their lengths (a dangling pointer, if there are none) for as
        // long as script does not run, as their buffers are arguments of the call in progress. The
        // TypeScript side passes no data in memory that threads share (it copies such first), and made
        // `room` for this call: nothing else refers to its memory, and arguments are taken once.
        unsafe {
            Some((
                slice::from_raw_parts(data, data_len),
                slice::from_raw_parts_mut(room, room_len),
            ))
        }
    }

    /// Tells the host's collector of native memory that script keeps alive: what it sees of a key is a
    /// number.
    pub(crate) fn report_more_memory(&self, len_bytes: usize) {
        self.report_memory(i64::try_from(len_bytes).unwrap_or(0));
    }

    /// As [`Call::report_more_memory`], of memory that is free again.
    pub(crate) fn report_less_memory(&self, len_bytes: usize) {
        self.report_memory(i64::try_from(len_bytes).map_or(0, |len_bytes| -len_bytes));
    }

    fn report_memory(&self, change: i64) {
        if change == 0 {
            return;
        }
        let mut sum = 0;
        // SAFETY: `env` belongs to the call in progress; the out-pointer is writable. It runs no script;
        // that it failed would change nothing here.
        unsafe { napi_sys::napi_adjust_external_memory(self.env, change, &mut sum) };
    }

    fn returned(&mut self, outcome: Outcome) -> napi_value {
        let (status, value) = match outcome {
            Outcome::Status(status) => (status, ptr::null_mut()),
            Outcome::Output(len) => match self.output_value(len) {
                Some(value) => (Status::Done, value),
                None => (Status::Refused, ptr::null_mut()),
            },
        };
        self.scratch.set_word(Word::Status, status as u32);
        value
    }

    /// The output as a string, or `undefined` (a null pointer) where it stays in the scratch.
    fn output_value(&mut self, len: usize) -> Option<napi_value> {
        let encoding = Encoding::from_number(self.scratch.word(Word::Encoding))?;
        if encoding == Encoding::Scratch {
            return Some(ptr::null_mut());
        }
        let output = self.scratch.output.get_mut(..len)?;
        let value = if len <= COMMON_OUTPUT_BYTES {
            let mut text = [0; 2 * COMMON_OUTPUT_BYTES];
            string(self.env, encoding.encode(output, &mut text)?)
        } else if len <= LONG_OUTPUT_BYTES {
            let mut text = [0; 2 * LONG_OUTPUT_BYTES];
            string(self.env, encoding.encode(output, &mut text)?)
        } else {
            let mut text = [0; 2 * crate::scratch::OUTPUT_CAPACITY_BYTES];
            string(self.env, encoding.encode(output, &mut text)?)
        };
        output.fill(0);
        value
    }
}

/// Where the bytes of a `Uint8Array` are, and how many.
fn bytes(env: napi_env, value: napi_value) -> Option<(*mut u8, usize)> {
    if value.is_null() {
        return None;
    }
    let mut kind = 0;
    let mut len = 0;
    let mut start: *mut c_void = ptr::null_mut();
    // SAFETY: `env` and `value` belong to the call in progress; the out-pointers are writable, and
    // null ones say that buffer and offset are not asked for.
    let status = unsafe {
        napi_sys::napi_get_typedarray_info(
            env,
            value,
            &mut kind,
            &mut len,
            &mut start,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    let start = start.cast::<u8>();
    (status == NapiStatus::napi_ok
        && kind == napi_sys::TypedarrayType::uint8_array
        && (len == 0 || !start.is_null()))
    .then_some((start, len))
}

/// As [`bytes`]; none for `undefined`. The pointer is never null.
fn bytes_if_any(env: napi_env, value: napi_value) -> Option<(*mut u8, usize)> {
    let nothing = (ptr::NonNull::dangling().as_ptr(), 0);
    if value.is_null() {
        return Some(nothing);
    }
    let mut kind = napi_sys::ValueType::napi_undefined;
    // SAFETY: `env` and `value` belong to the call in progress; the out-pointer is writable.
    let status = unsafe { napi_sys::napi_typeof(env, value, &mut kind) };
    if status == NapiStatus::napi_ok && kind == napi_sys::ValueType::napi_undefined {
        return Some(nothing);
    }
    match bytes(env, value)? {
        (_, 0) => Some(nothing),
        found => Some(found),
    }
}

/// A string of one-byte characters.
fn string(env: napi_env, text: &[u8]) -> Option<napi_value> {
    let len = isize::try_from(text.len()).ok()?;
    let mut value = ptr::null_mut();
    // SAFETY: `env` belongs to the call in progress; `text` is readable for `len` bytes during
    // the call, which copies them.
    let status =
        unsafe { napi_sys::napi_create_string_latin1(env, text.as_ptr().cast(), len, &mut value) };
    (status == NapiStatus::napi_ok).then_some(value)
}

/// Runs `handler` for one call. No panic passes: it becomes the status [`Status::Refused`].
///
/// # Safety
///
/// `env` and `info` are those that Node-API passed to the entry's callback, on its thread, and
/// the function was registered with a pointer to this environment's [`Shared`].
#[inline(always)]
pub(crate) unsafe fn dispatch(
    env: napi_env,
    info: napi_callback_info,
    handler: impl FnOnce(&mut Call<'_>) -> Outcome,
) -> napi_value {
    // SAFETY: the arguments are the caller's.
    let Some((shared, arguments)) = (unsafe { opened(env, info) }) else {
        return ptr::null_mut();
    };
    // SAFETY: no handler calls into script, so no second call can be in progress.
    let mut call = unsafe { Call::new(env, shared, arguments) };
    // A panic leaves nothing half-made that a later call could see: tables change in single
    // steps, and the scratch is written anew by each call.
    match catch_unwind(AssertUnwindSafe(|| {
        let outcome = handler(&mut call);
        call.returned(outcome)
    })) {
        Ok(value) => value,
        Err(_) => {
            call.scratch.set_word(Word::Status, Status::Refused as u32);
            ptr::null_mut()
        }
    }
}

/// Runs `handler` for one call and gives the job that it makes to the pool: the call's first argument is
/// the job's resource object for `async_hooks`, the second the name of its type, and the header has its
/// number. No panic passes.
///
/// # Safety
///
/// As for [`dispatch`].
pub(crate) unsafe fn dispatch_job(
    env: napi_env,
    info: napi_callback_info,
    handler: impl FnOnce(&mut Call<'_>) -> Option<Job>,
) -> napi_value {
    // SAFETY: the arguments are the caller's.
    let Some((shared, arguments)) = (unsafe { opened(env, info) }) else {
        return ptr::null_mut();
    };
    let made = {
        // SAFETY: no handler calls into script; the reference ends with this block.
        let mut call = unsafe { Call::new(env, shared, arguments) };
        let number = call.scratch.word(Word::Job);
        catch_unwind(AssertUnwindSafe(|| handler(&mut call)))
            .ok()
            .flatten()
            .map(|job| (number, job))
    };
    let [resource, type_name] = arguments;
    // SAFETY: `env` and the arguments are of the call in progress, and nothing refers to `shared`:
    // script may run meanwhile.
    let started = made.is_some_and(|(number, job)| unsafe {
        job::start(env, shared, resource, type_name, number, job)
    });
    // SAFETY: script that ran has returned, and its calls with it.
    let mut call = unsafe { Call::new(env, shared, arguments) };
    let status = if started {
        Status::Done
    } else {
        Status::Refused
    };
    call.scratch.set_word(Word::Status, status as u32);
    ptr::null_mut()
}

/// What an entry was called with: its environment's [`Shared`], and its arguments.
///
/// # Safety
///
/// As for [`dispatch`].
#[inline(always)]
pub(super) unsafe fn opened(
    env: napi_env,
    info: napi_callback_info,
) -> Option<(*mut Shared, [napi_value; ARGUMENTS])> {
    let mut arguments = [ptr::null_mut(); ARGUMENTS];
    let mut count = ARGUMENTS;
    let mut data: *mut c_void = ptr::null_mut();
    // SAFETY: `env` and `info` are of the call in progress; `arguments` is writable for `count`
    // values, and missing ones are filled with `undefined`.
    let status = unsafe {
        napi_sys::napi_get_cb_info(
            env,
            info,
            &mut count,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
            &mut data,
        )
    };
    let shared = data.cast::<Shared>();
    (status == NapiStatus::napi_ok && !shared.is_null()).then_some((shared, arguments))
}

/// Answers a question with `true` or `undefined`; a panic counts as `true`, the careful answer.
///
/// # Safety
///
/// `env` is the one that Node-API passed to the entry's callback, on its thread.
#[inline(always)]
pub(crate) unsafe fn answer(env: napi_env, handler: impl FnOnce() -> bool) -> napi_value {
    let mut value = ptr::null_mut();
    if catch_unwind(AssertUnwindSafe(handler)).unwrap_or(true) {
        // SAFETY: `env` belongs to the call in progress; the out-pointer is writable. On failure
        // the value stays null, which is `undefined`.
        unsafe { napi_sys::napi_get_boolean(env, true, &mut value) };
    }
    value
}
