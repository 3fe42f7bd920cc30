//! The servers as clients meet them: over stdio and HTTP.

mod client;
mod door;
mod http;
mod http_limits;
mod http_token;
mod lifetime;
mod rest;
mod stdio;
