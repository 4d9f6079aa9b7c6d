//! Node as the oracle: the codes of refused certificates are those that its own `tls` gives.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::process::Command;

use alacrypt_tls::blocking::{self, Options};
use common::chain::{self, Chain, Shape};
use common::server::{self, Server};
use common::{pem, trusting};

const SCRIPT: &str = "
const [port, file] = process.argv.slice(1);
const socket = require('tls').connect({
  port, host: '127.0.0.1', servername: 'localhost', ca: require('fs').readFileSync(file),
});
socket.on('secureConnect', () => { console.log('connected'); socket.destroy(); });
socket.on('error', (error) => console.log(error.code));
";

/// What Node says of a server; none where there is no Node.
fn node(chain: &Chain, server: &Server) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ca.pem");
    std::fs::write(&file, pem(&chain.root)).unwrap();
    let out = Command::new("node")
        .args(["-e", SCRIPT, &server.address.port().to_string()])
        .arg(&file)
        .env_remove("NODE_OPTIONS")
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).unwrap().trim().to_owned();
    assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    Some(text)
}

#[test]
fn refused_certificates_have_the_codes_of_node() {
    let good = chain::chain(Shape::P256);
    let mut cases = vec![("without a fault", good, "connected")];
    cases.extend(chain::faulty());
    for (what, chain, code) in cases {
        let server = Server::start(&chain, server::Options::default());
        let client = trusting(&chain.root).build().unwrap();
        let options = Options::default();
        let ours = match blocking::connect(&client, "localhost", server.address, options) {
            Ok(_) => "connected",
            Err(error) => error.code(),
        };
        assert_eq!(ours, code, "a certificate {what}");
        let Some(of_node) = node(&chain, &server) else {
            eprintln!("skipped: no `node` on this machine");
            return;
        };
        assert_eq!(of_node, code, "a certificate {what}, on Node");
    }
}
