//! Logistic regression by Newton's method, for certainty and for notes on one subject.

use hark_core::rank::logistic::Logistic;

/// Keeps a measurement that says little from being believed much.
const RIDGE: f64 = 1.0;
const STEPS: usize = 25;

/// One example: its measurements, whether it holds, and what it counts.
pub(super) struct Example {
    pub(super) values: Vec<f32>,
    pub(super) holds: bool,
    pub(super) weight: f64,
}

pub(super) fn fit(examples: &[Example], width: usize) -> Logistic {
    let mut weights = vec![0.0; width + 1];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|w| -RIDGE * w).collect();
        gradient[0] = 0.0;
        let mut curvature = vec![vec![0.0; width + 1]; width + 1];
        for (at, row) in curvature.iter_mut().enumerate() {
            row[at] = RIDGE;
        }
        for Example { values, holds, weight } in examples {
            let inputs: Vec<f64> = std::iter::once(1.0).chain(values.iter().map(|v| f64::from(*v))).collect();
            let sum: f64 = inputs.iter().zip(&weights).map(|(a, b)| a * b).sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let error = f64::from(u8::from(*holds)) - p;
            for (i, a) in inputs.iter().enumerate() {
                gradient[i] += weight * error * a;
                for (j, b) in inputs.iter().enumerate() {
                    curvature[i][j] += weight * p * (1.0 - p) * a * b;
                }
            }
        }
        for (w, step) in weights.iter_mut().zip(solve(curvature, gradient)) {
            *w += step;
        }
    }
    Logistic {
        constant: weights[0] as f32,
        weights: weights[1..].iter().map(|weight| *weight as f32).collect(),
    }
}

/// Gaussian elimination; the matrix is positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for i in 0..size {
        for k in i + 1..size {
            let factor = matrix[k][i] / matrix[i][i];
            let row = matrix[i].clone();
            for (to, from) in matrix[k].iter_mut().zip(&row) {
                *to -= factor * from;
            }
            right[k] -= factor * right[i];
        }
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_gets_the_weight() {
        let example = |a: f32, b: f32| Example { values: vec![a, b], holds: a > 0.5, weight: 1.0 };
        let examples: Vec<Example> =
            (0..200).map(|n| example((n % 20) as f32 / 20.0, (n * 7 % 13) as f32 / 13.0)).collect();
        let model = fit(&examples, 2);
        assert!(model.weights[0] > 5.0 && model.weights[1].abs() < 1.0, "{model:?}");
        assert!(model.probability(&[0.9, 0.5]) > 0.9 && model.probability(&[0.1, 0.5]) < 0.1);
    }
}
