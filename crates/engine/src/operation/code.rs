//! The code behind a row, whatever the types of its request and response.

use clap::ArgMatches;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::tell::{self, Answer};
use super::{Call, Page, schema};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::ops::embed;

/// A request to an open store.
pub trait Operate: clap::Args + Clone + DeserializeOwned + JsonSchema + Send + 'static {
    type Response: Reply;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Self::Response, EngineError>;

    /// Completes what was typed on a command line: joins words, reads standard input or a passphrase.
    fn typed(self, _call: &mut Call<'_>) -> Result<Self, EngineError> {
        Ok(self)
    }
}

/// The usual case: a function of an open store, a caller and a request.
macro_rules! operate {
    ($request:ty => $response:ty, $run:path) => {
        impl $crate::operation::Operate for $request {
            type Response = $response;

            fn run(
                &self,
                engine: &mut $crate::Engine,
                call: &mut $crate::operation::Call<'_>,
            ) -> Result<$response, $crate::EngineError> {
                $run(engine, call.caller, self)
            }
        }
    };
}
pub(crate) use operate;

/// A request about the machine: it opens a store itself, if it needs one.
pub trait OperateHere: clap::Args + Clone + DeserializeOwned + JsonSchema + Send + 'static {
    type Response: Reply;

    fn run(&self, call: &mut Call<'_>) -> Result<Self::Response, EngineError>;
}

/// A response: data for programs, text for people and for models.
pub trait Reply: Serialize + JsonSchema + Send + 'static {
    /// How it reads in a terminal.
    fn print(&self, page: &mut Page);

    /// How a model reads it.
    fn answer(&self) -> Result<Answer, EngineError> {
        tell::json(self)
    }

    /// What is wrong despite the response; decides the exit code.
    fn problem(&self) -> Option<EngineError> {
        None
    }

    /// Whether the operation has written to standard output itself.
    fn is_printed(&self) -> bool {
        false
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Store,
    Machine,
}

pub struct Code {
    pub needs: Needs,
    args: fn(clap::Command) -> clap::Command,
    typed: fn(&ArgMatches, &mut Call<'_>) -> Result<Prepared, EngineError>,
    parsed: fn(Value) -> Result<Prepared, EngineError>,
    request: fn() -> Value,
    accepts: fn() -> Value,
    returns: fn() -> Value,
}

/// A request that is ready to run.
pub struct Prepared(Box<dyn Run>);

/// A response whose type is forgotten.
pub struct Done(Box<dyn Speak>);

impl Code {
    pub const fn on_store<R: Operate>() -> Code {
        Code {
            needs: Needs::Store,
            args: R::augment_args,
            typed: |matches, call| Ok(Prepared(Box::new(OnStore(read::<R>(matches)?.typed(call)?)))),
            parsed: |value| Ok(Prepared(Box::new(OnStore(parse::<R>(value)?)))),
            request: schema::of::<R>,
            accepts: schema::accepted::<R>,
            returns: schema::returned::<R::Response>,
        }
    }

    pub const fn here<R: OperateHere>() -> Code {
        Code {
            needs: Needs::Machine,
            args: R::augment_args,
            typed: |matches, _| Ok(Prepared(Box::new(Here(read::<R>(matches)?)))),
            parsed: |value| Ok(Prepared(Box::new(Here(parse::<R>(value)?)))),
            request: schema::of::<R>,
            accepts: schema::accepted::<R>,
            returns: schema::returned::<R::Response>,
        }
    }

    /// Adds the operation's options to a command.
    pub fn args(&self, command: clap::Command) -> clap::Command {
        (self.args)(command)
    }

    pub fn typed(&self, matches: &ArgMatches, call: &mut Call<'_>) -> Result<Prepared, EngineError> {
        (self.typed)(matches, call)
    }

    pub fn parsed(&self, arguments: Value) -> Result<Prepared, EngineError> {
        (self.parsed)(arguments)
    }

    /// What it takes, as a JSON Schema that is as small as it can be.
    pub fn request_schema(&self) -> Value {
        (self.request)()
    }

    /// What it takes, with everything that a program can know beforehand: bounds, alternatives, and the options that
    /// are left out of the schema for models.
    pub fn accepted_schema(&self) -> Value {
        schema::completed((self.accepts)(), &self.args(clap::Command::new("route")))
    }

    /// What it returns.
    pub fn returned_schema(&self) -> Value {
        (self.returns)()
    }
}

impl Prepared {
    /// Runs on a store that is open. Can run twice, if the index had to be rebuilt in between.
    pub fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Done, EngineError> {
        self.0.on_store(engine, call)
    }

    /// Runs an operation that needs no open store.
    pub fn run_here(&self, call: &mut Call<'_>) -> Result<Done, EngineError> {
        self.0.here(call)
    }
}

impl Done {
    /// As JSON text for people and scripts.
    pub fn json(&self) -> String {
        self.0.json()
    }

    /// The same as data.
    pub fn data(&self) -> Result<Value, EngineError> {
        self.0.data()
    }

    pub fn print(&self, page: &mut Page) {
        self.0.print(page);
    }

    pub fn answer(&self) -> Result<Answer, EngineError> {
        self.0.answer()
    }

    pub fn problem(&self) -> Option<EngineError> {
        self.0.problem()
    }

    pub fn is_printed(&self) -> bool {
        self.0.is_printed()
    }
}

trait Run: Send {
    fn on_store(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Done, EngineError>;
    fn here(&self, call: &mut Call<'_>) -> Result<Done, EngineError>;
}

struct OnStore<R>(R);
struct Here<R>(R);

impl<R: Operate> Run for OnStore<R> {
    fn on_store(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Done, EngineError> {
        let done = self.0.run(engine, call)?;
        // A page runs several operations, and each would take its time for this.
        if !call.caller.for_page {
            embed::soon(engine);
        }
        Ok(Done(Box::new(done)))
    }

    fn here(&self, call: &mut Call<'_>) -> Result<Done, EngineError> {
        let mut engine = call.machine.engine()?;
        self.on_store(&mut engine, call)
    }
}

impl<R: OperateHere> Run for Here<R> {
    fn on_store(&self, _engine: &mut Engine, call: &mut Call<'_>) -> Result<Done, EngineError> {
        self.here(call)
    }

    fn here(&self, call: &mut Call<'_>) -> Result<Done, EngineError> {
        Ok(Done(Box::new(self.0.run(call)?)))
    }
}

trait Speak: Send {
    fn json(&self) -> String;
    fn data(&self) -> Result<Value, EngineError>;
    fn print(&self, page: &mut Page);
    fn answer(&self) -> Result<Answer, EngineError>;
    fn problem(&self) -> Option<EngineError>;
    fn is_printed(&self) -> bool;
}

impl<T: Reply> Speak for T {
    fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn data(&self) -> Result<Value, EngineError> {
        tell::value(self)
    }

    fn print(&self, page: &mut Page) {
        Reply::print(self, page);
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        Reply::answer(self)
    }

    fn problem(&self) -> Option<EngineError> {
        Reply::problem(self)
    }

    fn is_printed(&self) -> bool {
        Reply::is_printed(self)
    }
}

fn read<R: clap::Args>(matches: &ArgMatches) -> Result<R, EngineError> {
    R::from_arg_matches(matches).map_err(|e| EngineError::invalid(e.to_string(), "see `hark --help`"))
}

fn parse<R: DeserializeOwned>(arguments: Value) -> Result<R, EngineError> {
    serde_json::from_value(arguments)
        .map_err(|e| EngineError::invalid(format!("invalid arguments: {e}"), "see the tool's input schema"))
}
