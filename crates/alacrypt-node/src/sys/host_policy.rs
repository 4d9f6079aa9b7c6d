use core::ffi::c_void;

/// The host's own answer to whether FIPS is on.
pub(crate) struct HostPolicy {
    #[cfg(unix)]
    is_fips_enabled: Option<unsafe extern "C" fn(*mut c_void) -> core::ffi::c_int>,
}

impl HostPolicy {
    /// Looks for OpenSSL's `EVP_default_properties_is_fips_enabled`, which Node exports. A host
    /// without it (BoringSSL, or no such library at all) cannot switch FIPS on.
    #[cfg(unix)]
    pub(crate) fn find() -> Self {
        // SAFETY: the name is a C string; `RTLD_DEFAULT` looks among the libraries that the
        // process has loaded and runs no code of theirs.
        let symbol = unsafe {
            libc::dlsym(
                libc::RTLD_DEFAULT,
                c"EVP_default_properties_is_fips_enabled".as_ptr(),
            )
        };
        if symbol.is_null() {
            return Self {
                is_fips_enabled: None,
            };
        }
        // SAFETY: OpenSSL 3 declares the function as `int f(OSSL_LIB_CTX *)`. A pointer to a
        // function has the size of a pointer to data on every Unix that Node runs on.
        let is_fips_enabled = unsafe {
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> core::ffi::c_int>(
                symbol,
            )
        };
        Self {
            is_fips_enabled: Some(is_fips_enabled),
        }
    }

    /// Not looked for on this platform: the glue asks the host in JavaScript there.
    #[cfg(not(unix))]
    pub(crate) fn find() -> Self {
        Self {}
    }

    /// Whether FIPS is on, now.
    #[cfg(unix)]
    pub(crate) fn fips(&self) -> bool {
        match self.is_fips_enabled {
            // SAFETY: a null library context is OpenSSL's default one, which Node uses; the
            // call takes OpenSSL's own locks and is made on a thread of the host.
            Some(is_fips_enabled) => unsafe { is_fips_enabled(core::ptr::null_mut()) != 0 },
            None => false,
        }
    }

    /// See [`HostPolicy::find`].
    #[cfg(not(unix))]
    pub(crate) fn fips(&self) -> bool {
        false
    }
}
