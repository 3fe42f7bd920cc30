//! Secrets broken over lines, joined by code, escaped or encoded. The function next to a form wraps the text
//! between `«` and `»`, and no piece of the result may remain.

use super::Form;
use super::wraps::*;

const JWT: &str =
    "token «eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6{an:20}.{url:43}» ok";

pub(crate) const FORMS: &[Form] = &[
    Form::new("jwt over two lines", JWT, two_lines),
    Form::new("jwt over two indented lines", JWT, two_lines_indented),
    Form::new("jwt over windows lines", JWT, two_lines_crlf),
    Form::new("jwt in lines of 40", JWT, lines_of_40),
    Form::new(
        "jwt in a quoted mail",
        "> Bearer «eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLCJl{an:40}.{url:86}»\n>",
        quoted_mail,
    ),
    Form::new("jwt behind a backslash", JWT, backslash),
    Form::new(
        "jwt joined by plus",
        "jwt = \"«eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjoi{an:30}.{url:43}»\"",
        plus_next_line,
    ),
    Form::new("github token over two lines", "my token: «ghp_{an:36}»\n", two_lines),
    Form::new("github token over two indented lines", "  token: «ghp_{an:36}»\n", two_lines_indented),
    Form::new("fine-grained token in lines of 40", "«github_pat_11{up:20}_{an:59}»\n", lines_of_40),
    Form::new("aws key id over two lines", "key id «AKIA{B32:16}»\n", two_lines),
    Form::new("anthropic key in lines of 76", "«sk-ant-api03-{url:93}AA»\n", lines_of_76),
    Form::new("openai key over two lines", "export K=«sk-proj-{url:74}T3BlbkFJ{url:74}»\n", two_lines),
    Form::new("github token behind a backslash", "TOKEN=«ghp_{an:36}»", backslash),
    Form::new("github token behind a backslash, indented", "TOKEN=\"«ghp_{an:36}»\"", backslash_indented),
    Form::new("gitlab token behind a backslash", "--token «glpat-{url:20}» \\\n --url x", backslash),
    Form::new("github token joined by plus", "const t = \"«ghp_{an:36}»\";", plus),
    Form::new("aws key id joined by plus", "id = '«AKIA{B32:16}»'", plus_single_quotes),
    Form::new(
        "slack token joined by plus over lines",
        "var s = \"«xoxb-{dig:12}-{dig:13}-{an:24}»\";",
        plus_next_line,
    ),
    Form::new("stripe key joined by a leading plus", "key = \"«sk_live_51{an:97}»\"", plus_leading),
    Form::new("anthropic key in three strings", "k = \"«sk-ant-api03-{url:93}AA»\"", plus_three),
    Form::new("npm token joined by a dot", "$t = '«npm_{an:36}»';", dot),
    Form::new("github token joined by an ampersand", "t = \"«ghp_{an:36}»\"", ampersand),
    Form::new("literals side by side", "token = (\"«ghp_{an:36}»\")", side_by_side),
    Form::new("password joined by plus", "password = \"«kX9!fjq2mLp7»\";", plus),
    Form::new("github token percent-escaped", "https://x.test/?t=«ghp_{an:36}»&x=1", percent_all),
    Form::new("google refresh token percent-escaped", "refresh=«1//0{url:60}»", percent_punctuation),
    Form::new("aws secret percent-escaped", "aws_secret_access_key=«{b64:40}»", percent_punctuation),
    Form::plain("url with password inside a url", "next=https%3A%2F%2Fapp%3A«kX9fjq2mLp»%40db.test%2Fshop"),
    Form::new("slack token percent-escaped", "token=«xoxb-{dig:12}-{dig:13}-{an:24}»", percent_punctuation),
    Form::new("aws key id, first letter escaped", "{\"id\":\"«AKIA{B32:16}»\"}", unicode_first),
    Form::new("github token, first letter escaped", "{\"t\":\"«ghp_{an:36}»\"}", unicode_first),
    Form::new("github token, all letters escaped", "{\"t\":\"«ghp_{an:36}»\"}", unicode_all),
    Form::new("sendgrid key, punctuation escaped", "{\"k\":\"«SG.{url:22}.{url:43}»\"}", unicode_punctuation),
    Form::new("google refresh token, slashes escaped", "{\"refresh\":\"«1//0{url:60}»\"}", escaped_slashes),
    Form::new(
        "slack webhook, slashes escaped",
        "{\"u\":\"https:\\/\\/hooks.slack.com\\/services\\/«T{up:8}/B{up:8}/{an:24}»\"}",
        escaped_slashes,
    ),
    Form::new(
        "database url, slashes escaped",
        "{\"u\":\"postgres:\\/\\/app:«kX9fjq2mLp»@db.test\\/shop\"}",
        plain,
    ),
    Form::new("github token in hex escapes", "t = \"«ghp_{an:36}»\"", hex_escapes),
    Form::new("github token in entities", "<td>«ghp_{an:36}»</td>", entities),
    Form::plain("password in escaped json", r#"{\"user\":\"a\",\"password\":\"«kX9fjq2mLp»\"}"#),
    Form::plain("password with an escaped quote", r#"{"password": "«kX9\"fjq2mLp»"}"#),
    Form::plain("password in json in json", r#"{\\\"password\\\":\\\"«kX9fjq2mLp»\\\"}"#),
    Form::new("github token with zero-width spaces", "see «ghp_{an:36}» there", zero_width),
    Form::new("aws key id with a joiner", "see «AKIA{B32:16}» there", zero_width_joiner),
    Form::new("stripe key with a byte order mark", "see «sk_live_{an:24}» there", byte_order_mark),
    Form::new("gitlab token with soft hyphens", "see «glpat-{url:20}» there", soft_hyphen),
    Form::new(
        "jwt with word joiners",
        "see «eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjoi{an:30}.{url:43}»",
        word_joiner,
    ),
    Form::new("password with zero-width spaces", "password: «kX9fjq2mLp7vQ»", zero_width),
    Form::new("github token in base64", "echo «ghp_{an:36}» | base64 -d", base64),
    Form::new("an export line in base64", "«export GITHUB_TOKEN=ghp_{an:36}»", base64),
    Form::new("an aws pair in base64", "data: «AWS_ACCESS_KEY_ID=AKIA{B32:16}»", base64),
    Form::new(
        "a settings file in base64",
        "«# settings\nHOST=db.test\nSTRIPE_KEY=sk_live_{an:24}\nDEBUG=1\n»",
        base64_lines,
    ),
    Form::new("a token in base64url", "state=«{\"t\":\"glpat-{url:20}\"}»", base64_url),
    Form::new(
        "an encoded powershell command",
        "powershell -enc «$env:T='ghp_{an:36}'; deploy»",
        base64_utf16,
    ),
    Form::new(
        "a database url in base64",
        "DATABASE_URL_B64=«postgres://app:kX9fjq2mLp@db.test/shop»",
        base64,
    ),
    Form::new("a token in hex", "xxd: «ghp_{an:36}»", hex),
];
