//! Figures as tables for people.

use std::fmt::Write as _;

use serde_json::Value;

use super::gate::GateScore;
use super::score::{SHARES, Score, Scores, Share};
use super::{Measured, sets, small};

/// The limits: set, figure, least share in percent.
const PROMISES: &[(&str, &str, f64)] = &[
    ("lme_s", "any@1", 91.0),
    ("lme_s", "any@5", 98.5),
    ("lme_s", "all@5", 91.0),
    ("lme_s_pool", "any@5", 72.0),
    ("lme_s_pool", "any@10", 82.0),
    ("locomo", "any@5", 63.0),
    ("locomo", "any@10", 72.0),
    ("codemem_entire", "any@5", 63.0),
];

/// Prompts that nothing is known about, with something injected: at most. The others, with a right
/// document injected: at least.
const MOST_NOISE: f64 = 5.0;
const LEAST_KEPT: f64 = 80.0;

pub(super) fn markdown(result: &Value, measured: &[Measured]) -> String {
    let mut out = String::new();
    let machine = &result["machine"];
    // Nothing tells what a given binary was built from.
    let commit = match (result["given_binary"] == true, text(&result["commit"])) {
        (true, commit) => format!("with a binary built beforehand, scored at commit {commit}"),
        (false, commit) => format!("at commit {commit}"),
    };
    let _ = writeln!(
        out,
        "Measured {} {commit}, on {} ({} cores, {} GB, {}).\n",
        text(&result["date"]),
        text(&machine["cpu"]),
        machine["cores"],
        machine["memory_gb"],
        text(&machine["system"]),
    );
    promises(&mut out, measured);
    gates(&mut out, measured);
    costs(&mut out, measured);
    for one in measured {
        questions(&mut out, one);
    }
    out
}

fn promises(out: &mut String, measured: &[Measured]) {
    let find = |name: &str| measured.iter().find(|one| one.set.name == name);
    let known: Vec<_> =
        PROMISES.iter().filter_map(|(set, figure, least)| Some((find(set)?, figure, least))).collect();
    if known.is_empty() {
        return;
    }
    out.push_str("| set | figure | plain FTS5 | Hark | promised |\n|---|---|---|---|---|\n");
    for (one, figure, least) in known {
        let ours = one.ours.all.share(figure);
        let verdict = if 100.0 * ours.value() >= *least { "" } else { " **missed**" };
        let _ = writeln!(
            out,
            "| {} | {figure} | {} | {} | ≥ {least}{verdict} |",
            one.set.name,
            percent(one.baseline.all.share(figure)),
            percent(ours),
        );
    }
    out.push('\n');
}

fn gates(out: &mut String, measured: &[Measured]) {
    let scores: Vec<(&str, GateScore)> =
        measured.iter().filter_map(|one| Some((one.set.name, one.gate.as_ref()?.0))).collect();
    if scores.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "| gate: prompts about | nothing known: got something (promised ≤ {MOST_NOISE} %) | something known: got a \
         right document (promised ≥ {LEAST_KEPT} %) |\n|---|---|---|"
    );
    // The promises are not about the small set. What was promised was promised on the shared pairs,
    // so they have a total of their own beside the one with the set of our own.
    let (small, shared): (Vec<_>, Vec<_>) = scores.into_iter().partition(|(name, _)| *name == small::NAME);
    let mut row = |name: &str, score: &GateScore, is_promised: bool| {
        let mark = |held: bool| if held || !is_promised { "" } else { " **missed**" };
        let _ = writeln!(
            out,
            "| {name} | {} of {}{} | {} of {}{} |",
            percent(score.noise),
            score.noise.of,
            mark(100.0 * score.noise.value() <= MOST_NOISE),
            percent(score.kept),
            score.kept.of,
            mark(100.0 * score.kept.value() >= LEAST_KEPT),
        );
    };
    for (name, score) in &shared {
        row(name, score, true);
    }
    let (own, given): (Vec<_>, Vec<_>) = shared.iter().partition(|(name, _)| *name == sets::OWN);
    if given.len() > 1 {
        let names = given.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" and ");
        row(&format!("**{names}**"), &GateScore::sum(given.iter().map(|(_, score)| score)), true);
    }
    if !own.is_empty() && !given.is_empty() {
        row("**all of these**", &GateScore::sum(shared.iter().map(|(_, score)| score)), true);
    }
    for (name, score) in &small {
        row(name, score, false);
    }
    out.push('\n');
}

fn costs(out: &mut String, measured: &[Measured]) {
    out.push_str(
        "| set | documents stored | seconds for it | ms per question, p50 / p99 | peak memory, MB |\n",
    );
    out.push_str("|---|---|---|---|---|\n");
    for one in measured {
        let cost = &one.cost;
        let ms = |key: &str| cost[key].as_f64().unwrap_or_default() / 1000.0;
        let _ = writeln!(
            out,
            "| {} | {} | {} | {:.1} / {:.1} | {} |",
            one.set.name,
            cost["documents"],
            cost["store_seconds"],
            ms("query_micros_p50"),
            ms("query_micros_p99"),
            cost["peak_megabytes"].as_u64().map_or("unknown".to_owned(), |peak| peak.to_string()),
        );
    }
    out.push('\n');
}

/// The type of LoCoMo's trick questions.
const ADVERSARIAL: &str = "adversarial";

fn questions(out: &mut String, one: &Measured) {
    let _ = writeln!(out, "### `{}`: {}\n", one.set.name, one.set.title);
    let heads: String = SHARES.iter().map(|name| format!(" {name} |")).collect();
    let _ = writeln!(
        out,
        "| questions | number | system |{heads} mrr |\n|---|---|---|{}---|",
        "---|".repeat(SHARES.len())
    );
    let mut rows = |name: &str, of: &dyn Fn(&Scores) -> Score| {
        for (system, scores) in [("Hark", &one.ours), ("FTS5", &one.baseline)] {
            let score = of(scores);
            let cells: String =
                SHARES.iter().map(|figure| format!(" {} |", percent(score.share(figure)))).collect();
            let _ = writeln!(out, "| {name} | {} | {system} |{cells} {:.3} |", score.questions, score.mrr());
        }
    };
    rows("**all**", &|scores| scores.all);
    // Others leave these out, since the question is about somebody else; both ways are shown.
    if one.ours.types.contains_key(ADVERSARIAL) {
        rows("all but adversarial", &|scores| scores.without(ADVERSARIAL));
    }
    if one.ours.types.len() > 1 {
        for name in one.ours.types.keys() {
            rows(name, &|scores| scores.types.get(name).copied().unwrap_or_default());
        }
    }
    out.push('\n');
}

/// In percent, with the 95 % interval.
fn percent(share: Share) -> String {
    let (low, high) = share.interval();
    format!("{:.1} [{:.1}, {:.1}]", 100.0 * share.value(), 100.0 * low, 100.0 * high)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("unknown")
}
