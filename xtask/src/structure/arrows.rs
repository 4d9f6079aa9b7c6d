//! Dependencies point one way: npm → node → {tls, engine}, {cli, lab} → tls; nobody depends on the lab.

use serde_json::Value;

use super::Violation;

/// A member of the workspace, the members it may depend on, and whether Node-API may enter.
struct Room {
    member: &'static str,
    may_depend_on: &'static [&'static str],
    node_api: bool,
}

/// Every member has a line here: a new one is refused until its arrows are decided.
const ROOMS: [Room; 6] = [
    Room {
        member: "alacrypt",
        may_depend_on: &[],
        node_api: false,
    },
    Room {
        member: "alacrypt-tls",
        may_depend_on: &[],
        node_api: false,
    },
    Room {
        member: "alacrypt-cli",
        may_depend_on: &["alacrypt-tls"],
        node_api: false,
    },
    Room {
        member: "alacrypt-node",
        may_depend_on: &["alacrypt", "alacrypt-tls"],
        node_api: true,
    },
    Room {
        member: "alacrypt-lab",
        // `tls connect` times the handshakes of a real client, by that crate's public timings. What
        // the lab measures on behalf of others (`compare`, `run`, `loop`) knows nothing of it.
        may_depend_on: &["alacrypt-tls"],
        node_api: false,
    },
    Room {
        member: "xtask",
        may_depend_on: &[],
        node_api: false,
    },
];

/// Checks the arrows between the members, from the output of `cargo metadata --no-deps`.
///
/// Dependencies of every kind count, those of tests and build scripts as well.
pub(crate) fn between_crates(metadata: &Value) -> Vec<Violation> {
    let packages = metadata["packages"].as_array();
    let packages = packages.map(Vec::as_slice).unwrap_or_default();
    if packages.is_empty() {
        return vec!["cargo metadata lists no package".to_owned()];
    }
    let members: Vec<&str> = packages.iter().map(name_of).collect();
    let mut violations = Vec::new();
    for package in packages {
        let member = name_of(package);
        let Some(room) = ROOMS.iter().find(|room| room.member == member) else {
            violations.push(format!(
                "{member}: no room is laid out for it in xtask/src/structure/arrows.rs"
            ));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let target = name_of(dependency);
            if members.contains(&target) && !room.may_depend_on.contains(&target) {
                violations.push(format!("{member}: must not depend on {target}"));
            }
            if is_node_api(target) && !room.node_api {
                violations.push(format!("{member}: Node-API must not enter ({target})"));
            }
        }
    }
    violations
}

/// Checks that the shipped npm package needs no other at run time.
pub(crate) fn of_npm_package(manifest: &Value) -> Vec<Violation> {
    let name = name_of(manifest);
    ["dependencies", "peerDependencies", "bundleDependencies"]
        .into_iter()
        .filter(|field| match &manifest[*field] {
            Value::Null => false,
            Value::Object(map) => !map.is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        })
        .map(|field| format!("npm package {name}: must have no `{field}`"))
        .collect()
}

fn is_node_api(crate_name: &str) -> bool {
    ["napi", "neon", "nodejs-sys"]
        .iter()
        .any(|family| crate_name.starts_with(family))
}

fn name_of(object: &Value) -> &str {
    object["name"].as_str().unwrap_or("(without a name)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workspace(arrows: &[(&str, &[&str])]) -> Value {
        let packages: Vec<Value> = arrows
            .iter()
            .map(|(name, targets)| {
                let dependencies: Vec<Value> = targets
                    .iter()
                    .map(|target| json!({ "name": target, "kind": "dev" }))
                    .collect();
                json!({ "name": name, "dependencies": dependencies })
            })
            .collect();
        json!({ "packages": packages })
    }

    #[test]
    fn arrows_that_point_down_are_fine() {
        let metadata = workspace(&[
            ("alacrypt", &["aws-lc-sys"]),
            ("alacrypt-tls", &["rustls"]),
            ("alacrypt-node", &["alacrypt", "alacrypt-tls", "napi-sys"]),
            ("alacrypt-lab", &["serde_json", "alacrypt-tls"]),
            ("xtask", &[]),
        ]);
        assert_eq!(between_crates(&metadata), Vec::<Violation>::new());
    }

    #[test]
    fn arrows_the_other_way_are_refused() {
        for (from, to) in [
            ("alacrypt", "alacrypt-node"),
            ("alacrypt", "alacrypt-tls"),
            ("alacrypt-tls", "alacrypt-node"),
            ("alacrypt-tls", "alacrypt-lab"),
            ("alacrypt-node", "alacrypt-lab"),
            ("xtask", "alacrypt-lab"),
            ("alacrypt-lab", "alacrypt"),
            ("alacrypt-lab", "alacrypt-cli"),
        ] {
            let metadata = workspace(&[(from, &[to]), (to, &[])]);
            assert_eq!(
                between_crates(&metadata),
                [format!("{from}: must not depend on {to}")]
            );
        }
    }

    #[test]
    fn node_api_stays_in_its_room() {
        for target in ["napi", "napi-sys", "napi-derive", "neon"] {
            let metadata = workspace(&[("alacrypt", &[target])]);
            assert_eq!(between_crates(&metadata).len(), 1, "{target}");
        }
    }

    #[test]
    fn unknown_members_and_empty_workspaces_are_refused() {
        assert_eq!(
            between_crates(&workspace(&[("alacrypt-new", &[])])).len(),
            1
        );
        assert_eq!(between_crates(&workspace(&[])).len(), 1);
        assert_eq!(between_crates(&json!({})).len(), 1);
    }

    #[test]
    fn the_npm_package_has_no_runtime_dependencies() {
        let fine = json!({ "name": "alacrypt", "devDependencies": { "typescript": "1.0.0" } });
        assert_eq!(of_npm_package(&fine), Vec::<Violation>::new());
        let empty = json!({ "name": "alacrypt", "dependencies": {} });
        assert_eq!(of_npm_package(&empty), Vec::<Violation>::new());
        for field in ["dependencies", "peerDependencies"] {
            let wrong = json!({ "name": "alacrypt", field: { "left-pad": "1.0.0" } });
            assert_eq!(of_npm_package(&wrong).len(), 1, "{field}");
        }
        let bundled = json!({ "name": "alacrypt", "bundleDependencies": ["left-pad"] });
        assert_eq!(of_npm_package(&bundled).len(), 1);
    }
}
