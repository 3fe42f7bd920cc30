//! `!7` is the merge request of one project; `acme/shop!7` names it from anywhere.

use super::{clone_of, home, ids, remember_in};

#[test]
fn a_number_belongs_to_its_project() {
    let home = home();
    let shop = clone_of(&home, "acme/shop");
    let other = clone_of(&home, "group/proj");
    let by_entity = remember_in(&home, &shop, &["The cart was rewritten.", "--entity", "!123"]);
    let by_tag = remember_in(&home, &shop, &["Checkout got faster.", "--tag", "!123"]);
    let by_text = remember_in(&home, &shop, &["Refunds came with !123."]);
    let foreign = remember_in(&home, &shop, &["Copied from group/proj!123."]);
    let qualified = remember_in(&home, &shop, &["Reverted in acme/shop!123 later."]);
    let theirs = remember_in(&home, &other, &["Their own !123."]);
    let context = |folder: &std::path::Path, reference: &str| {
        let told = home.hark(["context", reference, "--json"]).within(folder).ok().json();
        let mut found = ids(&told["memories"]);
        found.sort();
        found
    };
    let sorted = |list: &[&String]| {
        let mut list: Vec<String> = list.iter().map(|id| (*id).clone()).collect();
        list.sort();
        list
    };
    let of_shop = sorted(&[&by_entity, &by_tag, &by_text, &qualified]);
    assert_eq!(context(&shop, "!123"), of_shop);
    assert_eq!(context(&shop, "acme/shop!123"), of_shop);
    assert_eq!(context(&other, "acme/shop!123"), of_shop, "named from another project");
    assert_eq!(context(&other, "!123"), [theirs.as_str()]);
    assert_eq!(context(&shop, "group/proj!123"), sorted(&[&foreign, &theirs]));
    assert!(context(&shop, "!23").is_empty() && context(&shop, "#123").is_empty());
    let all = home.hark(["context", "!123", "--all-projects", "--json"]).within(&shop).ok().json();
    assert_eq!(ids(&all["memories"]).len(), 6, "{all}");
    // The same in a question, and after the index was made anew.
    let asked = home.hark(["recall", "what about acme/shop!123", "--json"]).within(&shop).ok().json();
    assert!(ids(&asked["hits"]).contains(&by_tag), "{asked}");
    home.hark(["reindex"]).ok();
    assert_eq!(context(&shop, "!123"), of_shop);
}
