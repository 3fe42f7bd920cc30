//! Text that speaks of secrets without holding one comes through byte for byte.

use hark_core::redact::{Raw, RedactOptions, Redactor};

const SURVIVORS: &[&str] = &[
    // Prose.
    "the authorization header is required",
    "basic auth is used",
    "Bearer token required",
    "Bearer authentication with a JWT",
    "Password must be at least 12 characters and contain 1 digit",
    "The password is stored hashed with bcrypt, cost 12",
    "we rotate the API key every 90 days",
    "the token is invalid or expired, please log in again",
    "secret sharing (Shamir, 3 of 5) is what the vault uses",
    "key: value pairs are sorted",
    "forgot password? click here",
    "Fix: token refresh raced with logout, see commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    // Names that hold no secret.
    "max_tokens=4096",
    "token_count: 450",
    "tokenizer = cl100k",
    "tokenizer = cl100k_base",
    "\"total_tokens\": 12345678901234",
    "next_page_token: CAUQAA1234567890abcd",
    "password_min_length = 12",
    "passwordLabel: \"Password:\"",
    "token_type: bearer",
    "\"token_endpoint\": \"https://login.test/oauth2/v2.0/token\"",
    "primary_key: user_id_2024",
    "partitionKey: 'tenant-2024-eu'",
    "secret_name: my-app-secret-2",
    "secretName: tls-cert-prod-01",
    "keyboard: us-intl-2",
    "public_key = ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE",
    "access_level: 40",
    "key_file: /etc/ssl/private/server.key",
    "tokens: [1, 2, 3]",
    "\"kms_key_id\": \"6fd5e5b4-7d2a-4c5b-9a4e-0d9f1c2b3a4d\"",
    "access_key_alias = \"prod-2024-main\"",
    "public_token: 9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d",
    "keystore.file=/opt/app/keys/server-2024.jks",
    "Authentication-Results: mx.test; spf=pass smtp.mailfrom=a1b2c3d4.test",
    "RUN --mount=type=secret,id=npmrc2024,target=/root/.npmrc npm ci",
    "LICENSE_KEY_LENGTH = 32",
    "fetch(url, { withCredentials: true })",
    "<TokenEndpoint>https://login.test/v2/token</TokenEndpoint>",
    "secret_id = aws_secretsmanager_secret.db2.id",
    "api_version = \"2024-02-15-preview\"",
    "apiKeySecretRef: { name: billing-key-2 }",
    "hotkey: ctrl+shift+k2",
    "foreign_key: orders_customer_id_2024_idx",
    "\"author\": \"a1b2c3d4e5f6a7b8c9d0\"",
    "monkey_patch = lib2.patch3",
    "sshKeyName = 'deploy-2024-03-ed25519'",
    "token_expires_at: 1735689600000",
    "jwt_algorithm = HS256",
    "let secret = Secret::new(rng);",
    "credentials: 'same-origin'",
    "auth: { type: 'oauth2', flow: 'implicit' }",
    // Values that are not there.
    "Password: required",
    "password: string",
    "password: String,",
    "password?: string;",
    "pub password: Option<String>,",
    "password=$DB_PASSWORD",
    "password=\"$DB_PASSWORD\"",
    "password = os.environ[\"X\"]",
    "password = os.getenv('DB_PASSWORD')",
    "const password = process.env.DB_PASSWORD",
    "api_key: ${API_KEY}",
    "api_key: ${{ secrets.API_KEY }}",
    "apiKey: import.meta.env.VITE_API_KEY",
    "token: {{ .Values.token }}",
    "secret: <your-secret>",
    "API_KEY=<your-api-key-1>",
    "API_KEY=your_api_key_here_123",
    "password: ********",
    "PASSWORD=xxxxxxxx",
    "xxxxxxxx",
    "AKIAIOSFODNN7EXAMPLE",
    "token = get_token(user)",
    "token = self.token_store.current2",
    "let token = tokens[0];",
    "if (password !== confirmPassword) {",
    "password = input('Password: ')",
    "client.login(username, password)",
    "connect(host=host, user=user, password=password, db=db)",
    "token: &str",
    "token: Token::Ident",
    "password = None",
    "password: null",
    "\"secret\": true",
    "curl -u \"$USER:$TOKEN\" https://api.test",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api.test",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${token}",
    "postgres://user:$PASSWORD@localhost/db",
    "https://<user>:<password>@host.test/",
    // What looks random and is public.
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "\"integrity\": \"sha512-oRBuY8mYdH3mRu9Zf7Qd0cI8vTgMEm4zGz5p1eT0uN2Kq0p8x9d3rZ1y6sV4wB7nC5hJ2kL8mA0fE3gD6iXyQA==\"",
    "checksum = \"d7b0f1a2c3e4958677885a4b3c2d1e0f9a8b7c6d5e4f30213243546576879809\"",
    "<img src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\">",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq0d3xq0Y1zq9vX5aB7cD9eF1gH3iJ5kL7mN9oP1qR3",
    "version 1.2.3-rc.4+build.20240101",
    "etag: W/\"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "rev = \"b5d1e0f39a7c42868d3e5f60718293a4b5c6d7e8\"",
    "image: registry.test/app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    // Code and paths.
    "git@github.com:org/repo",
    "git clone git@github.com:org/repo.git",
    "ssh deploy@build-host uptime",
    "scp me@files.corp.dev:/srv/x .",
    "@types/node@20.1.0",
    "npm install left-pad@1.3.0 @scope/pkg@2.0.0-beta.1",
    "@app.route('/login', methods=['POST'])",
    "@Injectable() export class TokenService {}",
    "import { tokenize, Token2 } from './tokenizer2'",
    "from app.secrets import SecretStore2",
    "use crate::auth::{ApiKey, Token};",
    "/usr/local/lib/python3.12/site-packages/secrets.py",
    "src/redact/rules/password_policy_v2.rs:120: warning",
    "C:\\Users\\me\\AppData\\Local\\Temp\\token.txt",
    "https://docs.test/en/authentication/keeping-your-account-secure#password",
    "icon@2x.png",
    "jane@example.com",
    "PASS: test_login_with_token_1 (0.02s)",
    "#define TOKEN_MAX_LENGTH 1024",
    "fn token(&self) -> Option<&Token> {",
    "test result: ok. 12 passed; 0 failed",
    "docker run -p 8080:80 nginx",
    "card layout: 4 columns, 12 rows",
    "phone 555-0199, order 1234-5678-9012",
];

#[test]
fn text_without_secrets_comes_through_unchanged() {
    let redactor = Redactor::new(RedactOptions::default(), [42; 32]);
    let changed: Vec<String> = SURVIVORS
        .iter()
        .filter_map(|text| {
            let clean = redactor.clean(Raw::new(*text));
            (clean.as_str() != *text).then(|| format!("{text}\n    became {clean}"))
        })
        .collect();
    assert!(changed.is_empty(), "{} changed:\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn they_survive_in_company_too() {
    let redactor = Redactor::new(RedactOptions::default(), [42; 32]);
    let text = SURVIVORS.join("\n");
    assert_eq!(redactor.clean(Raw::new(text.as_str())).as_str(), text);
}
