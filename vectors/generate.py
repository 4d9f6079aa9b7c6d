#!/usr/bin/env python3
"""Writes the vectors whose answers come from Python's hashlib and hmac (OpenSSL underneath).

Run it from this folder: python3 generate.py. It needs RIPEMD-160 and MD5-SHA1 in hashlib. The
files that it writes are marked in SOURCES.md.
"""

import hashlib
import hmac

# Our name, hashlib's, the block's length in bytes (FIPS 180-4, FIPS 202, RFC 7693), whether the
# output's length is free.
ALGORITHMS = [
    ("Md5", "md5", 64, False),
    ("Sha1", "sha1", 64, False),
    ("Sha224", "sha224", 64, False),
    ("Sha256", "sha256", 64, False),
    ("Sha384", "sha384", 128, False),
    ("Sha512", "sha512", 128, False),
    ("Sha512_224", "sha512_224", 128, False),
    ("Sha512_256", "sha512_256", 128, False),
    ("Sha3_224", "sha3_224", 144, False),
    ("Sha3_256", "sha3_256", 136, False),
    ("Sha3_384", "sha3_384", 104, False),
    ("Sha3_512", "sha3_512", 72, False),
    ("Shake128", "shake_128", 168, True),
    ("Shake256", "shake_256", 136, True),
    ("Blake2b512", "blake2b", 128, False),
    ("Blake2s256", "blake2s", 64, False),
    ("Ripemd160", "ripemd160", 64, False),
    ("Md5Sha1", "md5-sha1", 64, False),
]
XOF_LEN_BYTES = 300
NO_HMAC = {"Shake128", "Shake256"}


def counting(length):
    """Bytes that differ from block to block, so that a lost or repeated one shows."""
    return bytes((7 * i + i // 256) % 251 for i in range(length))


def digest(name, xof, message):
    state = hashlib.new(name, message)
    return state.hexdigest(XOF_LEN_BYTES) if xof else state.hexdigest()


def write(path, title, blocks):
    with open(path, "w", encoding="ascii", newline="\n") as out:
        out.write(f"# {title}\n# Written by generate.py.\n")
        for block in blocks:
            out.write("\n" + "".join(f"{key} = {value}".rstrip() + "\n" for key, value in block))


def examples():
    two_blocks_of_64 = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    two_blocks_of_128 = (
        b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        b"hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    )
    for ours, name, _, xof in ALGORITHMS:
        for unit, times in [
            (b"", 0),
            (b"abc", 1),
            (two_blocks_of_64, 1),
            (two_blocks_of_128, 1),
            (b"\xa3", 200),
            (b"a", 1_000_000),
        ]:
            yield [
                ("Algorithm", ours),
                ("Unit", unit.hex()),
                ("Times", times),
                ("MD", digest(name, xof, unit * times)),
            ]


def lengths():
    for ours, name, block, xof in ALGORITHMS:
        longest = 3 * block + 1
        answers = hashlib.sha256()
        for length in range(longest + 1):
            answers.update(bytes.fromhex(digest(name, xof, counting(length))))
        yield [
            ("Algorithm", ours),
            ("Longest", longest),
            ("SHA256", answers.hexdigest()),
        ]


def macs():
    for ours, name, block, _ in ALGORITHMS:
        if ours in NO_HMAC:
            continue
        for key_len in [0, 1, block - 1, block, block + 1, 3 * block]:
            for message_len in [0, 1, block - 1, block, 2 * block + 1]:
                key, message = counting(key_len + 3)[3:], counting(message_len)
                yield [
                    ("Algorithm", ours),
                    ("KeyLen", key_len),
                    ("MsgLen", message_len),
                    ("MD", hmac.new(key, message, name).hexdigest()),
                ]


write(
    "digest/examples_generated.txt",
    "The messages of NIST's example values and of other standards, for every algorithm",
    examples(),
)
write(
    "digest/lengths_generated.txt",
    "SHA-256 of the digests of counting messages of 0 to Longest bytes, one after the other",
    lengths(),
)
write(
    "mac/hmac_generated.txt",
    "HMAC of counting messages under counting keys, around the block's length",
    macs(),
)
