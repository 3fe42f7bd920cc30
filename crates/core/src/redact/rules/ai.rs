//! Model providers and the services around them.

use std::ops::Range;

use super::super::boundary;
use super::super::rule::Find::{Anywhere, Given, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Ai;

/// `key_` begins too many names for a regex.
fn cursor(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let hex = text[at + 4..].iter().take(66).take_while(|b| b.is_ascii_hexdigit()).count();
    let ends = !text.get(at + 4 + hex).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    if (hex == 64 || hex == 32) && ends && boundary::before(text, at) && (at == 0 || text[at - 1] != b'_') {
        out.push(at..at + 4 + hex);
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule::new("copilot-token", F, &["tid="], Token(r"tid=[0-9a-f]{32};[A-Za-z0-9_=;:.,%-]{16,}"))
        .examples(&["Bearer tid={hex:32};exp=1760000000;sku=x:{hex:64}"], &["tid=42"]),
    Rule::new("cursor-key", F, &["key_"], Scan(cursor))
        .entropy(3.0)
        .examples(&["key_{hex:64}", "CURSOR_API_KEY=key_{hex:64}"], &["key_file", "cache_key_{hex:64}"]),
    Rule::new("gemini-key", F, &["AQ.Ab"], Token(r"AQ\.Ab[A-Za-z0-9_-]{40,70}"))
        .entropy(3.5)
        .examples(&["AQ.Ab8RN6{url:44}"], &["AQ.Ab"]),
    Rule::new("e2b-key", F, &["e2b_", "dtn_"], Token(r"e2b_[0-9a-f]{40}\b|dtn_[0-9a-f]{64}\b"))
        .examples(&["e2b_{hex:40}", "dtn_{hex:64}"], &["e2b_x"]),
    Rule::new("brave-key", F, &["BSA"], Token(r"BSA[A-Za-z0-9_-]{27,29}(?:[^A-Za-z0-9_-]|$)"))
        .entropy(3.8)
        .check(|key| shape::digits(key) > 0 && !shape::is_wordy(key))
        .examples(&["BSA{an:28}"], &["BSA"]),
    Rule::new("mem0-key", F, &["m0-"], Token(r"m0-[A-Za-z0-9]{36,44}\b"))
        .entropy(3.8)
        .examples(&["m0-{an:40}"], &["m0-small"]),
    Rule::new("modal-token", F, &["ak-", "as-"], Token(r"a[ks]-[A-Za-z0-9]{22}\b"))
        .entropy(3.5)
        .check(|token| shape::digits(token) > 0 && shape::has_both_cases(token) && !shape::is_wordy(token))
        .examples(&["ak-{an:20}7x"], &["ak-47", "as-needed"]),
    Rule::new(
        "anthropic-key",
        F,
        &["sk-ant-"],
        Token(r"sk-ant-(?:[a-z]+[0-9]{2}-)?[A-Za-z0-9_-]{80,120}AA\b"),
    )
    .examples(
        &["sk-ant-api03-{url:93}AA", "sk-ant-oat01-{url:93}AA"],
        &["sk-ant-api03-...", "desk-ant-farm"],
    ),
    Rule::new(
        "openai-key",
        F,
        &["T3BlbkFJ", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-service-"],
        Anywhere(
            r"\b(sk-[A-Za-z0-9_-]{16,80}T3BlbkFJ[A-Za-z0-9_-]{16,80}|sk-(?:proj|svcacct|admin|None|service)-[A-Za-z0-9_-]{40,200})",
        ),
    )
    .entropy(3.5)
    .examples(
        &["sk-proj-{url:74}T3BlbkFJ{url:74}", "sk-{an:20}T3BlbkFJ{an:20}", "sk-proj-{url:48}"],
        &["sk-proj-x"],
    ),
    Rule::new(
        "llm-key",
        F,
        &["sk-"],
        Token(r"sk-(?:or-v1-[0-9a-f]{64}|lf-[0-9a-f-]{36}|[A-Za-z0-9]{32,64})\b"),
    )
    .entropy(3.5)
    .check(|key| shape::digits(key) >= 2)
    .examples(
        &["sk-{an:48}", "sk-or-v1-{hex:64}", "sk-{hex:32}"],
        &["sk-learn", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    Rule::new(
        "langfuse-key",
        F,
        &["pk-lf-", "sk-lf-"],
        Token(r"[ps]k-lf-[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .examples(&["sk-lf-{uuid}"], &["sk-lf-x"]),
    Rule::new(
        "langsmith-key",
        F,
        &["lsv2_"],
        Token(r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b"),
    )
    .examples(&["lsv2_pt_{hex:32}_{hex:10}"], &["lsv2_pt"]),
    Rule::new(
        "huggingface-token",
        F,
        &["hf_", "api_org_"],
        Token(r"(?:hf|api_org)_[A-Za-z]{34}\b"),
    )
    .entropy(2.5)
    .examples(
        &["hf_{alpha:34}"],
        &[
            "hf_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
            "hf_transfer",
            "hf_Digits9InTheBodyAreNoneOfTheirsAtAll",
        ],
    ),
    Rule::new(
        "xai-key",
        F,
        &["xai-"],
        Token(r"xai-[A-Za-z0-9]{80}\b"),
    )
    .examples(&["xai-{an:80}"], &["xai-grok"]),
    Rule::new(
        "groq-key",
        F,
        &["gsk_"],
        Token(r"gsk_[A-Za-z0-9]{52}\b"),
    )
    .entropy(3.5)
    .check(|key| !shape::is_typed_in_order(key))
    .examples(&["gsk_{an:52}"], &["gsk_abc123"]),
    Rule::new(
        "perplexity-key",
        F,
        &["pplx-"],
        Token(r"pplx-[A-Za-z0-9]{48}\b"),
    )
    .entropy(3.5)
    .examples(&["pplx-{an:48}"], &["pplx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    Rule::new(
        "replicate-token",
        F,
        &["r8_"],
        Token(r"r8_[A-Za-z0-9]{37}\b"),
    )
    .examples(&["r8_{an:37}"], &["r8_x"]),
    Rule::new(
        "tavily-key",
        F,
        &["tvly-"],
        Token(r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}\b"),
    )
    .fillers()
    .examples(&["tvly-{an:32}"], &["tvly-YOUR_KEY"]),
    Rule::new(
        "firecrawl-key",
        F,
        &["fc-"],
        Token(r"fc-[0-9a-f]{32}\b"),
    )
    .examples(&["fc-{hex:32}"], &["fc-list"]),
    Rule::new(
        "jina-key",
        F,
        &["jina_"],
        Token(r"jina_[A-Za-z0-9_-]{32}[A-Za-z0-9_-]{20,40}"),
    )
    .examples(&["jina_{an:60}"], &["jina_embeddings_v2"]),
    Rule::new(
        "pinecone-key",
        F,
        &["pcsk_"],
        Token(r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}\b"),
    )
    .examples(&["pcsk_{an:5}_{an:63}"], &["pcsk_x"]),
    Rule::new(
        "deepgram-elevenlabs-key",
        F,
        &["sk_"],
        Token(r"sk_[0-9a-f]{48}\b"),
    )
    .examples(&["sk_{hex:48}"], &["sk_x"]),
    Rule::new(
        "wandb-key",
        F,
        &["wandb"],
        Given(r"wandb", r"[0-9a-f]{40}"),
    )
    .examples(&["WANDB_API_KEY={hex:40}"], &["wandb.init()"]),
    Rule::new(
        "cohere-key",
        F,
        &["cohere", "CO_API_KEY"],
        Given(r"(?:cohere|co_api_key)", r"[A-Z0-9]{40}"),
    )
    .entropy(3.5)
    .examples(&["CO_API_KEY={an:40}"], &["CO_API_KEY=XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"]),
    Rule::new(
        "kagi-token",
        F,
        &["kagi.com"],
        Anywhere(r"kagi\.com/[a-z]*\?token=([A-Za-z0-9_.-]{30,})"),
    )
    .examples(
        &["https://kagi.com/search?token={url:11}.{url:43}"],
        &["https://kagi.com/search?q=x"],
    ),
    Rule::new(
        "voyage-key",
        F,
        &["pa-"],
        Token(r"pa-[A-Za-z0-9_-]{43}\b"),
    )
    .entropy(4.0)
    .check(|key| shape::digits(key) >= 3)
    .examples(&["pa-{an:43}"], &["pa-y"]),
    Rule::new(
        "nvidia-key",
        F,
        &["nvapi-"],
        Token(r"nvapi-[A-Za-z0-9_-]{60,70}"),
    )
    .examples(&["nvapi-{url:64}"], &["nvapi-x"]),
    Rule::new(
        "fireworks-key",
        F,
        &["fw_", "tgp_v1_", "csk-"],
        Token(r"fw_[A-Za-z0-9]{22,24}\b|tgp_v1_[A-Za-z0-9_-]{43}|csk-[a-z0-9]{48}\b"),
    )
    .entropy(3.5)
    .check(|key| shape::digits(key) >= 2)
    .examples(&["tgp_v1_{url:43}", "csk-{low:48}"], &["fw_version"]),
    Rule::new(
        "privateai-key",
        F,
        &["private_ai", "privateai", "private-ai"],
        Given(r"private[_-]?ai", r"[a-z0-9]{32}"),
    )
    .entropy(3.0)
    .examples(&["PRIVATEAI_KEY={low:32}"], &["private_ai: off"]),
];
