//! What goes wrong, sorted by whose fault it is.
//!
//! Each error has the code that Node gives for it ([`Error::code`]), so that a program which looks
//! at `error.code` need not know who made the connection. Codes of certificates are OpenSSL's
//! `X509_V_ERR_…` without their prefix, as in Node's `tls` documentation.

use std::cell::Cell;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::{AlertDescription, CertificateError, InvalidMessage, PeerIncompatible};

use crate::chains::names_of;

/// Why something failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The caller asked for what cannot be.
    Misuse(String),
    /// The server's certificate was refused.
    Certificate(CertificateFault),
    /// The server refused, or does not speak what this client speaks.
    Peer(PeerFault),
    /// The way to the server failed.
    Network(NetworkFault),
    /// What came is not what was asked for (see [`ContentFault`]).
    Content {
        /// From where, without credentials.
        url: String,
        /// What is wrong with it.
        fault: ContentFault,
    },
    /// The peer broke the protocol above TLS.
    Http(String),
    /// A file could not be written or read.
    File {
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        cause: std::io::Error,
    },
    /// The provider or the operating system failed.
    Backend(String),
}

/// What is wrong with what came.
#[derive(Debug)]
#[non_exhaustive]
pub enum ContentFault {
    /// It is something else: no file is left of it.
    Integrity {
        /// What it should have been.
        expected: String,
        /// What it was.
        found: String,
    },
    /// The server says so, by this status.
    Status(u16),
    /// The server does not have the part that is missing: the next try begins anew.
    Range,
    /// It was sent elsewhere again and again.
    Redirects,
    /// It was sent from https to http.
    Downgrade,
    /// It came, and could not be put in its place.
    Write(std::io::Error),
}

/// A certificate that was refused, and why.
#[derive(Clone, Debug)]
pub struct CertificateFault {
    code: &'static str,
    cause: CertificateError,
}

/// What the peer did.
#[derive(Clone, Debug)]
pub struct PeerFault {
    code: &'static str,
    cause: rustls::Error,
}

/// What became of the connection below TLS.
#[derive(Debug)]
#[non_exhaustive]
pub enum NetworkFault {
    /// The name has no address.
    Unresolved {
        /// The name.
        host: String,
        /// What the resolver said.
        cause: std::io::Error,
    },
    /// The operating system said so.
    Io {
        /// What was going on.
        phase: Phase,
        /// What it said.
        cause: std::io::Error,
    },
    /// The peer closed the connection early.
    Closed {
        /// What was going on.
        phase: Phase,
    },
    /// The peer kept silent.
    Timeout {
        /// What was waited for.
        phase: Phase,
        /// How long.
        after: Duration,
    },
}

/// The part of a connection's life in which something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Looking up the name.
    Dns,
    /// The TCP handshake.
    Tcp,
    /// Talking to a proxy.
    Proxy,
    /// ClientHello sent, no ServerHello yet.
    Hello,
    /// ServerHello seen, the server's flight not complete.
    Flight,
    /// After the handshake.
    Data,
}

