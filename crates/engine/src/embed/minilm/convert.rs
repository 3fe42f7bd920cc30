//! Converts a published encoder (safetensors and a vocabulary) into hark's format: each matrix row becomes a
//! scale and eight-bit values. The same input gives the same bytes on every machine.

use super::kernel::HEAD;
use super::layout::{CHECKSUM, Form, HEADER, ID, LONGEST_PREFIX, Pooling, Role, Rules, Shape};
use super::safetensors::{Tensor, Tensors};

/// The encoder was trained on texts of at most this many tokens.
const POSITIONS: usize = 256;

/// What the files beside the weights, or the user, say about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) role: Role,
    pub(super) pooling: Pooling,
    pub(super) heads: Option<usize>,
    /// The most tokens that it reads.
    pub(super) positions: usize,
    pub(super) question: String,
    pub(super) passage: String,
}

/// The bytes of the converted file. `told` is for models that the user chose.
pub(super) fn convert(
    name: &str,
    weights: &[u8],
    vocabulary: &str,
    told: Option<&Told>,
) -> Result<Vec<u8>, String> {
    let tensors = Tensors::open(weights)?;
    let words = tensors.get("embeddings.word_embeddings.weight")?;
    let places = tensors.get("embeddings.position_embeddings.weight")?;
    let layers = (0..).take_while(|i| tensors.has(&format!("encoder.layer.{i}.output.dense.weight"))).count();
    let tokens: Vec<&str> = vocabulary.lines().collect();
    if tokens.len() > usize::from(u16::MAX) {
        return Err(format!(
            "has a vocabulary of {} tokens; at most {} are supported",
            tokens.len(),
            u16::MAX
        ));
    }
    if told.is_some_and(|told| told.question.len().max(told.passage.len()) > LONGEST_PREFIX) {
        return Err(format!("has a prefix of more than {LONGEST_PREFIX} bytes"));
    }
    if words.rows != tokens.len() {
        return Err(format!("has {} tokens, but the vocabulary has {}", words.rows, tokens.len()));
    }
    let shape = Shape {
        form: Form::Bytes,
        tokens: tokens.len(),
        hidden: words.width,
        layers,
        // All small encoders of this family have heads of the same size.
        heads: told.and_then(|told| told.heads).unwrap_or(words.width / HEAD),
        inner: tensors.get("encoder.layer.0.intermediate.dense.weight")?.rows,
        positions: places.rows.min(told.map_or(POSITIONS, |told| told.positions)),
        strings: tokens.iter().map(|t| t.len()).sum(),
        rules: told.map(|told| Rules {
            role: told.role,
            pooling: told.pooling,
            question: told.question.len(),
            passage: told.passage.len(),
        }),
    };
    if !shape.is_plausible() {
        return Err(format!(
            "has a size that is not supported: {} values per token in {} heads, {} in between, {} layers; \
             heads must have a multiple of {HEAD} values",
            shape.hidden, shape.heads, shape.inner, shape.layers
        ));
    }

    let mut file = vec![0; HEADER];
    write_vocabulary(&tokens, &mut file);
    if let Some(told) = told {
        file.extend(told.question.bytes().chain(told.passage.bytes()));
    }
    let mut matrices = Vec::new();
    write_embeddings(&tensors, &shape, &places, &mut file)?;
    for layer in 0..layers {
        write_layer(&tensors, &shape, layer, &mut file, &mut matrices)?;
    }
    match told.map(|told| told.role) {
        None => {}
        // Filled in once it is known; see `centre`.
        Some(Role::Encoder) => file.extend(vec![0; 4 * shape.hidden]),
        Some(Role::Reranker) => write_judge(&tensors, shape.hidden, &mut file)?,
    }
    file.extend(matrices);
    for row in words.values.chunks_exact(words.width) {
        let (scale, values) = round(row);
        file.extend(scale.to_le_bytes());
        file.extend(values);
    }
    seal(name, &shape, &mut file);
    Ok(file)
}

fn write_vocabulary(tokens: &[&str], file: &mut Vec<u8>) {
    let mut start = 0u32;
    for token in tokens {
        file.extend(start.to_le_bytes());
        start += token.len() as u32;
    }
    file.extend(start.to_le_bytes());
    let mut order: Vec<u16> = (0..tokens.len() as u16).collect();
    order.sort_by_key(|i| tokens.get(usize::from(*i)));
    file.extend(order.iter().flat_map(|i| i.to_le_bytes()));
    tokens.iter().for_each(|token| file.extend(token.as_bytes()));
}

fn write_embeddings(
    tensors: &Tensors<'_>,
    shape: &Shape,
    places: &Tensor,
    file: &mut Vec<u8>,
) -> Result<(), String> {
    let segment = sized(tensors, "embeddings.token_type_embeddings.weight", None, shape.hidden)?;
    // Texts have only one segment, so its vector can be added to the positions.
    for place in places.values.chunks_exact(shape.hidden).take(shape.positions) {
        file.extend(place.iter().zip(&segment.values).flat_map(|(a, b)| (a + b).to_le_bytes()));
    }
    write_norm(tensors, "embeddings.LayerNorm", shape, file)
}

