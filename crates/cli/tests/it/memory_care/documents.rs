//! Reading one folder of a project leaves what was learned from the others alone.

use std::fs;

use hark_testkit::Home;
use hark_testkit::git::repository;
use serde_json::Value;

use super::home;

const DEPLOYS: &str =
    "# Shop\n\n## Deploys\n\nDeploys run on Tuesdays from the release branch, after the smoke tests.\n";
const WEB: &str =
    "# Web\n\n## Setup\n\nRun make dev; needs Node 20.\n\n## License\n\nMIT\n\n## Soon\n\nTBD\n";

fn bootstrap(home: &Home, folder: &std::path::Path, args: &[&str]) -> Value {
    home.hark([&["bootstrap", "--json"], args].concat()).within(folder).ok().json()
}

fn active(home: &Home, folder: &std::path::Path) -> Vec<String> {
    let listed = home.hark(["list", "--json"]).within(folder).ok().json();
    let mut titles: Vec<String> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn a_subfolder_archives_nothing_outside_it_and_keeps_short_sections() {
    let home = home();
    let shop = repository(&home, "shop");
    fs::create_dir_all(shop.join("packages/web/docs")).unwrap();
    fs::write(shop.join("README.md"), DEPLOYS).unwrap();
    fs::write(shop.join("packages/web/README.md"), WEB).unwrap();
    fs::write(shop.join("packages/web/docs/api.md"), "# API\n\nThe API is versioned by date.\n").unwrap();
    bootstrap(&home, &shop, &[]);
    let told = bootstrap(&home, &shop, &["packages/web"]);
    assert_eq!((told["added"].as_u64(), told["archived"].as_u64()), (Some(2), Some(0)), "{told}");
    assert_eq!(told["skipped"], 2, "the licence and a word are counted: {told}");
    assert_eq!(active(&home, &shop), ["API", "Shop › Deploys", "Web › Setup"]);
    // Paths are those of the project, however the folder was named.
    let found = home.hark(["recall", "make dev needs Node", "--json"]).within(&shop).ok().json();
    let setup = home.show(found["hits"][0]["id"].as_str().unwrap());
    assert_eq!(setup["files"], serde_json::json!(["packages/web/README.md"]));
    assert_eq!(found["hits"][0]["freshness"], "fresh");
    let again = bootstrap(&home, &shop.join("packages"), &["web"]);
    assert_eq!((again["unchanged"].as_u64(), again["archived"].as_u64()), (Some(2), Some(0)), "{again}");

    // The whole project does not read packages, and does not archive them either, until they are gone.
    let whole = bootstrap(&home, &shop, &[]);
    assert_eq!(whole["archived"], 0, "{whole}");
    fs::remove_file(shop.join("packages/web/docs/api.md")).unwrap();
    assert_eq!(bootstrap(&home, &shop, &["packages/web"])["archived"], 1);
    assert_eq!(active(&home, &shop), ["Shop › Deploys", "Web › Setup"]);
}

#[test]
fn files_read_with_all_files_stay_after_a_plain_run() {
    let home = home();
    let shop = repository(&home, "shop");
    fs::write(shop.join("README.md"), DEPLOYS).unwrap();
    fs::write(shop.join("notes.md"), "# Notes\n\nThe office is closed in August.\n").unwrap();
    assert_eq!(bootstrap(&home, &shop, &["--all-files"])["added"], 2);
    assert_eq!(bootstrap(&home, &shop, &[])["archived"], 0);
}

#[test]
fn a_folder_of_records_is_read_whatever_the_names() {
    let home = home();
    let shop = repository(&home, "shop");
    fs::create_dir_all(shop.join("docs/adr")).unwrap();
    fs::write(shop.join("docs/adr/0001-postgres.md"), "# Use PostgreSQL\n\nWe need transactions.\n").unwrap();
    let told = bootstrap(&home, &shop, &["docs/adr"]);
    assert_eq!(told["added"], 1, "{told}");
    let listed = home.hark(["list", "--kind", "decision", "--json"]).within(&shop).ok().json();
    assert_eq!(listed["memories"][0]["title"], "Use PostgreSQL");
    let said = home.hark(["bootstrap"]).within(&shop).ok();
    assert!(said.stdout().contains("1 unchanged"), "{said}");
}

#[test]
fn sections_without_anything_to_learn_are_mentioned() {
    let home = home();
    let shop = repository(&home, "shop");
    fs::write(shop.join("README.md"), WEB).unwrap();
    let said = home.hark(["bootstrap"]).within(&shop).ok();
    assert!(said.stderr().contains("skipped 2 sections"), "{said}");
}
