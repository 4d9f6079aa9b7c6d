//! Chains of the five shapes, and chains with one fault each.

use std::sync::atomic::{AtomicUsize, Ordering};

use alacrypt_tls::rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, PrivatePkcs8KeyDer,
};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DistinguishedName,
    DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer, KeyIdMethod, KeyPair,
    KeyUsagePurpose, NameConstraints, RevokedCertParams, RsaKeySize, SerialNumber, date_time_ymd,
};

/// Which keys a chain has: root, intermediate, leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    P256,
    Rsa2048,
    /// GTS Root R4 → WE1 → leaf.
    P384Root,
    /// ISRG Root X2 → E7 → leaf.
    P384Twice,
    Rsa4096,
}

pub const SHAPES: [Shape; 5] = [
    Shape::P256,
    Shape::Rsa2048,
    Shape::P384Root,
    Shape::P384Twice,
    Shape::Rsa4096,
];

/// A chain as a server has it: leaf, intermediate, root.
#[derive(Debug)]
pub struct Chain {
    pub certificates: Vec<CertificateDer<'static>>,
    pub root: CertificateDer<'static>,
    pub key: PrivateKeyDer<'static>,
    pub revocation_list: CertificateRevocationListDer<'static>,
    pub leaf_pem: String,
    pub key_pem: String,
}

fn key(bits: &str) -> KeyPair {
    match bits {
        "p256" => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
        "p384" => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384),
        "rsa2048" => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_2048),
        "rsa4096" => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_4096),
        other => panic!("no such key: {other}"),
    }
    .unwrap()
}

fn authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

/// A leaf for `localhost` and 127.0.0.1.
pub fn leaf() -> CertificateParams {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "leaf");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.serial_number = Some(SerialNumber::from(77));
    params
}

/// A chain of a shape, with a good leaf.
pub fn chain(shape: Shape) -> Chain {
    with(shape, leaf(), |_| ())
}

/// A chain with this leaf, and an intermediate that `change` was at.
pub fn with(
    shape: Shape,
    leaf: CertificateParams,
    change: impl FnOnce(&mut CertificateParams),
) -> Chain {
    let [root_key, intermediate_key, leaf_key] = match shape {
        Shape::P256 => ["p256", "p256", "p256"],
        Shape::Rsa2048 => ["rsa2048", "rsa2048", "rsa2048"],
        Shape::P384Root => ["p384", "p256", "p256"],
        Shape::P384Twice => ["p384", "p384", "p256"],
        Shape::Rsa4096 => ["rsa4096", "rsa2048", "rsa2048"],
    }
    .map(key);
    // Two roots of one name would be taken for one: then the signature is bad, not the issuer unknown.
    static ROOTS: AtomicUsize = AtomicUsize::new(0);
    let number = ROOTS.fetch_add(1, Ordering::Relaxed);
    let root = authority(&format!("root {number}"));
    let root_certificate = root.self_signed(&root_key).unwrap();
    let root = Issuer::new(root, root_key);
    let mut intermediate = authority("intermediate");
    change(&mut intermediate);
    let intermediate_certificate = intermediate.signed_by(&intermediate_key, &root).unwrap();
    let intermediate = Issuer::new(intermediate, intermediate_key);
    let certificate = leaf.signed_by(&leaf_key, &intermediate).unwrap();
    let revoked = RevokedCertParams {
        serial_number: SerialNumber::from(77),
        revocation_time: date_time_ymd(2024, 1, 1),
        reason_code: None,
        invalidity_date: None,
    };
    let revocation_list = CertificateRevocationListParams {
        this_update: date_time_ymd(2024, 1, 1),
        next_update: date_time_ymd(4000, 1, 1),
        crl_number: SerialNumber::from(1),
        issuing_distribution_point: None,
        revoked_certs: vec![revoked],
        key_identifier_method: KeyIdMethod::Sha256,
    }
    .signed_by(&intermediate)
    .unwrap();
    Chain {
        leaf_pem: certificate.pem(),
        certificates: vec![
            certificate.der().clone(),
            intermediate_certificate.der().clone(),
            root_certificate.der().clone(),
        ],
        root: root_certificate.der().clone(),
        key_pem: leaf_key.serialize_pem(),
        key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf_key.serialize_der())),
        revocation_list: revocation_list.der().clone(),
    }
}

