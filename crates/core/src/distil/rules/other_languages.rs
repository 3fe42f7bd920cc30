//! The few most certain patterns in other languages. Anything else yields nothing, which is harmless.

use super::Rule;
use crate::kind::Kind;

const fn rule(
    name: &'static str,
    kind: Kind,
    pattern: &'static str,
    yes: &'static [&'static str],
    no: &'static [&'static str],
) -> Rule {
    Rule { name, kind, confidence: 0.66, needs: 0, pattern, unless: r"[?？]$", yes, no }
}

pub(super) const RULES: &[Rule] = &[
    rule(
        "de-immer",
        Kind::Constraint,
        r"^(?:bitte )?(?:immer|niemals|nie|ab (?:jetzt|sofort)|in zukunft) \w+|\b(?:verwende|benutze|nutze|committe|schreibe)n? (?:bitte )?(?:immer|niemals|nie)\b|^wir (?:verwenden|benutzen|nutzen|haben (?:uns )?entschieden)\b",
        &["bitte immer zuerst die tests laufen lassen", "wir verwenden pnpm statt npm"],
        &["ist das immer so?"],
    ),
    rule(
        "es-siempre",
        Kind::Constraint,
        r"^(?:por favor,? )?(?:siempre|nunca|jam[aá]s|a partir de ahora|de ahora en adelante)\b.{6,}|^(?:usamos|hemos decidido|decidimos) .{4,}",
        &[
            "siempre usa tipos estrictos en el código nuevo",
            "a partir de ahora escribe los commits en inglés",
        ],
        &["¿siempre pasa?"],
    ),
    rule(
        "fr-toujours",
        Kind::Constraint,
        r"^(?:merci de |il faut )?(?:toujours|ne jamais|désormais|à partir de maintenant|dorénavant)\b.{6,}|^(?:nous utilisons|on utilise|nous avons décidé|on a décidé) .{4,}",
        &["toujours lancer les tests avant de pousser", "on utilise poetry et pas pip"],
        &["toujours ?"],
    ),
    rule(
        "pt-sempre",
        Kind::Constraint,
        r"^(?:por favor,? )?(?:sempre|nunca|jamais|a partir de agora|daqui em diante)\b.{6,}|^(?:usamos|nós usamos|decidimos) .{4,}",
        &["sempre rode os testes antes de commitar"],
        &["sempre?"],
    ),
    rule(
        "zh-always",
        Kind::Constraint,
        r"^(?:请|以后|今后|从现在开始|从现在起)?.{0,16}?(?:始终|永远不要|务必|必须|禁止|不要再|一律|绝对不要).{3,}|^我们(?:决定|统一|约定).{3,}",
        &["以后提交信息必须用英文", "禁止直接推送到main分支", "我们决定使用pnpm"],
        &["必须吗？"],
    ),
    rule(
        "ja-always",
        Kind::Constraint,
        r"^(?:今後は|これからは|必ず|絶対に|常に).{4,}",
        &["必ずテストを実行してからコミットしてください", "今後はコミットメッセージを英語で書いてください"],
        &["必ず？"],
    ),
];
