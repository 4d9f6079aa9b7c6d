#!/usr/bin/env python3
"""Cuts NIST's vectors for signatures, key agreement and encapsulation down to what the tests read.

Run it from this folder: python3 cut_nist.py DIRECTORY, where DIRECTORY is the folder `asymmetric` of
the package `cryptography-vectors`. It changes no value: it keeps the curves and sizes that are
served, repeats what a section says in each of its records, and drops zeros in front of numbers.
The files that it writes are marked in SOURCES.md.
"""

import sys
from pathlib import Path

CURVES = {"P-256": "P256", "P-384": "P384", "P-521": "P521"}
DIGESTS = {"SHA1": "Sha1", "SHA224": "Sha224", "SHA256": "Sha256", "SHA384": "Sha384", "SHA512": "Sha512"}
KAS_CURVES = {"EC": "P256", "ED": "P384", "EE": "P521"}
# Known answers of FIPS 203 and FIPS 204 are long.
KNOWN_ANSWERS = 4


def fields(path, starts):
    """The records of a file, each a dictionary with what its section said; `starts` begins one."""
    section, record = "", {}
    for line in path.read_text().splitlines():
        line = line.strip()
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.startswith("#"):
            continue
        if line.startswith("[") or name in (starts, "n"):
            if starts in record:
                yield record
            modulus = {"n": record["n"]} if "n" in record and not line.startswith("[") else {}
            record = {"section": section, **modulus}
        if line.startswith("["):
            section = line.strip("[]")
        elif equals:
            record["section"] = section
            record[name] = value
    yield record


def number(hexadecimal):
    digits = hexadecimal.lstrip("0")
    return "0" * (len(digits) % 2) + digits


def write(path, source, records):
    count = 0
    with open(path, "w", encoding="ascii", newline="\n") as out:
        out.write(f"# From {source}. Written by cut_nist.py.\n")
        for record in records:
            count += 1
            out.write("\n" + "".join(f"{name} = {value}\n" for name, value in record.items()))
    print(path, count)


def ecdsa(path):
    for record in fields(path, "Msg"):
        curve, _, digest = record["section"].partition(",")
        if curve in CURVES:
            kept = {name: number(record[name]) for name in ("Qx", "Qy", "R", "S")}
            digest = DIGESTS[digest.replace("-", "")]
            yield {"Curve": CURVES[curve], "Digest": digest, "Msg": record["Msg"], **kept, "Result": record["Result"][0]}


def rsa(path):
    for record in fields(path, "SHAAlg"):
        if record["section"] != "mod = 2048":
            continue
        kept = {"n": record["n"], "e": number(record["e"]), "Msg": record["Msg"], "S": record["S"]}
        yield {"Digest": DIGESTS[record["SHAAlg"]], **kept, "Salt": record["SaltVal"], "Result": record["Result"][0]}


def ecdh(path):
    for record in fields(path, "COUNT"):
        name = record["section"].split(" ")[0]
        # An own public key that is wrong is no matter of the primitive.
        if name in KAS_CURVES and "IUT's Static public key" not in record["Result"]:
            kept = {key: number(record[key]) for key in ("QsCAVSx", "QsCAVSy", "dsIUT")}
            yield {"Curve": KAS_CURVES[name], **kept, "Z": record["Z"], "Result": record["Result"].partition(")")[0] + ")"}


def ml_dsa(folder):
    for size in (44, 65, 87):
        for record in list(fields(folder / f"kat_MLDSA_{size}_det_pure.rsp", "count"))[:KNOWN_ANSWERS]:
            kept = {"Seed": record["xi"], "Pk": record["pk"], "Msg": record["msg"], "Context": record["ctx"]}
            signature = record["sm"][: len(record["sm"]) - len(record["msg"])]
            yield {"Kind": f"MlDsa{size}", **kept, "Signature": signature}


def ml_kem(folder):
    for size in (512, 768, 1024):
        for record in list(fields(folder / f"kat_MLKEM_{size}.rsp", "count"))[:KNOWN_ANSWERS]:
            for ciphertext, secret in (("ct", "ss"), ("ct_n", "ss_n")):
                seed = record["d"] + record["z"]
                yield {"Kind": f"MlKem{size}", "Seed": seed, "Ciphertext": record[ciphertext], "Secret": record[secret]}


def main():
    home = Path(sys.argv[1])
    write("sign/ecdsa_sig_ver_nist.txt", "SigVer.rsp, CAVS 11.0", ecdsa(home / "ECDSA/FIPS_186-3/SigVer.rsp"))
    write("sign/rsa_pkcs1_sig_ver_nist.txt", "SigVer15_186-3.rsp, CAVS 11.0", rsa(home / "RSA/FIPS_186-2/SigVer15_186-3.rsp"))
    write("sign/rsa_pss_sig_ver_nist.txt", "SigVerPSS_186-3.rsp, CAVS 11.0", rsa(home / "RSA/FIPS_186-2/SigVerPSS_186-3.rsp"))
    kas = "KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax"
    write("agree/ecdh_kas_nist.txt", f"{kas}, CAVS 11.0", ecdh(home / "ECDH" / kas))
    write("sign/ml_dsa_known_answers.txt", "kat_MLDSA_*_det_pure.rsp", ml_dsa(home / "MLDSA"))
    write("kem/ml_kem_known_answers.txt", "kat_MLKEM_*.rsp", ml_kem(home / "MLKEM"))


main()
