//! Hashes, ids and pictures: they look random but are not secrets. None of them may be replaced.

use hark_core::redact::Raw;

use super::made_up::{self, BASE64, Draw};
use super::{redactor, wraps};

const OF_EACH: usize = 15;
const LEAST: usize = 750;

/// A name, and the line that contains it.
const TEMPLATES: &[(&str, &str)] = &[
    ("uuid", "request {uuid} failed after 3 tries"),
    ("uuid as an id", "{\"id\": \"{uuid}\", \"name\": \"shop\"}"),
    ("sha1", "commit {hex:40}"),
    ("sha1 of a merge", "Merge: {hex:9} {hex:9}\nAuthor: someone"),
    ("short hash", "fixed in {hex:7}, see the log"),
    ("sha256", "sha256:{hex:64}"),
    ("sha256 sum", "{hex:64}  hark-x86_64.tar.gz"),
    ("sha512 sum", "{hex:128} *release.zip"),
    ("md5", "md5 {hex:32}"),
    ("etag", "etag: W/\"{hex:40}\""),
    ("blob in a diff", "index {hex:11}..{hex:11} 100644"),
    ("git describe", "version v1.14.{dig:1}-{dig:2}-g{hex:8}-dirty"),
    ("git tree", "100644 blob {hex:40}\tsrc/main.rs"),
    ("nanoid", "<div id=\"{url:21}\">"),
    ("ulid", "event 01{BECH:24} was stored"),
    ("lower ulid", "mem_01{bech:24}"),
    ("mongo id", "{\"_id\": {\"$oid\": \"{hex:24}\"}}"),
    ("cuid", "user c{low:24} joined"),
    ("ksuid", "order 2{an:26} was paid"),
    ("snowflake", "channel {dig:18} is archived"),
    ("trace context", "traceparent: 00-{hex:32}-{hex:16}-01"),
    ("request id", "x-amzn-RequestId: {uuid}"),
    ("cloud trace", "X-Amzn-Trace-Id: Root=1-{hex:8}-{hex:24}"),
    ("bundle name", "dist/assets/index-{an:8}.js 143.21 kB"),
    ("chunk name", "static/js/main.{hex:8}.chunk.js"),
    ("npm integrity", "\"integrity\": \"sha512-{b64:86}==\","),
    ("yarn resolved", "resolved \"https://registry.yarnpkg.com/left-pad/-/left-pad-1.3.0.tgz#{hex:40}\""),
    ("subresource integrity", "<script src=\"x.js\" integrity=\"sha384-{b64:64}\" crossorigin></script>"),
    ("cargo checksum", "checksum = \"{hex:64}\""),
    ("poetry hash", "{file = \"a.whl\", hash = \"sha256:{hex:64}\"},"),
    ("pip hash", "    --hash=sha256:{hex:64} \\"),
    ("go.sum", "github.com/spf13/cobra v1.8.0 h1:{b64:43}="),
    ("go.sum of a jwt module", "github.com/golang-jwt/jwt v3.2.2+incompatible h1:{b64:43}="),
    ("go.sum of a token module", "github.com/acme/token/v2 v2.0.{dig:1}/go.mod h1:{b64:43}="),
    ("nix hash", "hash = \"sha256-{b64:43}=\";"),
    ("docker digest", "FROM node:20@sha256:{hex:64}"),
    ("docker id", "{hex:12}   nginx:1.25   \"/docker-entrypoint.…\"   Up 2 hours"),
    ("pod name", "pod/checkout-{low:9}-{low:5} is running"),
    (
        "certificate print",
        "SHA256 Fingerprint={HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}",
    ),
    ("ssh public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64:43} jane"),
    ("ssh print", "The key fingerprint is SHA256:{b64:43}"),
    ("content id", "ipfs://bafybei{b32:52}"),
    ("transaction", "tx 0x{hex:64} was mined in block 19000000"),
    ("address on a chain", "sent to 0x{hex:40}"),
    ("bucket in an arn", "\"Resource\": \"arn:aws:s3:::acme-logs-{low:6}/*\""),
    ("uuid in a path", "/var/lib/docker/overlay2/{hex:64}/merged"),
    ("build id", "BuildID[sha1]={hex:40}, stripped"),
    ("memory address", "panic at 0x{hex:12}: goroutine {dig:3} [running]"),
    ("cache key", "cache key: node-modules-linux-{hex:64}"),
    ("graphql id", "\"node_id\": \"MDEwOlJlcG9zaXRvcnk{dig:8}\""),
];

/// Pictures and other files as data URIs: real beginnings, then noise.
fn data_uris() -> Vec<String> {
    let starts = [
        ("image/png", "iVBORw0KGgoAAAANSUhEUgAA"),
        ("image/jpeg", "/9j/4AAQSkZJRgABAQAAAQABAAD/"),
        ("image/gif", "R0lGODlhAQABAIAAAAAAAP///y"),
        ("image/webp", "UklGRiQAAABXRUJQVlA4IBgA"),
        ("font/woff2", "d09GMgABAAAAAAPMAAsAAAAA"),
        ("image/x-icon", "AAABAAEAEBAAAAEAIABoBAAA"),
    ];
    let mut made = Vec::new();
    for i in 0..OF_EACH {
        for (kind, start) in starts {
            let mut draw = Draw::of(&format!("{kind} {i}"));
            let body = draw.text(BASE64, 400 + 400 * i);
            made.push(format!("<img src=\"data:{kind};base64,{start}{body}\">"));
        }
        let drawing = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{i}\"><path d=\"M0 0h24v24H0z\"/></svg>"
        );
        made.push(format!("url(data:image/svg+xml;base64,{})", wraps::base64(&drawing)));
    }
    made
}

fn made_up() -> Vec<String> {
    let mut made = data_uris();
    for (name, template) in TEMPLATES {
        made.extend((0..OF_EACH).map(|i| made_up::expand(template, &mut Draw::of(&format!("{name} {i}")))));
    }
    made
}

#[test]
fn hashes_ids_and_pictures_are_left_alone() {
    let redactor = redactor();
    let made = made_up();
    assert!(made.len() >= LEAST, "{}", made.len());
    let changed: Vec<String> = made
        .iter()
        .filter_map(|text| {
            let clean = redactor.clean(Raw::new(text.as_str()));
            (clean.as_str() != text).then(|| {
                let shown: String = text.chars().take(200).collect();
                format!("{shown}\n    became {:.200}", clean.as_str())
            })
        })
        .collect();
    eprintln!("look-alikes: {} of {} replaced", changed.len(), made.len());
    assert!(changed.is_empty(), "{} of {}:\n{}", changed.len(), made.len(), changed.join("\n"));
}
