//! Fast cryptographic primitives on AWS-LC.
