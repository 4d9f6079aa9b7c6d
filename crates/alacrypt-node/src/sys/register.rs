use core::ffi::{c_char, c_void};
use core::ptr::{self, NonNull};

use napi_sys::{Status as NapiStatus, napi_callback, napi_env, napi_ref, napi_value};

use super::job::Jobs;
use crate::ENTRIES;
use crate::environment::Environment;
use crate::scratch::{
    HEADER_LEN_BYTES, INPUT_CAPACITY_BYTES, LEN_BYTES, OUTPUT_CAPACITY_BYTES, SLACK_BYTES, Scratch,
    WORDS,
};

/// The version of the protocol between this addon and the TypeScript side.
const PROTOCOL: u32 = 7;

/// An exported function.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) callback: unsafe extern "C" fn(napi_env, napi_sys::napi_callback_info) -> napi_value,
}

/// What the functions of one environment share.
pub(crate) struct Shared {
    pub(crate) environment: Environment,
    pub(crate) scratch: ScratchMemory,
    /// The function of script's that settles jobs; Node-API frees what is held with the environment.
    pub(super) settle: napi_ref,
    /// Jobs under way.
    pub(super) jobs: Jobs,
}

/// The memory of an environment's scratch: [`LEN_BYTES`] bytes, aligned for 32-bit words.
pub(crate) struct ScratchMemory(NonNull<u8>);

impl ScratchMemory {
    /// The parts of the scratch.
    ///
    /// # Safety
    ///
    /// Nothing else refers to the memory for the lifetime of the result: the call comes from an
    /// entry, and script does not run meanwhile.
    pub(crate) unsafe fn parts(&mut self) -> Scratch<'_> {
        let start = self.0.as_ptr();
        // SAFETY: the memory is readable and writable for `LEN_BYTES` until the environment
        // ends; the three parts lie in it side by side and do not overlap; its start is aligned
        // for `u32` (checked when it was made), and any bit pattern is a value of each part.
        unsafe {
            Scratch {
                header: &mut *start.cast::<[u32; WORDS]>(),
                output: &mut *start
                    .add(HEADER_LEN_BYTES)
                    .cast::<[u8; OUTPUT_CAPACITY_BYTES]>(),
                input: &mut *start
                    .add(HEADER_LEN_BYTES + OUTPUT_CAPACITY_BYTES)
                    .cast::<[u8; INPUT_CAPACITY_BYTES + SLACK_BYTES]>(),
            }
        }
    }
}

/// The module's entry point: one call per environment, on its thread.
///
/// # Safety
///
/// Called by the Node-API loader only, with a live `env` and the module's `exports` object.
#[unsafe(no_mangle)]
unsafe extern "C" fn napi_register_module_v1(env: napi_env, exports: napi_value) -> napi_value {
    // SAFETY: the arguments are the loader's.
    match std::panic::catch_unwind(|| unsafe { register(env, exports) }) {
        Ok(Ok(())) => exports,
        // An incomplete module: the TypeScript side sees that and leaves all to the host.
        _ => ptr::null_mut(),
    }
}

/// The Node-API version that the addon needs (a loader without this symbol assumes 8).
#[unsafe(no_mangle)]
extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}

/// # Safety
///
/// `env` is live, this is its thread, and `exports` is an object of it.
unsafe fn register(env: napi_env, exports: napi_value) -> Result<(), NapiStatusCode> {
    // SAFETY: of all calls below: `env` is live and on its thread; strings are readable for the
    // lengths given; out-pointers are writable; every value comes from `env`.
    unsafe {
        let mut start = ptr::null_mut();
        let mut scratch = ptr::null_mut();
        check(napi_sys::napi_create_arraybuffer(
            env,
            LEN_BYTES,
            &mut start,
            &mut scratch,
        ))?;
        let memory = NonNull::new(start.cast::<u8>()).ok_or(NapiStatus::napi_generic_failure)?;
        if !memory.cast::<u32>().is_aligned() {
            return Err(NapiStatus::napi_generic_failure);
        }
        // Held for as long as the environment lives, whatever becomes of the exports.
        let mut reference = ptr::null_mut();
        check(napi_sys::napi_create_reference(
            env,
            scratch,
            1,
            &mut reference,
        ))?;

        let shared = Box::into_raw(Box::new(Shared {
            environment: Environment::new(),
            scratch: ScratchMemory(memory),
            settle: ptr::null_mut(),
            jobs: Jobs::new(env),
        }));
        let status = napi_sys::napi_set_instance_data(
            env,
            shared.cast(),
            Some(drop_shared),
            ptr::null_mut(),
        );
        if status != NapiStatus::napi_ok {
            // SAFETY: the pointer was made just above, and Node-API did not take it.
            drop(Box::from_raw(shared));
            return Err(status);
        }

        set(env, exports, "scratch", scratch)?;
        let mut layout = ptr::null_mut();
        check(napi_sys::napi_create_object(env, &mut layout))?;
        for (name, number) in layout_numbers() {
            let mut value = ptr::null_mut();
            check(napi_sys::napi_create_uint32(env, number, &mut value))?;
            set(env, layout, name, value)?;
        }
        set(env, exports, "layout", layout)?;

        for Entry { name, callback } in ENTRIES {
            let callback: napi_callback = Some(callback);
            let mut function = ptr::null_mut();
            check(napi_sys::napi_create_function(
                env,
                name.as_ptr().cast::<c_char>(),
                len(name)?,
                callback,
                shared.cast(),
                &mut function,
            ))?;
            set(env, exports, name, function)?;
        }
    }
    Ok(())
}

fn layout_numbers() -> [(&'static str, u32); 5] {
    let number = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    [
        ("protocol", PROTOCOL),
        ("outputOffset", number(HEADER_LEN_BYTES)),
        ("outputCapacity", number(OUTPUT_CAPACITY_BYTES)),
        (
            "inputOffset",
            number(HEADER_LEN_BYTES + OUTPUT_CAPACITY_BYTES),
        ),
        ("inputCapacity", number(INPUT_CAPACITY_BYTES)),
    ]
}

/// # Safety
///
/// As for [`register`].
unsafe fn set(
    env: napi_env,
    object: napi_value,
    name: &str,
    value: napi_value,
) -> Result<(), NapiStatusCode> {
    let mut key = ptr::null_mut();
    // SAFETY: see the caller's; `name` is readable for its length.
    unsafe {
        check(napi_sys::napi_create_string_latin1(
            env,
            name.as_ptr().cast::<c_char>(),
            len(name)?,
            &mut key,
        ))?;
        check(napi_sys::napi_set_property(env, object, key, value))
    }
}

/// The integer type of Node-API's statuses.
type NapiStatusCode = napi_sys::napi_status;

fn check(status: NapiStatusCode) -> Result<(), NapiStatusCode> {
    if status == NapiStatus::napi_ok {
        Ok(())
    } else {
        Err(status)
    }
}

fn len(name: &str) -> Result<isize, NapiStatusCode> {
    isize::try_from(name.len()).map_err(|_| NapiStatus::napi_invalid_arg)
}

/// Ends an environment: wipes and frees what its functions shared.
unsafe extern "C" fn drop_shared(_env: napi_env, data: *mut c_void, _hint: *mut c_void) {
    // SAFETY: Node-API calls this once, with the pointer given to `napi_set_instance_data`,
    // after which no function of the environment runs.
    drop(unsafe { Box::from_raw(data.cast::<Shared>()) });
}
