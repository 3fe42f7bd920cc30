//! Drawings: days as bars, neighbours as boxes, groups as circles. Classes give them their colours in both themes.

use std::collections::HashMap;
use std::f64::consts::TAU;

use hark_core::Timestamp;

use super::data::Day;
use super::text::{cut, escaped, number};

const DAY_MS: i64 = 86_400_000;
/// More days than this become weeks.
const MOST_BARS: i64 = 92;

/// Tokens per day, from the first day with texts to today. Empty if there are none.
pub(crate) fn days(days: &[Day], now: &Timestamp) -> String {
    const WIDTH: f64 = 960.0;
    const HEIGHT: f64 = 120.0;
    const FLOOR: f64 = 96.0;
    let index = |day: &str| {
        Timestamp::parse_absolute(&format!("{day}T00:00:00Z")).map_or(0, |at| at.as_millis() / DAY_MS)
    };
    let Some(first) = days.first().map(|day| index(&day.day)) else { return String::new() };
    let last = now.as_millis() / DAY_MS;
    // A week at least, so that a single day is no wall.
    let first = first.min(last - 6);
    let step = ((last - first) / MOST_BARS + 1).max(1);
    let bars = (last - first) / step + 1;
    let mut sums: HashMap<i64, (i64, i64)> = HashMap::new();
    for day in days {
        let sum = sums.entry((index(&day.day) - first) / step).or_default();
        sum.0 += day.tokens;
        sum.1 += day.count;
    }
    let most = sums.values().map(|(tokens, _)| *tokens).max().unwrap_or(1).max(1);
    let room = WIDTH / bars as f64;
    let label = format!("Tokens told per day, at most {}", number(most));
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">\
         <line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{FLOOR}\" y2=\"{FLOOR}\"/>"
    );
    for bar in 0..bars {
        let (tokens, texts) = sums.get(&bar).copied().unwrap_or_default();
        let height = (tokens as f64 / most as f64) * (FLOOR - 18.0);
        let (x, width) = (bar as f64 * room, (room - 2.0).clamp(1.0, 48.0));
        let day = date(first + bar * step);
        if tokens > 0 {
            let y = FLOOR - height;
            let says = format!(
                "{day}: {} tokens in {}",
                number(tokens),
                super::text::count(texts.max(0) as usize, "text", "texts")
            );
            svg.push_str(&format!(
                "<rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{says}</title></rect>"
            ));
            if tokens == most {
                svg.push_str(&format!(
                    "<text class=\"value\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                    y - 4.0,
                    number(tokens)
                ));
            }
        }
        // About eight labels, whatever the number of bars.
        if bar % (bars / 8 + 1) == 0 {
            svg.push_str(&format!(
                "<text class=\"label\" x=\"{x:.1}\" y=\"112\">{}</text>",
                day.get(5..).unwrap_or(&day)
            ));
        }
    }
    svg.push_str("</svg>");
    svg
}

fn date(index: i64) -> String {
    let text = Timestamp::from_millis(index * DAY_MS).to_string();
    text.get(..10).unwrap_or(&text).to_owned()
}

/// A box in a drawing.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) title: String,
    /// Kind, in the corner.
    pub(crate) note: String,
    pub(crate) link: String,
    pub(crate) class: &'static str,
    /// How it is connected to its parent: `fixes`, `mentions`.
    pub(crate) edge: String,
    pub(crate) below: Vec<Node>,
    /// The same drawing with what is around this box; empty if there is none.
    pub(crate) expand: String,
}

const BOX: f64 = 270.0;
const ROW: f64 = 52.0;
const TALL: f64 = 40.0;
const GAP: f64 = 116.0;

/// A tree from left to right, edges with their names.
pub(crate) fn tree(root: &Node) -> String {
    let depth = |node: &Node| {
        let deepest = node.below.iter().map(|child| 1 + usize::from(!child.below.is_empty())).max();
        1 + deepest.unwrap_or(0)
    };
    let width = depth(root) as f64 * (BOX + GAP) - GAP + 34.0;
    let height = leaves(root) as f64 * ROW + 2.0;
    let mut edges = String::new();
    let mut boxes = String::new();
    place(root, 0, 0.0, &mut edges, &mut boxes);
    format!(
        "<svg class=\"graph\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"group\" aria-label=\"What it is connected to\">{edges}{boxes}</svg>"
    )
}

fn leaves(node: &Node) -> usize {
    node.below.iter().map(leaves).sum::<usize>().max(1)
}

