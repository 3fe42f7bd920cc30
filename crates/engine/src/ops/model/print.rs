//! What `hark model` prints.

use super::{Got, List, Used, Verified};
use crate::operation::text::safe;
use crate::operation::{BOLD, DIM, GOOD, Page, Reply};

impl Reply for List {
    fn print(&self, page: &mut Page) {
        for model in &self.models {
            let state = match (model.used, model.installed) {
                (true, true) => "in use",
                (true, false) => "chosen, but not installed",
                (false, true) => "installed",
                (false, false) => "not installed",
            };
            let size =
                if model.installed { format!(", {:.1} MB", model.bytes as f64 / 1e6) } else { String::new() };
            page.print(&format!("{BOLD}{}{BOLD:#}  {state}{size}\n", model.name));
            page.print(&format!("    {DIM}{}, {}{DIM:#}\n", model.about, model.licence));
            if let (Some(embedded), Some(passages)) = (model.embedded, model.passages) {
                page.print(&format!("    {DIM}{embedded} of {passages} passages have its vectors{DIM:#}\n"));
            }
        }
    }
}

impl Reply for Got {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{GOOD}installed{GOOD:#} {} as {}\n", self.name, safe(&self.path)));
        if let Some(sha256) = &self.sha256 {
            page.note(&format!("SHA-256 of the source {sha256}\n"));
        }
        page.note(&format!("use it with `hark model use {}`\n", self.name));
    }
}

impl Reply for Used {
    fn print(&self, page: &mut Page) {
        page.print(&format!("chose {} in {}\n", self.model, safe(&self.settings)));
        if self.is_new_space {
            page.note(
                "the worker makes its vectors in the background, or run `hark model embed`; until then the static model is used\n",
            );
        }
    }
}

impl Reply for Verified {
    fn print(&self, page: &mut Page) {
        let checksum = self.checksum.as_ref().map_or(String::new(), |sum| format!(", checksum {sum}"));
        page.print(&format!("{GOOD}{} is complete and works{GOOD:#}{checksum}\n", self.name));
        page.note(&format!(
            "{DIM}similar sentences {:.2}, different sentences {:.2}{DIM:#}\n",
            self.alike, self.unlike
        ));
    }
}
