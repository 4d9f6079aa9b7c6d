//! The Node-API addon of the `alacrypt` npm package: marshalling, and nothing else.
//!
//! JavaScript and this addon share one block of memory per environment, the scratch (see
//! `scratch`). The caller writes parameters and input there, makes one call without arguments,
//! or with a string, and finds the output there, or gets it as a string. No argument is parsed,
//! no object is made and nothing is allocated on the way; the TypeScript side has checked all
//! types before.
//!
//! | module | holds |
//! |---|---|
//! | `sys` | the `unsafe` around Node-API: entry points, strings, the scratch's memory |
//! | `scratch` | the layout of the scratch |
//! | `environment` | what belongs to one environment: keyed states, streams, random pool |
//! | `digest`, `mac`, `cipher`, `key`, `sign`, `rsa`, `agree`, `ecdh`, `kem`, `kdf`, `random`, `stream`, `policy` | one file per family |
//! | `work`, `schedule` | work that is done at once only if it is short enough |
//! | `job`, `pool` | work for other threads, and its answer |
//! | `tls` | connections, whose handshakes are jobs |
//! | `input`, `encoding`, `table` | strings in, strings out, objects by number |
//! | `memory` | what an environment holds |

#![deny(unsafe_code)]

mod agree;
mod cipher;
mod digest;
mod ecdh;
mod encoding;
mod environment;
mod input;
mod job;
mod kdf;
mod kem;
mod key;
mod mac;
mod memory;
mod policy;
mod pool;
mod random;
mod rsa;
mod schedule;
mod scratch;
mod sign;
mod stream;
mod sys;
mod table;
mod tls;
mod work;

use sys::{Entry, JOBS_SETTLE_BY, MEMORY, entry, job_entry, question};

/// The functions that the addon exports, by name.
const ENTRIES: [Entry; 89] = [
    question!("fips", policy::fips),
    entry!("putString", input::put_string),
    entry!("digest", digest::of_scratch),
    entry!("digestString", digest::of_string),
    entry!("hmac", mac::of_scratch),
    entry!("hmacString", mac::of_string),
    entry!("hmacStrings", mac::of_strings),
    entry!("cipherWhole", cipher::whole),
    entry!("cipherKeyNew", cipher::key_new),
    entry!("cipherKeyLoad", cipher::key_load),
    entry!("cipherKeyRelease", cipher::key_release),
    entry!("cipherStreamNew", cipher::stream_new),
    entry!("cipherStreamUpdate", cipher::stream_update),
    entry!("cipherStreamUpdateShort", cipher::stream_update_short),
    entry!("cipherStreamFinish", cipher::stream_finish),
    entry!("cipherStreamRelease", cipher::stream_release),
    entry!("keyNew", mac::key_new),
    entry!("keyRelease", mac::key_release),
    entry!("publicKeyNew", key::public_new),
    entry!("privateKeyNew", key::private_new),
    entry!("asymmetricKeyRelease", key::release),
    entry!("publicHalf", key::public_half),
    entry!("sign", sign::sign),
    entry!("verify", sign::verify),
    entry!("publicEncrypt", rsa::public_encrypt),
    entry!("privateDecrypt", rsa::private_decrypt),
    entry!("privateEncrypt", rsa::private_encrypt),
    entry!("publicDecrypt", rsa::public_decrypt),
    entry!("agree", agree::shared_secret),
    entry!("ecdhGenerate", ecdh::generate),
    entry!("ecdhSetPrivateKey", ecdh::set_private_key),
    entry!("ecdhPublicKey", ecdh::public_key),
    entry!("ecdhPrivateKey", ecdh::private_key),
    entry!("ecdhComputeSecret", ecdh::compute_secret),
    entry!("ecdhConvertKey", ecdh::convert_key),
    entry!("ecdhRelease", ecdh::release),
    entry!("encapsulate", kem::encapsulate),
    entry!("decapsulate", kem::decapsulate),
    entry!("hkdf", kdf::hkdf),
    entry!("pbkdf2", kdf::pbkdf2),
    entry!("scrypt", kdf::scrypt),
    entry!("argon2", kdf::argon2),
    JOBS_SETTLE_BY,
    MEMORY,
    job_entry!("publicHalfJob", key::public_half_job),
    job_entry!("signJob", sign::sign_job),
    job_entry!("verifyJob", sign::verify_job),
    job_entry!("agreeJob", agree::shared_secret_job),
    job_entry!("encapsulateJob", kem::encapsulate_job),
    job_entry!("decapsulateJob", kem::decapsulate_job),
    job_entry!("hkdfJob", kdf::hkdf_job),
    job_entry!("pbkdf2Job", kdf::pbkdf2_job),
    job_entry!("scryptJob", kdf::scrypt_job),
    job_entry!("argon2Job", kdf::argon2_job),
    job_entry!("digestJob", digest::of_scratch_job),
    job_entry!("hmacJob", mac::of_scratch_job),
    job_entry!("hmacVerifyJob", mac::verify_job),
    entry!("workBudget", work::budget),
    entry!("poolThreads", work::threads),
    entry!("digestHere", work::digest),
    entry!("hmacHere", work::hmac),
    entry!("hmacVerifyHere", work::hmac_verify),
    entry!("cipherHere", work::cipher),
    entry!("signHere", work::sign),
    entry!("verifyHere", work::verify),
    entry!("hkdfHere", work::hkdf),
    entry!("agreeHere", work::agree),
    entry!("secretKeyNew", key::secret_new),
    entry!("random", random::fill),
    entry!("streamNew", stream::new),
    entry!("streamCopy", stream::copy),
    entry!("streamUpdate", stream::update),
    entry!("streamFinish", stream::finish),
    entry!("streamRelease", stream::release),
    entry!("tlsClientNew", tls::client_new),
    entry!("tlsClientRelease", tls::client_release),
    entry!("tlsNew", tls::connection_new),
    job_entry!("tlsStepJob", tls::step_job),
    entry!("tlsReceive", tls::receive),
    entry!("tlsSend", tls::send),
    entry!("tlsClose", tls::close),
    entry!("tlsDescribe", tls::describe),
    entry!("tlsCopy", tls::copy),
    entry!("tlsRelease", tls::release),
    entry!("tlsFetchNew", tls::fetch::new),
    job_entry!("tlsFetchJob", tls::fetch::job),
    entry!("tlsFetchStop", tls::fetch::stop),
    entry!("tlsFetchResults", tls::fetch::results),
    entry!("tlsFetchRelease", tls::fetch::release),
];
