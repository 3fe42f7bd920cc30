//! Choices that were made.

use super::{CONCRETE, LASTING, Rule, SOUND};
use crate::kind::Kind;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "decided",
        kind: Kind::Decision,
        confidence: 0.8,
        needs: 0,
        pattern: r"{c}(?:we|i|the team)(?:'ve| have| had)? (?:just |now |already |finally )?(?:decided|agreed|settled|chose|chosen|opted|concluded) (?:to|on|that|against|for|not)\b|\b(?:the )?(?:final )?decision(?: is| was|:)",
        unless: r"\b(?:if we|until we|once we|whether|hasn't|haven't|not (?:been )?decided|what (?:we|the)|need(?:s)? a decision|make (?:a|the) decision|decision (?:is|was) (?:yours|up to))\b",
        yes: &[
            "we decided to keep sqlite for the local store",
            "decision: no orm",
            "the team agreed on trunk based development",
        ],
        no: &["once we decided on that we can go on", "i need a decision"],
    },
    Rule {
        name: "going-with",
        kind: Kind::Decision,
        confidence: 0.74,
        needs: LASTING,
        pattern: r"{c}i(?:'ll| will|'d| would|'m| am going to) (?:go with|stick (?:with|to)|switch to|replace \S+ with) .{4,}|{c}(?:it sounds like )?we(?:'re| are|'ll| will|'d| would) (?:now |just |then )?(?:be )?(?:going (?:with|to (?:use|keep|drop|switch|migrate|move|stick))|getting rid of|go with|keep|keeping|use|using|stay|staying|stick|sticking|drop|dropping|replace|replacing|switch|switching|moving|migrating|standardi[sz]ing|only support|not (?:use|support|ship|keep))\b .{2,}",
        unless: r"\b(?:if|when|then you|going to (?:try|check|look|test)|currently|we're using (?:the )?(?:wrong|old|latest)|i(?:'m| am) (?:using|moving|keeping|dropping)|option \w|number \w|go with (?:\d|[a-d]\b|it|that|this)|keep(?:ing)? (?:it|this|that|going|him|them|an eye|having|getting|seeing)|use (?:it|this|that)|moving on|switching (?:back )?to (?:you|the other))\b",
        yes: &[
            "we will keep our database on supabase but connect to it via DATABASE_URL",
            "we're going with postgres for the queue",
            "it sounds like we're getting rid of TTL",
        ],
        no: &["i'm using the latest build", "we're going to check it first", "i'd go with option 4"],
    },
    Rule {
        name: "lets-use",
        kind: Kind::Decision,
        confidence: 0.7,
        needs: LASTING,
        pattern: r"{c}let's (?:just |rather |then |now |not |instead )*(?:use|go with|go for|go json|stick (?:with|to)|switch to|default to|call (?:it|this|them|the)|rename (?:\w+ )?(?:it )?to|base (?:it|this) on|drop support|move to|store|set \S+ to|make \S+ (?:the default|optional|required)|keep (?:the|using|all|both|our|support)|get rid of|standardi[sz]e on|support only|limit)\b .{2,}",
        unless: r"to #\d|\b(?:go (?:with|for) (?:it|that|this|option|number|\d|[a-d]\b|your|the (?:first|second|third|last|recommended|simple))|use (?:it|this|that|your|option|the (?:first|second|third))|keep (?:the (?:rest|order))|see|later|maybe)\b",
        yes: &[
            "let's use zod for validation",
            "let's set StepsCount to 1 then for Auto-Commit since each consists of exactly one step",
            "let's rename to qqqqqqq instead",
        ],
        no: &["let's go with option 2", "let's use it", "let's keep going", "let's add a few table tests"],
    },
    Rule {
        name: "by-default",
        kind: Kind::Decision,
        confidence: 0.68,
        needs: SOUND,
        pattern: r"\b(?:should|must|will|want(?:s)?|needs? to|be)\b.{0,60}\bby default\b|\bby default,? (?:it |we |this )?(?:should|must|will)\b|\bthe default (?:should|must|will|is going to) be\b",
        unless: r"\b(?:why|what|is (?:this|it))\b",
        yes: &[
            "telemetry should be off by default",
            "i want to be called just telemetry and by default should be true",
        ],
        no: &["why is it on by default"],
    },
    Rule {
        name: "team-changed",
        kind: Kind::Decision,
        confidence: 0.68,
        needs: SOUND,
        pattern: r"{c}(?:we|the team|they|our \w+)(?:'ve| have)? (?:just |recently |already |now )?(?:changed|moved|switched|migrated|renamed|replaced|dropped|removed|deprecated|adopted|standardi[sz]ed)\b .{3,60}\b(?:to|with|from|in favou?r of|on)\b .{2,}",
        unless: r"\b(?:when we|where we|if we|after we|since we (?:moved|changed)|before we|maybe|might|you)\b",
        yes: &[
            "the team changed this to use the entire cli in the path",
            "we moved from jest to vitest last month",
        ],
        no: &["after we moved the file to src it broke"],
    },
    Rule {
        name: "thats-why",
        kind: Kind::Decision,
        confidence: 0.72,
        needs: 0,
        pattern: r"\b(?:that's|that is|which is|this is) why (?:we|the \w+|it|our)\b|\bthe reason (?:we|is that we|for (?:this|that) is|(?:it|this) is)\b",
        unless: r"\b(?:is that why|not sure|i think (?:that's|this is) why (?:it|the))\b",
        yes: &[
            "option 1 doesn't work since the commit hash can change, that's why we add the trailer to the real commits",
        ],
        no: &["is that why we see it"],
    },
    Rule {
        name: "keep-while",
        kind: Kind::Decision,
        confidence: 0.62,
        needs: CONCRETE,
        pattern: r"\bwe (?:can|should|want to) keep\b .{3,80}\b(?:while|until|because|since|so)\b",
        unless: r"\bkeep (?:it|this|that|going|them|him)\b",
        yes: &["we can keep @supabase/supabase-js while we gradually migrate everything"],
        no: &["we can keep it until then"],
    },
];
