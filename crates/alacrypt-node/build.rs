//! Linker settings of the addon.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match os.as_str() {
        // Node unloads an addon when the last environment that loaded it ends. A thread that used
        // the generator or met an error still has a destructor of ours to run, so the process
        // would crash at that thread's exit. Never unload. `Bsymbolic` binds our own calls to
        // our own code, whatever the process has loaded.
        "linux" | "android" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
            println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        }
        // The host supplies the Node-API at load.
        "macos" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup");
        }
        _ => {}
    }
}