fn write_layer(
    tensors: &Tensors<'_>,
    shape: &Shape,
    layer: usize,
    file: &mut Vec<u8>,
    matrices: &mut Vec<u8>,
) -> Result<(), String> {
    let (hidden, inner) = (shape.hidden, shape.inner);
    let groups: [(&[&str], usize, usize); 4] = [
        (&["attention.self.query", "attention.self.key", "attention.self.value"], hidden, hidden),
        (&["attention.output.dense"], hidden, hidden),
        (&["intermediate.dense"], inner, hidden),
        (&["output.dense"], hidden, inner),
    ];
    for (names, rows, width) in groups {
        let (mut scales, mut biases) = (Vec::new(), Vec::new());
        for name in names {
            let name = format!("encoder.layer.{layer}.{name}");
            let matrix = sized(tensors, &format!("{name}.weight"), Some(rows), width)?;
            for row in matrix.values.chunks_exact(width) {
                let (scale, values) = round(row);
                scales.push(scale);
                matrices.extend(values);
            }
            biases.extend(sized(tensors, &format!("{name}.bias"), None, rows)?.values);
        }
        file.extend(scales.iter().chain(&biases).flat_map(|x| x.to_le_bytes()));
    }
    write_norm(tensors, &format!("encoder.layer.{layer}.attention.output.LayerNorm"), shape, file)?;
    write_norm(tensors, &format!("encoder.layer.{layer}.output.LayerNorm"), shape, file)
}

/// The part of a reranker that turns the first token's output into a score.
fn write_judge(tensors: &Tensors<'_>, hidden: usize, file: &mut Vec<u8>) -> Result<(), String> {
    let segments = sized(tensors, "embeddings.token_type_embeddings.weight", Some(2), hidden)?;
    let (first, second) = segments.values.split_at(hidden);
    let mut floats: Vec<f32> = second.iter().zip(first).map(|(b, a)| b - a).collect();
    floats.extend(sized(tensors, "pooler.dense.weight", Some(hidden), hidden)?.values);
    floats.extend(sized(tensors, "pooler.dense.bias", None, hidden)?.values);
    let classifier = tensors.get("classifier.weight")?;
    if classifier.rows != 1 || classifier.width != hidden {
        return Err(format!("has {} outputs; a reranker has one", classifier.rows));
    }
    floats.extend(classifier.values);
    floats.extend(sized(tensors, "classifier.bias", None, 1)?.values);
    file.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
    Ok(())
}

/// Puts the mean of an encoder's unit vectors into its file.
pub(super) fn centre(name: &str, file: &mut [u8], mean: &[f32]) {
    let Some(shape) = Shape::read(file) else { return };
    let end = shape.sections().floats.end;
    for (to, from) in file[end - 4 * mean.len()..end].chunks_exact_mut(4).zip(mean) {
        to.copy_from_slice(&from.to_le_bytes());
    }
    seal(name, &shape, file);
}

fn write_norm(tensors: &Tensors<'_>, name: &str, shape: &Shape, file: &mut Vec<u8>) -> Result<(), String> {
    for part in ["weight", "bias"] {
        let tensor = sized(tensors, &format!("{name}.{part}"), None, shape.hidden)?;
        file.extend(tensor.values.iter().flat_map(|x| x.to_le_bytes()));
    }
    Ok(())
}

fn sized(tensors: &Tensors<'_>, name: &str, rows: Option<usize>, width: usize) -> Result<Tensor, String> {
    let tensor = tensors.get(name)?;
    let fits = tensor.width == width && rows.is_none_or(|rows| rows == tensor.rows);
    fits.then_some(tensor)
        .ok_or_else(|| format!("has `{name}` in a size that does not match the other tensors"))
}

fn round(row: &[f32]) -> (f32, impl Iterator<Item = u8>) {
    let largest = row.iter().fold(f32::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let scale = largest / 127.0;
    (scale, row.iter().map(move |x| ((x / scale).round() as i8).cast_unsigned()))
}

fn seal(name: &str, shape: &Shape, file: &mut [u8]) {
    let Some((header, body)) = file.split_first_chunk_mut::<HEADER>() else { return };
    shape.write(header);
    let checksum = blake3::Hasher::new().update(&header[..CHECKSUM.start]).update(body).finalize();
    header[CHECKSUM].copy_from_slice(checksum.as_bytes());
    let end = format!("-{}-{}", shape.hidden, &checksum.to_hex()[..12]);
    let start: String = name.chars().take(ID.len() - end.len()).collect();
    let id = start + &end;
    header[ID].fill(0);
    header[ID].iter_mut().zip(id.bytes()).for_each(|(to, from)| *to = from);
}
