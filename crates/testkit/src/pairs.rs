//! Pairs of statements as people make them: a paraphrase, or a newer state of the same thing. Generated from
//! seeds, so that measurements of merging are reproducible.
//!
//! Some templates, fillers and synonyms are held out: the rules were written without looking at them.

use crate::seeded::Seeded;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub before: String,
    pub after: String,
    /// Whether the second is a newer state of the first, not a repeat.
    pub is_update: bool,
    /// How the second was derived.
    pub how: String,
    pub held_out: bool,
}

/// Two ways to say the same thing, with placeholders for what varies.
struct Template {
    one: &'static str,
    other: &'static str,
}

const fn t(one: &'static str, other: &'static str) -> Template {
    Template { one, other }
}

const TEMPLATES: &[Template] = &[
    t("The {env} database runs on {host}", "On {host} runs the {env} database"),
    t("We use {tool} for the {part}", "For the {part} we use {tool}"),
    t("Run the linter before pushing to {branch}", "Before pushing to {branch}, run the linter"),
    t(
        "The request timeout of the {part} is {num} seconds",
        "It is {num} seconds: the request timeout of the {part}",
    ),
    t(
        "{person} owns the {part} and reviews its changes",
        "The {part} and its changes: owned and reviewed by {person}",
    ),
    t("Deploys to {env} are frozen on {day}", "On {day}, deploys to {env} are frozen"),
    t(
        "The configuration of the {part} is stored in {path}",
        "In {path} the configuration of the {part} is stored",
    ),
    t(
        "Upgrade {tool} to {version} because of the memory leak",
        "Because of the memory leak, upgrade {tool} to {version}",
    ),
    t(
        "The nightly export writes to {path} at {num} o'clock",
        "At {num} o'clock the nightly export writes to {path}",
    ),
    t(
        "Enable caching in the {part} when the catalogue is loaded",
        "When the catalogue is loaded, enable caching in the {part}",
    ),
    t("The {part} listens on port {num}", "On port {num} listens the {part}"),
    t(
        "Delete temporary files after the import of the {part}",
        "After the import of the {part}, delete temporary files",
    ),
    t("Tests of the {part} need {tool} {version}", "Needed for tests of the {part}: {tool} {version}"),
    t(
        "The customer of ticket #{num} wants invoices in {format}",
        "Invoices in {format} is what the customer of ticket #{num} wants",
    ),
    t(
        "Migrations run in a transaction of the {part}, so a failure leaves nothing behind",
        "A failure leaves nothing behind, since migrations run in a transaction of the {part}",
    ),
    t("Feature flag {flag} is on in {env}", "In {env} the feature flag {flag} is on"),
    t(
        "The API of the {part} returns {format} with snake case keys",
        "With snake case keys, the API of the {part} returns {format}",
    ),
    t(
        "Logs of the {part} are kept for {num} days in {env}",
        "In {env}, logs of the {part} are kept for {num} days",
    ),
    t(
        "Access to {host} goes through the bastion with a personal key",
        "Through the bastion with a personal key goes access to {host}",
    ),
    t(
        "The {part} retries a failed call {num} times with backoff",
        "With backoff the {part} retries a failed call {num} times",
    ),
    t(
        "Our payment partner sends settlements for the {part} every {day}",
        "Every {day} our payment partner sends settlements for the {part}",
    ),
    t(
        "Branch {branch} is protected: merges need two approvals from {person}",
        "Merges need two approvals from {person}: branch {branch} is protected",
    ),
    t("Set the pool size of {tool} to {num} on {host}", "On {host}, set the pool size of {tool} to {num}"),
    t(
        "The scheduler of the {part} drops messages larger than {num} kilobytes",
        "Messages larger than {num} kilobytes: the scheduler of the {part} drops them",
    ),
    t(
        "Snapshots of {env} are encrypted with the key in {path}",
        "With the key in {path} snapshots of {env} are encrypted",
    ),
    t(
        "Users of the {part} sign in with {tool} since release {version}",
        "Since release {version}, users of the {part} sign in with {tool}",
    ),
    t(
        "Screenshots for the handbook of the {part} live in {path}",
        "In {path} live the screenshots for the handbook of the {part}",
    ),
    t(
        "The mobile client of the {part} ships without {flag} until the audit is done",
        "Until the audit is done, the mobile client of the {part} ships without {flag}",
    ),
];

