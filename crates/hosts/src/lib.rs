//! The assistants Hark is wired into: one folder each, with the wire types of its hooks, the reader
//! of its transcripts and the plan of its installation.
//!
//! Nothing is here yet; the boundary stands so that what comes knows neither SQL nor tokio.
