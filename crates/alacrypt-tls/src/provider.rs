//! Providers of primitives, always given to rustls by hand.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs};

/// Who does the arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// AWS-LC. Verifies P-384 signatures in a quarter of ring's time, and has ML-KEM.
    #[default]
    AwsLc,
    /// ring, to compare with. It has no post-quantum key share.
    #[cfg(feature = "ring")]
    Ring,
}

impl Provider {
    /// Short name, as on command lines: `aws-lc` or `ring`.
    pub fn name(self) -> &'static str {
        match self {
            Self::AwsLc => "aws-lc",
            #[cfg(feature = "ring")]
            Self::Ring => "ring",
        }
    }

    /// Whether it has the hybrid post-quantum key share.
    pub fn has_hybrid(self) -> bool {
        self == Self::AwsLc
    }

    /// rustls's own provider with these key shares, most wanted first.
    pub(crate) fn rustls(self, hybrid: bool, only_hybrid: bool) -> Arc<CryptoProvider> {
        let mut provider = match self {
            Self::AwsLc => aws_lc_rs::default_provider(),
            #[cfg(feature = "ring")]
            Self::Ring => rustls::crypto::ring::default_provider(),
        };
        if self == Self::AwsLc {
            let hybrid_group: &'static dyn SupportedKxGroup = aws_lc_rs::kx_group::X25519MLKEM768;
            let mut groups: Vec<&'static dyn SupportedKxGroup> = Vec::new();
            if hybrid || only_hybrid {
                groups.push(hybrid_group);
            }
            if !only_hybrid {
                groups.extend([
                    aws_lc_rs::kx_group::X25519,
                    aws_lc_rs::kx_group::SECP256R1,
                    aws_lc_rs::kx_group::SECP384R1,
                ]);
            }
            provider.kx_groups = groups;
        }
        Arc::new(provider)
    }
}