/// Nobody looked at these while the rules were written.
const HELD_OUT: &[Template] = &[
    t(
        "Invoices older than {num} months move to cold storage on {day}",
        "On {day}, invoices older than {num} months move to cold storage",
    ),
    t(
        "The vendor of {tool} charges per seat, so {person} approves new accounts",
        "{person} approves new accounts, because the vendor of {tool} charges per seat",
    ),
    t("Crash reports from the {part} arrive in {path}", "In {path} arrive crash reports from the {part}"),
    t(
        "Builds on {host} need at least {num} gigabytes of memory",
        "At least {num} gigabytes of memory are needed for builds on {host}",
    ),
    t(
        "Hide the beta banner in {env} until {version} is out",
        "Until {version} is out, hide the beta banner in {env}",
    ),
    t(
        "The {part} signs its webhooks with {flag} and rejects unsigned ones",
        "Webhooks of the {part} are signed with {flag}, unsigned ones rejected",
    ),
    t(
        "Cherry-pick security fixes from {branch} into the {part}",
        "Into the {part}, cherry-pick security fixes from {branch}",
    ),
    t(
        "Translations for the {part} are exported as {format} by {person}",
        "By {person}, translations for the {part} are exported as {format}",
    ),
];

type Slot = (&'static str, &'static [&'static str]);

const SLOTS: &[Slot] = &[
    ("{env}", &["production", "staging", "development", "preview", "sandbox"]),
    (
        "{host}",
        &["db-stg-1", "db-stg-2", "db-prod-1", "app-03.internal", "10.0.4.17", "worker-b", "worker-c"],
    ),
    (
        "{tool}",
        &[
            "PostgreSQL",
            "Redis",
            "Kafka",
            "Terraform",
            "Webpack",
            "Playwright",
            "memcached",
            "rabbitmq",
            "nginx",
        ],
    ),
    (
        "{part}",
        &[
            "billing service",
            "search gateway",
            "catalogue importer",
            "mail relay",
            "report builder",
            "session store",
        ],
    ),
    ("{branch}", &["main", "develop", "release/2026", "hotfix", "trunk"]),
    ("{num}", &["3", "5", "12", "30", "45", "90", "1250", "8080", "9090", "14"]),
    ("{person}", &["Maria", "Jonas", "Priya", "Chen", "Fatima", "Oleg"]),
    ("{day}", &["Fridays", "Mondays", "Thursdays", "weekends"]),
    (
        "{path}",
        &[
            "config/app.toml",
            "config/service.toml",
            "/srv/export/out",
            "/srv/export/in",
            "infra/keys/main.pem",
            "docs/setup.md",
        ],
    ),
    ("{version}", &["1.2.0", "1.3.0", "v18", "v20", "4.7", "2026.1"]),
    ("{format}", &["JSON", "XML", "PDF", "CSV", "YAML"]),
    ("{flag}", &["new-checkout", "dark_mode", "fast-search", "beta_upload"]),
];

/// A word and its possible replacement.
const SYNONYMS: &[(&str, &str)] = &[
    ("use", "utilize"),
    ("run", "execute"),
    ("Run", "Execute"),
    ("delete", "remove"),
    ("Delete", "Remove"),
    ("database", "db"),
    ("configuration", "config"),
    ("stored", "saved"),
    ("production", "prod"),
    ("Enable", "Activate"),
    ("development", "dev"),
    ("failed", "failing"),
];
const HELD_OUT_SYNONYMS: &[(&str, &str)] = &[
    ("older", "more aged"),
    ("arrive", "land"),
    ("charges", "bills"),
    ("banner", "ribbon"),
    ("approves", "okays"),
];

const FILLERS: &[&str] =
    &["Note that ", "Remember: ", "FYI, ", "Please note: ", "Just so you know, ", "Important: "];
const HELD_OUT_FILLERS: &[&str] = &["As a reminder, ", "Btw ", "For the record: ", "Heads up, "];
const ENDINGS: &[&str] = &["", ".", "!", " (noted today).", ", of course."];

/// Words that reverse a statement, and their replacements.
const REVERSALS: &[(&str, &str)] = &[
    ("Run ", "Never run "),
    ("We use ", "We do not use "),
    ("Enable ", "Disable "),
    (" before ", " after "),
    (" after ", " before "),
    (" is on ", " is off "),
    (" are frozen ", " are not frozen "),
    (" need ", " don't need "),
    (" returns ", " never returns "),
    (" with ", " without "),
    ("is protected", "is not protected"),
    ("drops ", "keeps "),
    (" are encrypted", " are no longer encrypted"),
    (" ships without ", " ships with "),
    ("Upgrade ", "Don't upgrade "),
    ("larger", "smaller"),
    ("Hide ", "Show "),
    ("older", "younger"),
    (" rejects ", " accepts "),
    ("at least", "at most"),
];

/// `count` pairs, half of them updates; a third use held-out templates.
pub fn pairs(seed: u64, count: usize) -> Vec<Pair> {
    let mut seeded = Seeded::new(seed);
    (0..count).map(|at| pair(&mut seeded, at % 2 == 1, at % 3 == 2)).collect()
}

fn pair(seeded: &mut Seeded, is_update: bool, held_out: bool) -> Pair {
    loop {
        let template = seeded.pick(if held_out { HELD_OUT } else { TEMPLATES });
        let filling = fill(seeded, template.one);
        let before = filled(template.one, &filling);
        let (after, how) = if is_update {
            match update(seeded, template, &filling) {
                Some(changed) => changed,
                None => continue,
            }
        } else {
            repeat(seeded, template, &filling, held_out)
        };
        return Pair { before, after, is_update, how, held_out };
    }
}

type Filling = Vec<(&'static str, &'static str)>;

fn fill(seeded: &mut Seeded, text: &str) -> Filling {
    SLOTS
        .iter()
        .filter(|(slot, _)| text.contains(slot))
        .map(|(slot, words)| (*slot, *seeded.pick(words)))
        .collect()
}

fn filled(text: &str, filling: &Filling) -> String {
    filling.iter().fold(text.to_owned(), |text, (slot, word)| text.replace(slot, word))
}

/// A paraphrase: one to three changes of wording.
fn repeat(seeded: &mut Seeded, template: &Template, filling: &Filling, held_out: bool) -> (String, String) {
    let mut how = Vec::new();
    let form = if seeded.below(2) == 0 {
        how.push("order");
        template.other
    } else {
        template.one
    };
    let mut text = filled(form, filling);
    for _ in 0..=seeded.below(3) {
        match seeded.below(6) {
            0 => {
                text = text.to_lowercase();
                how.push("case");
            }
            1 => {
                text = format!("{}{}", text.trim_end_matches(['.', '!']), seeded.pick(ENDINGS));
                how.push("ending");
            }
            2 => {
                let filler = seeded.pick(if held_out { HELD_OUT_FILLERS } else { FILLERS });
                let mut letters = text.chars();
                let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
                text = format!("{filler}{first}{}", letters.as_str());
                how.push("filler");
            }
            3 => {
                // One in eight is a word that the rules do not know.
                let unknown = held_out && seeded.below(8) == 0;
                let (word, instead) = seeded.pick(if unknown { HELD_OUT_SYNONYMS } else { SYNONYMS });
                if text.split_whitespace().any(|w| w == *word) {
                    text = text.replacen(word, instead, 1);
                    how.push(if unknown { "unknown synonym" } else { "synonym" });
                }
            }
            4 => {
                text = text.replace(" the ", " ").replace("The ", "");
                how.push("articles");
            }
            _ => {
                text = format!("- **{}**\n", text.replace(' ', "  "));
                how.push("markup");
            }
        }
    }
    (text, how.join("+"))
}

/// A newer state: another value in one place, or the opposite, in the same or another form.
fn update(seeded: &mut Seeded, template: &Template, filling: &Filling) -> Option<(String, String)> {
    let form = if seeded.below(3) == 0 { template.other } else { template.one };
    let text = filled(form, filling);
    let reversals: Vec<&(&str, &str)> = REVERSALS.iter().filter(|(from, _)| text.contains(from)).collect();
    if seeded.below(3) == 0 && !reversals.is_empty() {
        let (from, to) = seeded.pick(&reversals);
        return Some((decorated(seeded, &text.replacen(from, to, 1)), format!("reversed {from}→{to}")));
    }
    let at = seeded.below(filling.len());
    let (slot, old) = filling.get(at)?;
    let (_, words) = SLOTS.iter().find(|(name, _)| name == slot)?;
    let new = seeded.pick(words);
    if new == old {
        return None;
    }
    let mut changed = filling.clone();
    changed[at].1 = new;
    Some((decorated(seeded, &filled(form, &changed)), format!("{slot} {old}→{new}")))
}

fn decorated(seeded: &mut Seeded, text: &str) -> String {
    match seeded.below(4) {
        0 => text.to_lowercase(),
        1 => format!("{}{text}", seeded.pick(FILLERS)),
        2 => format!("{text}."),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_distinct_and_reproducible() {
        let all = pairs(7, 10_000);
        assert_eq!(all, pairs(7, 10_000));
        let distinct: std::collections::HashSet<&str> = all.iter().map(|p| p.after.as_str()).collect();
        assert!(distinct.len() > 4_000, "{}", distinct.len());
        assert!(all.iter().all(|pair| !pair.is_update || pair.before != pair.after));
    }
}