/// A certificate that signed itself.
pub fn self_signed() -> Chain {
    self_signed_with(leaf())
}

/// The same of a certificate that says it is an authority's, as `openssl req -x509` makes them.
pub fn self_signed_authority() -> Chain {
    let mut params = leaf();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    self_signed_with(params)
}

pub fn self_signed_with(leaf: CertificateParams) -> Chain {
    let leaf_key = key("p256");
    let certificate = leaf.self_signed(&leaf_key).unwrap();
    let other = chain(Shape::P256);
    Chain {
        leaf_pem: certificate.pem(),
        certificates: vec![certificate.der().clone()],
        key_pem: leaf_key.serialize_pem(),
        key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf_key.serialize_der())),
        ..other
    }
}

/// Chains with one fault each, and the code that Node gives.
pub fn faulty() -> Vec<(&'static str, Chain, &'static str)> {
    let shape = Shape::P256;
    let mut expired = leaf();
    expired.not_before = date_time_ymd(2001, 1, 1);
    expired.not_after = date_time_ymd(2002, 1, 1);
    let mut future = leaf();
    future.not_before = date_time_ymd(3999, 1, 1);
    future.not_after = date_time_ymd(4000, 1, 1);
    let mut other_host = CertificateParams::new(["example.org".to_owned()]).unwrap();
    other_host.distinguished_name = DistinguishedName::new();
    let mut client_only = leaf();
    client_only.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let only_elsewhere = |intermediate: &mut CertificateParams| {
        intermediate.name_constraints = Some(NameConstraints {
            permitted_subtrees: vec![GeneralSubtree::DnsName("example.org".into())],
            excluded_subtrees: Vec::new(),
        });
    };
    let mut unsent = chain(shape);
    unsent.certificates.truncate(1);
    let mut damaged = chain(shape);
    let mut bytes = damaged.certificates[0].to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    damaged.certificates[0] = bytes.into();
    let mut stranger = chain(shape);
    stranger.root = chain(shape).root;
    let mut stranger_without_root = chain(shape);
    stranger_without_root.root = chain(shape).root;
    stranger_without_root.certificates.truncate(2);
    vec![
        ("expired", with(shape, expired, |_| ()), "CERT_HAS_EXPIRED"),
        (
            "not yet valid",
            with(shape, future, |_| ()),
            "CERT_NOT_YET_VALID",
        ),
        (
            "for another host",
            with(shape, other_host, |_| ()),
            "ERR_TLS_CERT_ALTNAME_INVALID",
        ),
        (
            "for clients",
            with(shape, client_only, |_| ()),
            "INVALID_PURPOSE",
        ),
        (
            "outside of the issuer's names",
            with(shape, leaf(), only_elsewhere),
            "UNSPECIFIED",
        ),
        (
            "signed by itself",
            self_signed(),
            "DEPTH_ZERO_SELF_SIGNED_CERT",
        ),
        (
            "signed by itself, of an authority",
            self_signed_authority(),
            "DEPTH_ZERO_SELF_SIGNED_CERT",
        ),
        (
            "without its intermediate",
            unsent,
            "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        ),
        (
            "with a damaged signature",
            damaged,
            "CERT_SIGNATURE_FAILURE",
        ),
        ("of an unknown root", stranger, "SELF_SIGNED_CERT_IN_CHAIN"),
        (
            "of an unknown root that is not sent",
            stranger_without_root,
            "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        ),
    ]
}
