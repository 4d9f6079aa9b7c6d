//! The Node-API addon.
