//! Memories of other tools: every column of every table of their databases, every line of their files.

use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::{Home, sqlite};
use serde_json::Value;

use super::secrets::{Planted, home, put, strings};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/fixtures/foreign").join(name)
}

/// Tables with those of their columns that may hold text.
fn columns(database: &Path) -> Vec<(String, String)> {
    let conn = sqlite::open(database);
    let sql = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c \
               WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.sql NOT LIKE 'CREATE VIRTUAL%' \
               AND m.name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' ORDER BY 1, 2";
    let mut statement = conn.prepare(sql).unwrap();
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    found.map(Result::unwrap).collect()
}

fn migrate(home: &Home, tool: &str, path: &Path) -> Value {
    home.hark(["migrate", "--json", tool, path.to_str().unwrap(), "--global"]).run().json()
}

#[test]
fn no_column_of_another_tools_database_leaves_a_secret_on_disk() {
    let home = home();
    let mut planted = Planted::new();
    let mut added = 0;
    for (tool, script, file) in [
        ("openCodeMemory", "opencodememory.sql", ".openCodeMemory/memory.db"),
        ("opencode-memory", "opencode-memory.sql", "memory.db"),
        ("sessionmem", "sessionmem.sql", "memories.db"),
        ("total-agent-memory", "total-agent-memory.sql", "memory.db"),
        ("codememory", "codememory.sql", "codememory.db"),
        ("claude-mem", "claude-mem.sql", "claude-mem.db"),
    ] {
        let script = fs::read_to_string(fixture(script)).unwrap();
        let fresh = home.root().join(format!("{tool}-fresh.db"));
        sqlite::open(&fresh).execute_batch(&format!("PRAGMA foreign_keys = OFF;\n{script}")).unwrap();
        let columns = columns(&fresh);
        assert!(columns.len() > 4, "{tool}: {columns:?}");
        // In all of them at once, and in each by itself: a bad date must not excuse the rest.
        for (number, one) in columns.iter().map(Some).chain([None]).enumerate() {
            let folder = home.root().join(format!("{tool}-{number}"));
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(&fresh, &path).unwrap();
            let conn = sqlite::open(&path);
            conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
            let mut touched = 0;
            for (table, column) in columns.iter().filter(|column| one.is_none_or(|one| one == *column)) {
                let words = planted.words(format!("{tool} {table}.{column}"));
                // JSON stays JSON.
                let sql = format!(
                    "UPDATE OR IGNORE \"{table}\" SET \"{column}\" = CASE \
                     WHEN json_valid(\"{column}\") AND json_type(\"{column}\") = 'array' \
                     THEN json_insert(\"{column}\", '$[#]', ?1) \
                     ELSE \"{column}\" || ' ' || ?1 END WHERE typeof(\"{column}\") = 'text'"
                );
                touched += conn.execute(&sql, [&words]).unwrap_or_default();
            }
            drop(conn);
            if touched == 0 {
                continue;
            }
            let target = if tool == "openCodeMemory" { &folder } else { &path };
            let told = migrate(&home, tool, target);
            added += told["sources"][0]["added"].as_u64().unwrap_or_default();
            added += told["sources"][0]["updated"].as_u64().unwrap_or_default();
        }
    }
    assert!(added > 60, "{added}");
    assert!(planted.count() > 100, "{}", planted.count());
    planted.assert_absent(&home.store(), |_| true);
}

#[test]
fn nor_a_graph_of_the_memory_server() {
    let home = home();
    let mut planted = Planted::new();
    let text = fs::read_to_string(fixture("server-memory.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for (at, line) in lines.iter().enumerate() {
        for place in strings(line) {
            let mut all = lines.clone();
            put(&mut all[at], &place, &planted.words(format!("server-memory {at}{place}")));
            let path = home.root().join(format!("{}.jsonl", planted.count()));
            fs::write(&path, all.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
            let _ = migrate(&home, "server-memory", &path);
        }
    }
    assert!(planted.count() > 10);
    planted.assert_absent(&home.store(), |_| true);
}

#[test]
fn nor_a_vault_nor_a_projects_papers() {
    let home = home();
    let mut planted = Planted::new();
    let vault = home.work().join("vault");
    fs::create_dir_all(vault.join("sub")).unwrap();
    let note = "---\ntags: [infra]\naliases: [queue]\ncreated: 2025-02-03\nupdated: 2025-02-04\nkind: decision\nauthor: ann\nproject: shop\nmood: fine\n---\n# A heading\n\nDrained by [[Workers|them]], see ![[Picture]]. #ops\n\n- an item\n\n> a quote\n";
    for (at, line) in note.lines().enumerate().filter(|(_, line)| !line.is_empty() && *line != "---") {
        for way in ["behind", "instead", "key"] {
            let secret = planted.secret(format!("obsidian `{line}` {way}"));
            let changed = match (way, line.split_once(": ")) {
                ("instead", Some((key, _))) => format!("{key}: {secret}"),
                ("key", _) => format!("{secret}: x\n{line}"),
                _ => format!("{line} {secret}"),
            };
            let lines = note.lines().enumerate().map(|(i, l)| if i == at { changed.as_str() } else { l });
            let text = lines.collect::<Vec<_>>().join("\n");
            fs::write(vault.join(format!("sub/Note {at} {way}.md")), text).unwrap();
        }
    }
    let (name, folder, link) =
        (planted.secret("name of a note"), planted.secret("name of a folder"), planted.secret("a link"));
    fs::write(vault.join(format!("{name}.md")), "A note with an odd name.\n").unwrap();
    fs::create_dir_all(vault.join(&folder)).unwrap();
    fs::write(vault.join(&folder).join("Inside.md"), format!("Inside it, see [[{link}]].\n")).unwrap();
    let told = home.hark(["migrate", "obsidian", vault.to_str().unwrap(), "--global", "--json"]).ok().json();
    assert!(told["sources"][0]["added"].as_u64().unwrap() > 30, "{told}");
    planted.assert_absent(&home.store(), |_| true);

    let papers = home.work().join("papers");
    fs::create_dir_all(papers.join("docs")).unwrap();
    let text = |planted: &mut Planted, name: &str| {
        format!(
            "# {}\n\nRun `make check`, {}\n\n## Style {}\n\n- Tabs, {}\n",
            planted.secret(format!("{name} title")),
            planted.words(format!("{name} text")),
            planted.secret(format!("{name} heading")),
            planted.words(format!("{name} item"))
        )
    };
    for name in ["CLAUDE.md", "AGENTS.md", "README.md", "docs/architecture.md", "CONTRIBUTING.md"] {
        fs::write(papers.join(name), text(&mut planted, name)).unwrap();
    }
    let odd = planted.secret("name of a paper");
    fs::write(papers.join(format!("docs/{odd}.md")), text(&mut planted, "odd")).unwrap();
    let _ = home.hark(["migrate", "instructions", papers.to_str().unwrap()]).run();
    let _ = home.hark(["bootstrap"]).within(&papers).run();
    let _ = home.hark(["bootstrap", papers.to_str().unwrap()]).run();
    planted.assert_absent(&home.store(), |_| true);
}
