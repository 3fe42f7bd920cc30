//! Hosting, platforms and infrastructure tools.

use super::super::rule::Find::{Anywhere, Given, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::kubernetes;
use super::super::shape;

const F: Family = Family::Cloud;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "digitalocean-token",
        F,
        &["doo_v1_", "dop_v1_", "dor_v1_"],
        Token(r"(?i)do[opr]_v1_[0-9a-f]{64}\b"),
    )
    .any_case()
    .examples(&["dop_v1_{hex:64}", "dor_v1_{hex:64}"], &["dop_v1_short"]),
    Rule::new(
        "digitalocean-spaces-key",
        F,
        &["DO00", "DO80"],
        Token(r"DO(?:00|80)[A-Z0-9]{16}\b"),
    )
    .entropy(3.0)
    .examples(&["DO00{B32:16}"], &["DO00X"]),
    Rule::new(
        "cloudflare-origin-ca",
        F,
        &["v1.0-"],
        Token(r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b"),
    )
    .examples(&["v1.0-{hex:24}-{hex:146}"], &["v1.0-beta"]),
    Rule::new(
        "cloudflare-token",
        F,
        &["cfk_", "cfut_", "cfat_"],
        Token(r"cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}\b"),
    )
    .examples(&["cfk_{an:40}{hex:8}"], &["cfk_x"]),
    Rule::new(
        "heroku-key",
        F,
        &["HRKU-"],
        Token(r"HRKU-(?:AA[A-Za-z0-9_-]{58}|[0-9a-f]{8}-[0-9a-f-]{27})"),
    )
    .examples(&["HRKU-AA{url:58}", "HRKU-{uuid}"], &["HRKU-AA"]),
    Rule::new(
        "fly-token",
        F,
        &["fo1_", "fm1", "fm2_"],
        Token(
            r"fo1_[A-Za-z0-9_-]{43}\b|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3}",
        ),
    )
    .entropy(3.5)
    .examples(&["fo1_{url:42}x", "fm2_{b64:160}"], &["fo1_x"]),
    Rule::new(
        "vercel-token",
        F,
        &["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"],
        Token(r"vc[piark]_[A-Za-z0-9]{24,}\b|vercel_blob_rw_[A-Za-z0-9_]{30,}"),
    )
    .entropy(3.0)
    .examples(&["vcp_{an:40}"], &["vcp_abc"]),
    Rule::new(
        "netlify-token",
        F,
        &["nfp_", "nfc_", "nfo_"],
        Token(r"nf[pcoub]_[A-Za-z0-9]{36,40}\b"),
    )
    .examples(&["nfp_{an:36}"], &["nfp_x"]),
    Rule::new(
        "render-token",
        F,
        &["rnd_"],
        Token(r"rnd_[A-Za-z0-9]{28,}\b"),
    )
    .entropy(3.0)
    .examples(&["rnd_{an:28}"], &["rnd_seed"]),
    Rule::new(
        "railway-supabase-token",
        F,
        &["sbp_", "sb_secret_"],
        Token(r"sbp_(?:v[0-9]_)?[0-9a-f]{40}\b|sb_secret_[A-Za-z0-9_-]{20,60}"),
    )
    .examples(&["sbp_{hex:40}", "sb_secret_{url:31}"], &["sbp_x"]),
    Rule::new(
        "planetscale-token",
        F,
        &["pscale_"],
        Token(r"pscale_(?:tkn|oauth|pw|pass)_[A-Za-z0-9_=.-]{30,64}"),
    )
    .any_case()
    .examples(&["pscale_tkn_{url:40}"], &["pscale_tkn_x"]),
    Rule::new(
        "neon-key",
        F,
        &["napi_", "npg_"],
        Token(r"napi_[a-z0-9]{60,}|npg_[A-Za-z0-9]{12,16}\b"),
    )
    .entropy(3.0)
    .examples(&["napi_{low:64}", "npg_{an:12}"], &["napi_env"]),
    Rule::new(
        "databricks-token",
        F,
        &["dapi", "dose"],
        Token(r"dapi[0-9A-Fa-f]{32}(?:-[0-9])?\b|dose[0-9a-f]{32}\b"),
    )
    .examples(&["dapi{hex:32}-3"], &["dapi.internal"]),
    Rule::new(
        "clickhouse-cloud-key",
        F,
        &["4b1d"],
        Token(r"4b1d[A-Za-z0-9]{38}\b"),
    )
    .entropy(3.0)
    .examples(&["4b1d{an:38}"], &["4b1dxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    Rule::new(
        "scalingo-token",
        F,
        &["tk-us-"],
        Token(r"tk-us-[A-Za-z0-9_-]{48}"),
    )
    .examples(&["tk-us-{url:48}"], &["tk-us-x"]),
    Rule::new(
        "pulumi-token",
        F,
        &["pul-"],
        Token(r"pul-[0-9a-f]{40}\b"),
    )
    .examples(&["pul-{hex:40}"], &["pul-l"]),
    Rule::new(
        "terraform-token",
        F,
        &["atlasv1"],
        Anywhere(r"(?i)\b([a-z0-9]{14}\.atlasv1\.[a-z0-9_=-]{60,70})"),
    )
    .entropy(3.5)
    .examples(&["{an:14}.atlasv1.{url:67}"], &["x.atlasv1.y"]),
    Rule::new(
        "vault-token",
        F,
        &["hvs.", "hvb.", "hvr."],
        Token(r"hvs\.[A-Za-z0-9_-]{20,300}|hv[br]\.[A-Za-z0-9_-]{90,300}"),
    )
    .entropy(3.5)
    .check(|token| !shape::is_wordy(token) && shape::digits(token) > 0 && shape::has_both_cases(&token[4..]))
    .examples(&["hvs.{url:95}", "Initial Root Token: hvs.{an:24}"], &["hvs.short", "hvs.get_or_create_default_handler"]),
    Rule::new(
        "vault-legacy-token",
        F,
        &["s.", "b.", "r."],
        Token(r"[sbr]\.[A-Za-z0-9]{24}(?:[^A-Za-z0-9.(_-]|$)"),
    )
    .entropy(3.5)
    .check(|token| {
        shape::digits(token) > 0 && shape::has_both_cases(&token[2..]) && !shape::is_wordy(&token[2..])
    })
    .examples(
        &["s.aB3dE5gH7jK9mN1pQ2rS4tU6"],
        &["s.buildRequestFromTemplate", "s.SOMECONSTANTOFTHEMODULES"],
    ),
    Rule::new(
        "vault-unseal-key",
        F,
        &["Unseal Key", "Recovery Key"],
        Token(r"(?:Unseal|Recovery) Key(?: [0-9]{1,2})?:\s*([A-Za-z0-9+/]{42,44}={0,2})"),
    )
    .examples(&["Unseal Key 1: {b64:44}"], &["Unseal Key 1: ****"]),
    Rule::new(
        "doppler-token",
        F,
        &["dp."],
        Token(r"dp\.(?:ct|pt|st|sa|scim|audit)\.(?:[a-z0-9_-]{1,35}\.)?[A-Za-z0-9]{40,44}\b"),
    )
    .examples(&["dp.pt.{an:43}", "dp.st.dev.{an:43}"], &["dp.pt.x"]),
    Rule::new(
        "infisical-token",
        F,
        &["st."],
        Token(r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}\b"),
    )
    .examples(&["st.{hex:24}.{hex:32}.{hex:32}"], &["st.x"]),
    Rule::new(
        "onepassword-service-token",
        F,
        &["ops_eyJ"],
        Token(r"ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}"),
    )
    .entropy(4.0)
    .examples(&["ops_eyJ{b64:260}"], &["ops_eyJx"]),
    Rule::new(
        "onepassword-secret-key",
        F,
        &["A3-"],
        Token(
            r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b",
        ),
    )
    .entropy(3.5)
    .examples(
        &["A3-{B32:6}-{B32:11}-{B32:5}-{B32:5}-{B32:5}"],
        &["A3-XXXXXX-XXXXXX-XXXXX-XXXXX-XXXXX-XXXXX"],
    ),
    Rule::new(
        "bitwarden-client",
        F,
        &["BW_CLIENTSECRET"],
        Token(r#"BW_CLIENTSECRET["']?\s*[:=]\s*["']?([A-Za-z0-9]{30})\b"#),
    )
    .examples(&["BW_CLIENTSECRET={an:30}"], &["BW_CLIENTSECRET=x"]),
    Rule::new(
        "tailscale-key",
        F,
        &["tskey-"],
        Token(
            r"tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}|tskey-[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,}",
        ),
    )
    .examples(&["tskey-auth-{an:12}-{an:24}"], &["tskey-auth"]),
    Rule::new(
        "defined-networking-token",
        F,
        &["dnkey-"],
        Token(r"(?i)dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    )
    .any_case()
    .examples(&["dnkey-{low:26}-{low:52}"], &["dnkey-x"]),
    Rule::new(
        "openshift-token",
        F,
        &["sha256~"],
        Token(r"sha256~[A-Za-z0-9_-]{43}"),
    )
    .entropy(3.5)
    .examples(&["sha256~{url:43}"], &["sha256~x"]),
    Rule::new(
        "kubernetes-bootstrap-token",
        F,
        &["bootstrap", "kubeadm"],
        Anywhere(
            r#"(?i)(?:bootstrap|kubeadm)[^\n]{0,80}?token(?:\\?["'])?\s{0,3}[:= ]\s{0,3}(?:\\?["'])?([a-z0-9]{6}\.[a-z0-9]{16})\b"#,
        ),
    )
    .any_case()
    .check(|token| token != b"abcdef.0123456789abcdef")
    .examples(
        &["kubeadm join --token {low:6}.{low:16}"],
        &["kubeadm join --token abcdef.0123456789abcdef"],
    ),
    Rule::new(
        "kubernetes-secret",
        F,
        &["kind: Secret", "kind: \"Secret\""],
        Scan(kubernetes::secret),
    )
    .examples(
        &[
            "apiVersion: v1\nkind: Secret\ndata:\n  any: {b64:16}\n",
            "data:\n  a: {an:12}\nkind: Secret\n",
        ],
        &["kind: SecretStore\ndata:\n  any: thing", "kind: Service\nspec:\n  type: LoadBalancer"],
    ),
    Rule::new(
        "docker-config-auth",
        F,
        &["auths", "\"auth\""],
        Anywhere(r#"\\?"auth\\?"\s*:\s*\\?"([A-Za-z0-9+/]{12,}={0,2})\\?""#),
    )
    .entropy(3.0)
    .examples(&[r#""auth": "{b64:40}=""#], &[r#""auth": "none""#]),
    Rule::new(
        "jenkins-token",
        F,
        &["jenkins", "initialAdminPassword"],
        Anywhere(
            r"(?is)jenkins.{0,60}?\b(11[0-9a-f]{32})\b|following password to proceed to installation:\s+([0-9a-f]{32})\b|\b([0-9a-f]{32})\s+This may also be found at",
        ),
    )
    .examples(&["jenkins_token = 11{hex:32}"], &["jenkins 2.401"]),
    Rule::new("circleci-token", F, &["CCIPAT_", "CCIPRJ_"], Token(r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}\b"))
        .examples(&["CCIPAT_{an:22}_{hex:40}"], &["CCIPAT_x"]),
    Rule::new(
        "teamcity-token",
        F,
        &["eyJ0eXAiOiAiVENWMiJ9"],
        Token(r"eyJ0eXAiOiAiVENWMiJ9\.[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{36,}"),
    )
    .examples(&["eyJ0eXAiOiAiVENWMiJ9.{url:36}.{url:48}"], &["eyJ0eXAiOiAiVENWMiJ9"]),
    Rule::new(
        "octopus-key",
        F,
        &["API-"],
        Token(r"API-[A-Z0-9]{25,26}\b"),
    )
    .entropy(3.0)
    .check(|key| shape::digits(key) >= 2)
    .examples(&["API-{B32:20}2B3C44"], &["API-DOCUMENTATIONANDREFERENCES"]),
    Rule::new(
        "harness-key",
        F,
        &["pat.", "sat."],
        Token(r"[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-zA-Z]{24}\.[A-Za-z0-9]{20}\b"),
    )
    .examples(&["pat.{url:22}.{an:24}.{an:20}"], &["pat.x"]),
    Rule::new(
        "truenas-key",
        F,
        &["login_with_api_key", "auth.login"],
        Anywhere(
            r#"api_key["\\]*\s*,\s*["\\]*params["\\]*\s*:\s*\[\s*["\\]*([0-9]+-[A-Za-z0-9]{64})\b"#,
        ),
    )
    .examples(
        &[r#""auth.login_with_api_key", "params":["8-{an:64}"]"#],
        &["auth.login_with_api_key"],
    ),
    Rule::new(
        "meraki-key",
        F,
        &["meraki"],
        Given(r"meraki", r"[0-9a-f]{40}"),
    )
    .entropy(3.0)
    .examples(&["meraki_api_key = {hex:40}"], &["meraki: aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb"]),
    Rule::new(
        "vmware-license",
        F,
        &["vmware", "vsphere", "esxi", "vcenter"],
        Anywhere(
            r"(?i)(?:vmware|vsphere|vcenter|esxi)[^\n]{0,60}?\b([0-9A-HJ-NP-Z]{5}(?:-[0-9A-HJ-NP-Z]{5}){4})\b",
        ),
    )
    .entropy(3.0)
    .examples(&["vmware license 5A0ZP-2K3HJ-7M4NQ-8R9TV-1W6XY"], &["vmware 8.0"]),
];