/// Draws a node and what is below it from `top` on; returns its middle.
fn place(node: &Node, level: usize, top: f64, edges: &mut String, boxes: &mut String) -> f64 {
    let x = level as f64 * (BOX + GAP) + 1.0;
    let middle = top + leaves(node) as f64 * ROW / 2.0;
    let mut at = top;
    for child in &node.below {
        let to = place(child, level + 1, at, edges, boxes);
        at += leaves(child) as f64 * ROW;
        let (from_x, to_x) = (x + BOX, x + BOX + GAP);
        let bend = from_x + 24.0;
        edges.push_str(&format!(
            "<path class=\"edge\" d=\"M{from_x:.0} {middle:.0} C{bend:.0} {middle:.0} {from_x:.0} {to:.0} {bend:.0} {to:.0} L{to_x:.0} {to:.0}\"/>\
             <text class=\"edge-name\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            bend + 4.0,
            to - 5.0,
            escaped(&cut(&child.edge, 15))
        ));
    }
    let y = middle - TALL / 2.0;
    boxes.push_str(&format!(
        "<a href=\"{}\" class=\"node {}\"><title>{}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{BOX}\" height=\"{TALL}\" rx=\"3\"/>\
         <text class=\"note\" x=\"{:.0}\" y=\"{:.0}\">{}</text><text x=\"{:.0}\" y=\"{:.0}\">{}</text></a>",
        escaped(&node.link),
        node.class,
        escaped(&node.title),
        x + 8.0,
        y + 15.0,
        escaped(&cut(&node.note, 40)),
        x + 8.0,
        y + 32.0,
        escaped(&cut(&node.title, 34)),
    ));
    if !node.expand.is_empty() && node.below.is_empty() {
        boxes.push_str(&format!(
            "<a href=\"{}\" class=\"expand\" aria-label=\"Show what {} is connected to\"><rect x=\"{:.0}\" y=\"{:.0}\" width=\"24\" height=\"24\" rx=\"3\"/>\
             <text class=\"middle\" x=\"{:.0}\" y=\"{:.0}\">+</text></a>",
            escaped(&node.expand),
            escaped(&cut(&node.title, 60)),
            x + BOX + 6.0,
            middle - 12.0,
            x + BOX + 18.0,
            middle + 4.5,
        ));
    }
    middle
}

/// A group of memories.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) memories: usize,
    pub(crate) link: String,
}

/// Groups in a ring; the more memories two of them share, the stronger their line.
pub(crate) fn ring(groups: &[Group], links: &[(usize, usize, usize)]) -> String {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 460.0;
    let most = groups.iter().map(|group| group.memories).max().unwrap_or(1).max(1) as f64;
    let shared = links.iter().map(|link| link.2).max().unwrap_or(1).max(1) as f64;
    let spot = |at: usize| {
        let angle = TAU * at as f64 / groups.len().max(1) as f64 - TAU / 4.0;
        (WIDTH / 2.0 + 250.0 * angle.cos(), HEIGHT / 2.0 + 165.0 * angle.sin())
    };
    let mut svg = format!(
        "<svg class=\"graph ring\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"group\" aria-label=\"Groups of memories\">"
    );
    for (from, to, both) in links {
        let ((x1, y1), (x2, y2)) = (spot(*from), spot(*to));
        let width = 1.0 + 5.0 * *both as f64 / shared;
        svg.push_str(&format!(
            "<line class=\"edge\" x1=\"{x1:.0}\" y1=\"{y1:.0}\" x2=\"{x2:.0}\" y2=\"{y2:.0}\" stroke-width=\"{width:.1}\"><title>{both} together</title></line>"
        ));
    }
    for (at, group) in groups.iter().enumerate() {
        let (x, y) = spot(at);
        let radius = 12.0 + 26.0 * (group.memories as f64 / most).sqrt();
        let name = escaped(&cut(&group.name, 26));
        svg.push_str(&format!(
            "<a href=\"{}\" class=\"node\"><title>{}: {} memories</title><circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{radius:.0}\"/>\
             <text class=\"middle\" x=\"{x:.0}\" y=\"{:.0}\">{}</text><text class=\"middle name\" x=\"{x:.0}\" y=\"{:.0}\">{name}</text></a>",
            escaped(&group.link),
            escaped(&group.name),
            group.memories,
            y + 4.0,
            group.memories,
            y + radius + 15.0,
        ));
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_place() {
        let bad = Node {
            title: "\"><script>x</script>".to_owned(),
            note: "<b>".to_owned(),
            link: "/graph?of=\"'".to_owned(),
            class: "",
            edge: "<i>".to_owned(),
            below: Vec::new(),
            expand: "\">".to_owned(),
        };
        let root = Node { below: vec![bad.clone()], ..bad };
        let svg = tree(&root);
        assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains("<i>"), "{svg}");
        let groups = [Group { name: "<b>".to_owned(), memories: 2, link: "\"".to_owned() }];
        assert!(!ring(&groups, &[]).contains("<b>"));
    }

    #[test]
    fn a_chart_without_days_is_nothing_and_one_day_is_one_bar() {
        let now = Timestamp::parse_absolute("2026-10-03T12:00:00Z").unwrap();
        assert_eq!(days(&[], &now), "");
        let one = [Day { day: "2026-10-02".to_owned(), count: 2, tokens: 1_240 }];
        let svg = days(&one, &now);
        assert_eq!(svg.matches("<rect").count(), 1);
        assert!(svg.contains("2026-10-02: 1,240 tokens in 2 texts"), "{svg}");
    }
}
