//! Decides on proposals one by one, after `hark inbox` has listed them on a terminal.

use std::io::BufRead;

use hark_engine::Engine;
use hark_engine::ops::inbox::{self, DecideRequest, Decision, EditRequest};
use serde_json::Value;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

const KEYS: &str = "[a]ccept  [e]dit  [r]eject  [s]kip  [q]uit";

/// What the user wants with one proposal.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Accept(String),
    /// A new text; an edited proposal is accepted.
    Edit(String, String),
    Reject(String),
}

/// Asks about each proposal in `listed`, the JSON of the list, and does what the user chooses.
pub(crate) fn decide_each(listed: &str, environment: &Environment) -> Result<(), Failure> {
    let listed: Value = serde_json::from_str(listed).unwrap_or_default();
    let proposals: Vec<(String, String)> = listed["items"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| Some((item["id"].as_str()?.to_owned(), item["text"].as_str()?.to_owned())))
        .collect();
    if proposals.is_empty() {
        return Ok(());
    }
    let mut engine = environment.machine.engine()?;
    let mut ask = |question: &str| {
        ui::note(question);
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer).unwrap_or(0);
        (read > 0).then(|| answer.trim().to_owned())
    };
    walk(&proposals, &mut ask, &mut |choice| act(&mut engine, environment, choice))
}

/// Goes through proposals until the user quits or the input ends.
fn walk(
    proposals: &[(String, String)],
    ask: &mut dyn FnMut(&str) -> Option<String>,
    act: &mut dyn FnMut(Choice) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for (id, text) in proposals {
        let question = format!("{id}  {}\n{KEYS}: ", ui::safe(text));
        loop {
            let Some(key) = ask(&question) else { return Ok(()) };
            match key.to_ascii_lowercase().as_str() {
                "a" | "accept" => act(Choice::Accept(id.clone()))?,
                "r" | "reject" => act(Choice::Reject(id.clone()))?,
                "e" | "edit" => match ask("new text (empty to go back): ") {
                    Some(new) if !new.is_empty() => act(Choice::Edit(id.clone(), new))?,
                    Some(_) => continue,
                    None => return Ok(()),
                },
                "s" | "skip" | "" => {}
                "q" | "quit" => return Ok(()),
                _ => continue,
            }
            break;
        }
    }
    Ok(())
}

fn act(engine: &mut Engine, environment: &Environment, choice: Choice) -> Result<(), Failure> {
    let caller = environment.caller();
    let (id, decision) = match choice {
        Choice::Accept(id) => (id, Decision::Accept),
        Choice::Reject(id) => (id, Decision::Reject),
        Choice::Edit(id, text) => {
            inbox::edit(engine, &caller, &EditRequest { id: id.clone(), text })?;
            (id, Decision::Accept)
        }
    };
    inbox::decide(engine, &caller, &DecideRequest { ids: vec![id] }, decision)?;
    ui::note(match decision {
        Decision::Accept => "accepted\n",
        Decision::Reject => "rejected\n",
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(answers: &[&str]) -> Vec<Choice> {
        let proposals: Vec<(String, String)> =
            ["m-1", "m-2", "m-3"].iter().map(|id| ((*id).to_owned(), "We use tabs.".to_owned())).collect();
        let mut answers = answers.iter().map(|answer| (*answer).to_owned());
        let mut done = Vec::new();
        walk(&proposals, &mut |_| answers.next(), &mut |choice| {
            done.push(choice);
            Ok(())
        })
        .unwrap();
        done
    }

    #[test]
    fn a_key_decides_on_each_proposal() {
        let accept = |id: &str| Choice::Accept(id.to_owned());
        let reject = |id: &str| Choice::Reject(id.to_owned());
        assert_eq!(chosen(&["a", "r", "s"]), [accept("m-1"), reject("m-2")]);
        assert_eq!(chosen(&["", "x", "R", "q"]), [reject("m-2")], "an unknown key asks again");
        assert_eq!(
            chosen(&["e", "", "e", "We use spaces.", "q"]),
            [Choice::Edit("m-1".to_owned(), "We use spaces.".to_owned())]
        );
        assert_eq!(chosen(&["a"]), [accept("m-1")], "the input ended");
    }
}