impl Error {
    /// The code that Node gives to such an error.
    ///
    /// ```
    /// use rustls::{CertificateError, Error};
    /// let expired = Error::InvalidCertificate(CertificateError::Expired);
    /// assert_eq!(alacrypt_tls::Error::from_tls(expired, &[]).code(), "CERT_HAS_EXPIRED");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Self::Misuse(_) => "ERR_INVALID_ARG_VALUE",
            Self::Certificate(fault) => fault.code,
            Self::Peer(fault) => fault.code,
            Self::Network(fault) => fault.code(),
            Self::Content { fault, .. } => fault.code(),
            Self::Http(_) => "EPROTO",
            Self::File { cause, .. } => file_code(cause),
            Self::Backend(_) => "ERR_CRYPTO_OPERATION_FAILED",
        }
    }

    /// Sorts an error of rustls. `chain` is what the server sent (empty if that is not known): on
    /// it depends which of OpenSSL's four codes an unknown issuer has.
    pub fn from_tls(cause: rustls::Error, chain: &[CertificateDer<'_>]) -> Self {
        use rustls::Error as Tls;
        match cause {
            Tls::InvalidCertificate(cause) => Self::Certificate(CertificateFault {
                code: certificate_code(&cause, &chain.iter().collect::<Vec<_>>()),
                cause,
            }),
            Tls::FailedToGetCurrentTime
            | Tls::FailedToGetRandomBytes
            | Tls::EncryptError
            | Tls::Other(_) => Self::Backend(cause.to_string()),
            Tls::BadMaxFragmentSize
            | Tls::UnsupportedNameType
            | Tls::HandshakeNotComplete
            | Tls::InconsistentKeys(_)
            | Tls::InvalidCertRevocationList(_)
            | Tls::General(_) => Self::Misuse(cause.to_string()),
            cause => Self::Peer(PeerFault {
                code: peer_code(&cause),
                cause,
            }),
        }
    }

    /// Whether the same again may end otherwise.
    #[cfg(feature = "fetch")]
    pub(crate) fn is_worth_repeating(&self) -> bool {
        match self {
            Self::Network(NetworkFault::Unresolved { .. }) => false,
            Self::Network(_) | Self::Http(_) => true,
            Self::Content { fault, .. } => match fault {
                ContentFault::Status(status) => matches!(status, 408 | 429 | 500..),
                ContentFault::Range => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a handshake that failed like this, before the server's first byte, is worth a second
    /// try with a smaller ClientHello: some middleboxes drop what does not fit one segment.
    pub(crate) fn may_be_hello_size(&self) -> bool {
        match self {
            Self::Network(
                NetworkFault::Closed { phase }
                | NetworkFault::Io { phase, .. }
                | NetworkFault::Timeout { phase, .. },
            ) => *phase == Phase::Hello,
            Self::Peer(fault) => matches!(
                fault.cause,
                rustls::Error::AlertReceived(
                    AlertDescription::IllegalParameter
                        | AlertDescription::DecodeError
                        | AlertDescription::HandshakeFailure
                        | AlertDescription::InternalError
                )
            ),
            _ => false,
        }
    }
}

thread_local! {
    /// The code of the chain that was refused last on this thread. rustls hands the chain to the
    /// verifier and keeps it from everybody else if it is refused; both are called by the same step
    /// of a handshake, so on one thread.
    static REFUSED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Joins what the verifier saw to the error that a step of a handshake ends with.
pub(crate) struct RefusedChain(());

impl RefusedChain {
    /// Before the step.
    pub(crate) fn watch() -> Self {
        REFUSED.set(None);
        Self(())
    }

    /// In the verifier: this chain was refused.
    pub(crate) fn note(cause: &rustls::Error, chain: &[&CertificateDer<'_>]) {
        if let rustls::Error::InvalidCertificate(cause) = cause {
            REFUSED.set(Some(certificate_code(cause, chain)));
        }
    }

    /// After a step that went well: a chain was refused, and accepted all the same.
    pub(crate) fn accepted(self) -> Option<&'static str> {
        REFUSED.take()
    }

    /// After the step.
    pub(crate) fn explain(self, error: rustls::Error) -> Error {
        match (Error::from_tls(error, &[]), REFUSED.take()) {
            (Error::Certificate(mut fault), Some(code)) => {
                fault.code = code;
                Error::Certificate(fault)
            }
            (error, _) => error,
        }
    }
}

impl CertificateFault {
    /// What rustls says.
    pub fn cause(&self) -> &CertificateError {
        &self.cause
    }
}

impl PeerFault {
    /// What rustls says.
    pub fn cause(&self) -> &rustls::Error {
        &self.cause
    }
}

impl ContentFault {
    /// As npm has them.
    fn code(&self) -> &'static str {
        match self {
            Self::Integrity { .. } => "EINTEGRITY",
            Self::Status(401) => "E401",
            Self::Status(403) => "E403",
            Self::Status(404) => "E404",
            Self::Status(407) => "E407",
            Self::Status(429) => "E429",
            Self::Status(500..) => "E500",
            Self::Status(_) => "EHTTP",
            Self::Range => "E416",
            Self::Redirects => "EREDIRECT",
            Self::Downgrade => "EREDIRECT",
            Self::Write(cause) => file_code(cause),
        }
    }
}

fn file_code(cause: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match cause.kind() {
        ErrorKind::NotFound => "ENOENT",
        ErrorKind::PermissionDenied => "EACCES",
        ErrorKind::StorageFull => "ENOSPC",
        ErrorKind::ReadOnlyFilesystem => "EROFS",
        ErrorKind::IsADirectory => "EISDIR",
        ErrorKind::NotADirectory => "ENOTDIR",
        _ => "EIO",
    }
}

impl NetworkFault {
    fn code(&self) -> &'static str {
        use std::io::ErrorKind;
        match self {
            Self::Unresolved { .. } => "ENOTFOUND",
            Self::Closed { .. } => "ECONNRESET",
            Self::Timeout { .. } => "ETIMEDOUT",
            Self::Io { cause, .. } => match cause.kind() {
                ErrorKind::ConnectionRefused => "ECONNREFUSED",
                ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof => "ECONNRESET",
                ErrorKind::ConnectionAborted => "ECONNABORTED",
                ErrorKind::BrokenPipe => "EPIPE",
                ErrorKind::TimedOut | ErrorKind::WouldBlock => "ETIMEDOUT",
                ErrorKind::HostUnreachable => "EHOSTUNREACH",
                ErrorKind::NetworkUnreachable => "ENETUNREACH",
                ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
                ErrorKind::PermissionDenied => "EACCES",
                _ => "EIO",
            },
        }
    }
}

/// The code of a refused certificate. What OpenSSL has no name for is `UNSPECIFIED`, as in Node.
fn certificate_code(cause: &CertificateError, chain: &[&CertificateDer<'_>]) -> &'static str {
    use CertificateError as C;
    match cause {
        C::Expired | C::ExpiredContext { .. } => "CERT_HAS_EXPIRED",
        C::NotValidYet | C::NotValidYetContext { .. } => "CERT_NOT_YET_VALID",
        C::NotValidForName | C::NotValidForNameContext { .. } => "ERR_TLS_CERT_ALTNAME_INVALID",
        C::UnknownIssuer => unknown_issuer_code(chain),
        C::Revoked => "CERT_REVOKED",
        C::UnknownRevocationStatus => "UNABLE_TO_GET_CRL",
        C::ExpiredRevocationList | C::ExpiredRevocationListContext { .. } => "CRL_HAS_EXPIRED",
        C::BadSignature => "CERT_SIGNATURE_FAILURE",
        C::InvalidPurpose | C::InvalidPurposeContext { .. } => "INVALID_PURPOSE",
        C::ApplicationVerificationFailure => "CERT_REJECTED",
        // webpki looks at this before it looks for an issuer; OpenSSL does not mind it.
        C::Other(_) if is_authority_as_server(cause) => match unknown_issuer_code(chain) {
            code @ ("DEPTH_ZERO_SELF_SIGNED_CERT" | "SELF_SIGNED_CERT_IN_CHAIN") => code,
            _ => "UNSPECIFIED",
        },
        _ => "UNSPECIFIED",
    }
}

/// Whether a server has an authority's certificate, as `openssl req -x509` makes them. webpki's error
/// is known by its name only.
fn is_authority_as_server(cause: &CertificateError) -> bool {
    matches!(cause, CertificateError::Other(other) if other.0.to_string() == "CaUsedAsEndEntity")
}

/// Which of four codes OpenSSL gives when no trusted issuer is found depends on where the chain that
/// was sent ends.
fn unknown_issuer_code(chain: &[&CertificateDer<'_>]) -> &'static str {
    let self_issued = |certificate: &CertificateDer<'_>| {
        names_of(certificate).is_some_and(|(issuer, subject)| issuer == subject)
    };
    match chain {
        [] => "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        [leaf] if self_issued(leaf) => "DEPTH_ZERO_SELF_SIGNED_CERT",
        [_] => "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        [leaf, ..] if self_issued(leaf) => "DEPTH_ZERO_SELF_SIGNED_CERT",
        [.., last] if self_issued(last) => "SELF_SIGNED_CERT_IN_CHAIN",
        _ => "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    }
}

fn peer_code(cause: &rustls::Error) -> &'static str {
    use rustls::Error as Tls;
    match cause {
        Tls::AlertReceived(alert) => alert_code(*alert),
        Tls::NoCertificatesPresented => "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE",
        Tls::PeerIncompatible(
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
        ) => "ERR_SSL_UNSUPPORTED_PROTOCOL",
        Tls::PeerIncompatible(_) => "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
        Tls::DecryptError => "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
        Tls::PeerSentOversizedRecord
        | Tls::InvalidMessage(
            InvalidMessage::MessageTooLarge | InvalidMessage::HandshakePayloadTooLarge,
        ) => "ERR_SSL_PACKET_LENGTH_TOO_LONG",
        // What does not look like TLS at all; OpenSSL finds a version that it does not know.
        Tls::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => "ERR_SSL_WRONG_VERSION_NUMBER",
        Tls::InvalidMessage(_) => "ERR_SSL_BAD_PACKET",
        Tls::InappropriateMessage { .. } | Tls::InappropriateHandshakeMessage { .. } => {
            "ERR_SSL_UNEXPECTED_MESSAGE"
        }
        Tls::NoApplicationProtocol => "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
        _ => "EPROTO",
    }
}

/// The codes of alerts, with OpenSSL's three prefixes: SSL 3, TLS 1.0 to 1.2, TLS 1.3.
fn alert_code(alert: AlertDescription) -> &'static str {
    use AlertDescription as A;
    match alert {
        A::CloseNotify => "ECONNRESET",
        A::UnexpectedMessage => "ERR_SSL_SSLV3_ALERT_UNEXPECTED_MESSAGE",
        A::BadRecordMac => "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC",
        A::HandshakeFailure => "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
        A::NoCertificate => "ERR_SSL_SSLV3_ALERT_NO_CERTIFICATE",
        A::BadCertificate => "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE",
        A::UnsupportedCertificate => "ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
        A::CertificateRevoked => "ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED",
        A::CertificateExpired => "ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED",
        A::CertificateUnknown => "ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN",
        A::IllegalParameter => "ERR_SSL_SSLV3_ALERT_ILLEGAL_PARAMETER",
        A::RecordOverflow => "ERR_SSL_TLSV1_ALERT_RECORD_OVERFLOW",
        A::UnknownCA => "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
        A::AccessDenied => "ERR_SSL_TLSV1_ALERT_ACCESS_DENIED",
        A::DecodeError => "ERR_SSL_TLSV1_ALERT_DECODE_ERROR",
        A::DecryptError => "ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR",
        A::ProtocolVersion => "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
        A::InsufficientSecurity => "ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY",
        A::InternalError => "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR",
        A::InappropriateFallback => "ERR_SSL_TLSV1_ALERT_INAPPROPRIATE_FALLBACK",
        A::UserCanceled => "ERR_SSL_TLSV1_ALERT_USER_CANCELLED",
        A::NoRenegotiation => "ERR_SSL_TLSV1_ALERT_NO_RENEGOTIATION",
        A::UnsupportedExtension => "ERR_SSL_TLSV1_UNSUPPORTED_EXTENSION",
        A::UnrecognisedName => "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
        A::MissingExtension => "ERR_SSL_TLSV13_ALERT_MISSING_EXTENSION",
        A::CertificateRequired => "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
        A::NoApplicationProtocol => "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
        _ => "EPROTO",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse(what) | Self::Backend(what) => f.write_str(what),
            Self::Certificate(fault) if is_authority_as_server(&fault.cause) => f.write_str(
                "certificate refused: it is an authority's (CA:TRUE), which a server's may not be",
            ),
            Self::Certificate(CertificateFault {
                cause: CertificateError::Other(other),
                ..
            }) => write!(f, "certificate refused: {}", other.0),
            Self::Certificate(fault) => write!(f, "certificate refused: {}", fault.cause),
            Self::Peer(fault) => fault.cause.fmt(f),
            Self::Network(fault) => fault.fmt(f),
            Self::Content { url, fault } => write!(f, "{url}: {fault}"),
            Self::Http(what) => write!(f, "HTTP: {what}"),
            Self::File { path, cause } => write!(f, "{}: {cause}", path.display()),
        }
    }
}

impl fmt::Display for ContentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integrity { expected, found } => {
                write!(
                    f,
                    "integrity check failed: expected {expected}, found {found}"
                )
            }
            Self::Status(status) => write!(f, "the server answers with status {status}"),
            Self::Range => f.write_str("the server does not have the missing part"),
            Self::Redirects => f.write_str("too many redirects"),
            Self::Downgrade => f.write_str("a redirect leads from https to http"),
            Self::Write(cause) => write!(f, "cannot be put in its place: {cause}"),
        }
    }
}

impl fmt::Display for NetworkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unresolved { host, cause } => write!(f, "no address for {host}: {cause}"),
            Self::Io { phase, cause } => write!(f, "{phase}: {cause}"),
            Self::Closed { phase } => write!(f, "{phase}: the peer closed the connection"),
            Self::Timeout { phase, after } => write!(f, "{phase}: nothing came in {after:?}"),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "DNS",
            Self::Tcp => "TCP connection",
            Self::Proxy => "proxy",
            Self::Hello => "TLS handshake, before the server's hello",
            Self::Flight => "TLS handshake, after the server's hello",
            Self::Data => "after the TLS handshake",
        })
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Peer(fault) => Some(&fault.cause),
            Self::Network(
                NetworkFault::Io { cause, .. } | NetworkFault::Unresolved { cause, .. },
            ) => Some(cause),
            _ => None,
        }
    }
}
