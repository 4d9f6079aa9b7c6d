#!/usr/bin/env bash
# Makes certificates.json: what the TLS tests' servers and clients show. Needs openssl 3.
set -euo pipefail
out="$(cd "$(dirname "$0")" && pwd)/certificates.json"
work="$(mktemp -d)"; trap 'rm -rf "$work"' EXIT; cd "$work"
key() { case "$2" in rsa) openssl genrsa -out "$1.key" 2048 ;; *) openssl ecparam -name "$2" -genkey -noout -out "$1.key" ;; esac 2>/dev/null; openssl pkcs8 -topk8 -nocrypt -in "$1.key" -out "$1.k8"; mv "$1.k8" "$1.key"; }
root() { key "$1" "$2"; openssl req -x509 -new -key "$1.key" -sha256 -days 36500 -subj "/CN=$1" -out "$1.pem" -addext keyUsage=critical,keyCertSign; }
leaf() { # name kind issuer subject extensions [dates…]
  local name="$1" kind="$2" issuer="$3" subject="$4" extensions="$5"; shift 5
  key "$name" "$kind"; printf '%b' "$extensions" > ext
  openssl req -new -key "$name.key" -subj "$subject" -out csr
  openssl x509 -req -in csr -CA "$issuer.pem" -CAkey "$issuer.key" -set_serial "0x$(openssl rand -hex 8)" -sha256 "$@" -extfile ext -out "$name.pem" 2>/dev/null
}
san='subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nbasicConstraints=CA:FALSE\n'
root root prime256v1; root root384 secp384r1; root other prime256v1
leaf intermediate prime256v1 root /CN=intermediate 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n' -days 36500
leaf intermediate384 prime256v1 root384 /CN=intermediate384 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n' -days 36500
leaf server prime256v1 root /CN=localhost "$san" -days 36500
leaf rsa rsa root /CN=localhost "$san" -days 36500
leaf below prime256v1 intermediate /CN=localhost "$san" -days 36500
leaf below384 prime256v1 intermediate384 /CN=localhost "$san" -days 36500
leaf elsewhere prime256v1 root /CN=example.org 'subjectAltName=DNS:example.org,DNS:*.example.net\nbasicConstraints=CA:FALSE\n' -days 36500
leaf nameless prime256v1 root /CN=localhost 'basicConstraints=CA:FALSE\n' -days 36500
leaf client prime256v1 root /CN=client 'extendedKeyUsage=clientAuth\nbasicConstraints=CA:FALSE\n' -days 36500
leaf foreign prime256v1 other /CN=localhost "$san" -days 36500
key self prime256v1
openssl req -x509 -new -key self.key -sha256 -days 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -out self.pem
key version1 prime256v1; openssl req -new -key version1.key -subj /CN=localhost -out csr
openssl x509 -req -in csr -CA root.pem -CAkey root.key -set_serial 7 -sha256 -days 36500 -out version1.pem 2>/dev/null
# `x509 -req` cannot set a start: the small CA can.
touch index.txt; echo 01 > serial
cat > ca.cnf <<C
[ca]
default_ca=d
[d]
database=index.txt
serial=serial
new_certs_dir=.
default_md=sha256
policy=p
[p]
commonName=supplied
C
for dates in 'expired 20200101000000Z 20210101000000Z' 'future 20900101000000Z 20990101000000Z'; do
  set -- $dates; key "$1" prime256v1; printf '%b' "$san" > ext; openssl req -new -key "$1.key" -subj /CN=localhost -out csr
  openssl ca -batch -config ca.cnf -in csr -cert root.pem -keyfile root.key -startdate "$2" -enddate "$3" -extfile ext -notext -out "$1.pem" 2>/dev/null; echo -n > index.txt
done
python3 - "$out" <<'P'
import glob, json, sys
found = {}
for path in sorted(glob.glob('*.pem')):
    name = path[:-4]
    if name in ('01', '02') or not name.isidentifier(): continue
    found[name] = {'cert': open(path).read(), 'key': open(name + '.key').read()}
for name in ('root', 'root384', 'other', 'intermediate', 'intermediate384'): del found[name]['key']
json.dump(found, open(sys.argv[1], 'w'), indent=1)
open(sys.argv[1], 'a').write('\n')
P
