//! Credentials on command lines, or in files that commands read.

use super::super::rule::Find::{Anywhere, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::{command, pgpass, url};
use super::super::shape;

const F: Family = Family::Web;

fn is_given(password: &[u8]) -> bool {
    !shape::is_stand_in(password) && !shape::is_reference(password)
}

pub(super) const RULES: &[Rule] = &[
    Rule::new("curl-user", F, &["curl "], Scan(command::curl)).examples(
        &[
            "curl -u admin:fake-pw-9 https://x.test",
            "curl --user 'admin:fake-pw-9' https://x.test",
            "curl -sSLu admin:fake-pw-9 https://x.test",
            "curl -uadmin:fake-pw-9 https://x.test",
        ],
        &[
            "curl -u \"$USER:$PASS\" https://x.test",
            "curl -u user:password https://x.test",
            "curl -u me https://x.test",
            "curl -o out:put9 https://x.test",
        ],
    ),
    Rule::new("httpie-user", F, &["http -a ", "https -a ", "xh -a ", "http --auth", "https --auth"], Scan(command::httpie))
        .examples(&["http -a me:fake-pw-9 GET x.test", "https --auth=me:fake-pw-9 x.test"], &["http -a me:$PW x.test"]),
    Rule::new(
        "command-password",
        F,
        &[
            "docker login", "podman login", "helm registry login", "nerdctl login", "psexec", "sshpass", "mysql",
            "mariadb", "mongo", "redis-cli", "sqlcmd", "ldap", "zip ", "7z ", "7za ", "smbclient", "az login",
            "oc login", "cf login", "twine upload", "rabbitmqadmin", "cypher-shell", "gh secret set",
            "security add-", "gpg ", "clickhouse-client", "influx ", "skopeo login", "kinit ", "cqlsh", "impala",
        ],
        Scan(command::password),
    )
    .examples(
        &[
            "docker login -u me -p fake-pw-99 registry.test",
            "sshpass -p 'fake-pw-99' ssh me@host",
            "mysql -u root -pfake-pw-99 shop",
            "mysqldump -uroot -p'fake pw 99' shop",
            "redis-cli -a fake-pw-99 ping",
            "sqlcmd -S db -U sa -P fake-pw-99",
            "ldapsearch -x -w fakepw99",
            "unzip -P fakepw99 x.zip",
            "smbclient //h/s -U me%fakepw99",
            "gh secret set KEY --body fake-pw-99",
        ],
        &[
            "docker login -u me -p $PASSWORD",
            "mysql -u root -p shop",
            "mysql -P 3306 -p",
            "docker run --name mysql -p 3306:3306 mysql:8",
            "apt install mysql-server -y && mkdir -p/srv/data",
            "redis-cli -h localhost ping",
            "unzip -o x.zip -d out",
            "ldapsearch -x -W -b dc=acme",
        ],
    ),
    Rule::new(
        "piped-password",
        F,
        &["--password-stdin", "passwd --stdin", "chpasswd", "sudo -S", "az devops login", "--with-token", "--stdin"],
        Anywhere(concat!(
            r#"(?:echo|printf)\s+(?:-n\s+)?["']?([^\s"'|$]{4,200})["']?\s*\|\s*(?:sudo\s+)?"#,
            r"(?:[\w./-]+\s+)?(?:login\b[^\n|]{0,120}--password-stdin|passwd\s+--stdin|chpasswd|-S\s|sudo -S|devops login|auth login[^\n|]{0,80}--with-token)",
        )),
    )
    .check(is_given)
    .examples(
        &["echo gr8-wombat | docker login -u me --password-stdin", "echo 'me:gr8-wombat' | chpasswd", "echo gr8wombat | sudo -S ls"],
        &["echo $PW | docker login -u me --password-stdin", "cat pw.txt | docker login --password-stdin"],
    ),
    Rule::new(
        "kubectl-literal",
        F,
        &["--from-literal"],
        Token(r#"--from-literal[= ]["']?[\w.-]{1,64}=["']?([^\s"']{4,})"#),
    )
    .check(|value| is_given(value) && !shape::is_wordy(value))
    .examples(&["kubectl create secret generic x --from-literal=any=fakePw99x"], &["--from-literal=key=$VALUE", "--from-literal=mode=production"]),
    Rule::new(
        "aws-configure",
        F,
        &["aws configure set"],
        Token(r"aws configure set aws_(?:secret_access_key|session_token)\s+([A-Za-z0-9/+=]{20,})"),
    )
    .check(is_given)
    .examples(&["aws configure set aws_secret_access_key {b64:40}"], &["aws configure set region eu-west-1"]),
    Rule::new(
        "vault-unseal-command",
        F,
        &["vault operator unseal", "vault operator rekey", "vault operator generate-root", "vault unseal"],
        Token(r#"vault (?:operator )?(?:unseal|rekey|generate-root)(?:\s+-[a-z-]+(?:=\S+)?){0,8}\s+["']?([A-Za-z0-9+/]{40,}={0,2})"#),
    )
    .check(|key| shape::digits(key) > 0)
    .examples(
        &["vault operator unseal {b64:43}=", "vault operator unseal -tls-skip-verify {hex:66}"],
        &["vault operator unseal", "vault operator unseal $KEY"],
    ),
    Rule::new("pgpass-line", F, &[":5432:", ":5433:", ":6432:", ":6543:", ":26257:", ":*:", "pgpass"], Scan(pgpass::line))
        .examples(
            &["localhost:5432:shop:app:fakepw", "*:*:*:app:fakepw", "# .pgpass\ndb.test:7777:shop:app:fakepw\n"],
            &["-p 127.0.0.1:5432:5432", "listening on :5432: ok", "chmod 600 ~/.pgpass", "hostname:5432:database:username:password"],
        ),
    Rule::new("wifi-code", F, &["WIFI:"], Token(r"WIFI:(?:[THRS]:[^;\n]{0,40};){0,4}P:((?:\\.|[^;\\\n]){8,63});"))
        .any_case()
        .examples(&["WIFI:T:WPA;S:office;P:fake-pw-99;;"], &["WIFI: on"]),
    Rule::new(
        "oauth-code",
        F,
        &["code="],
        Scan(url::code),
    )
    .entropy(2.5)
    .check(|code| shape::digits(code) >= 2 && is_given(code) && !shape::is_wordy(code) && !shape::is_typed_in_order(code))
    .examples(
        &["https://app.test/callback?code={hex:20}&state=x", "GET /cb?state=1&code=4/0A{url:60} HTTP/1.1"],
        &["/error?code=permission_denied_by_user", "?code=YOUR_AUTHORIZATION_CODE_1", "exit code=1234567890123456789"],
    ),
];
