//! A logistic model over named measurements.

/// The weight of each measurement, and a constant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Logistic {
    pub constant: f32,
    pub weights: Vec<f32>,
}

impl Logistic {
    /// The probability, 0 to 1. Without weights nothing is known.
    pub fn probability(&self, values: &[f32]) -> f32 {
        let sum: f32 = self.weights.iter().zip(values).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(self.constant + sum)).exp())
    }

    /// One line: `name constant=… measurement=…`.
    pub fn line(&self, name: &str, names: &[&str]) -> String {
        let mut line = format!("{name} constant={:.4}", self.constant);
        for (name, weight) in names.iter().zip(&self.weights) {
            line.push_str(&format!(" {name}={weight:.4}"));
        }
        line
    }

    /// Reads what follows the name on such a line. Every measurement must be there.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, String> {
        let find = |wanted: &str| {
            let value = text.split_whitespace().find_map(|word| word.strip_prefix(wanted)?.strip_prefix('='));
            let number = value.and_then(|value| value.parse().ok()).filter(|number: &f32| number.is_finite());
            number.ok_or_else(|| format!("no weight for {wanted}"))
        };
        let weights = names.iter().map(|name| find(name)).collect::<Result<_, _>>()?;
        Ok(Logistic { constant: find("constant")?, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_survives_being_written() {
        let names = ["near", "words"];
        let model = Logistic { constant: -1.5, weights: vec![2.0, 0.25] };
        let line = model.line("certainty", &names);
        assert_eq!(Logistic::parse(line.trim_start_matches("certainty"), &names), Ok(model.clone()));
        assert!(Logistic::parse("constant=1 near=2", &names).is_err());
        assert!(Logistic::parse("constant=1 near=2 words=NaN", &names).is_err());
        assert!(model.probability(&[1.0, 1.0]) > 0.5 && model.probability(&[0.0, 0.0]) < 0.5);
    }
}
