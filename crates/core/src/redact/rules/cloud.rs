//! Cloud providers.

use super::super::rule::Find::{Anywhere, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Cloud;

/// AWS documents its formats with keys that end in EXAMPLE.
fn not_an_example(secret: &[u8]) -> bool {
    !shape::contains(secret, "EXAMPLE")
}

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "aws-access-key-id",
        F,
        &["A3T", "AKIA", "ASIA", "ABIA", "ACCA", "AROA", "AIDA"],
        Token(r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}\b"),
    )
    .check(not_an_example)
    .examples(
        &["AKIA{B32:16}", "id=ASIA{B32:16};", r"\nAKIA{B32:16}"],
        &["AKIAIOSFODNN7EXAMPLE", "AKIAxxxxXXXXXXXXXXXX", "THEASIAPACIFICREGIONFORECAST"],
    ),
    Rule::new(
        "aws-secret-access-key",
        F,
        &["secret"],
        Token(
            r#"(?i)secret[_ -]?(?:access[_ -]?)?key(?:\\?["']|\])?\s{0,4}(?:=>|:=|[:=,])\s{0,4}(?:\\?["'])?([A-Z0-9/+]{40})(?:[^A-Z0-9/+=]|$)"#,
        ),
    )
    .any_case()
    .check(not_an_example)
    .examples(
        &["aws_secret_access_key = {b64:40}", r#""SecretAccessKey": "{b64:40}""#],
        &["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
    ),
    Rule::new(
        "aws-session-token",
        F,
        &["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"],
        Token(r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/%=]{80,}"),
    )
    .examples(&["AWS_SESSION_TOKEN=IQoJb3JpZ2lu{b64:120}"], &["IQoJb3JpZ2lu"]),
    Rule::new(
        "aws-bedrock-key",
        F,
        &["ABSKQmVkcm9ja0FQSUtleS", "bedrock-api-key-"],
        Token(r"ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{80,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{40,}"),
    )
    .check(not_an_example)
    .examples(
        &["ABSKQmVkcm9ja0FQSUtleS1{b64:108}=", "bedrock-api-key-YmVkcm9jay{b64:60}"],
        &["bedrock-api-key-"],
    ),
    Rule::new(
        "aws-mws-token",
        F,
        &["amzn.mws."],
        Token(r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    )
    .examples(&["amzn.mws.{uuid}"], &["amzn.mws.x"]),
    Rule::new(
        "aws-appsync-key",
        F,
        &["da2-"],
        Token(r"da2-[a-z0-9]{26}\b"),
    )
    .examples(&["da2-{low:26}"], &["da2-short"]),
    Rule::new(
        "amazon-oauth-client",
        F,
        &["amzn1."],
        Token(r"amzn1\.(?:application-oa2-client\.[0-9a-f]{32}|oa2-cs\.v1\.[0-9a-f]{64})"),
    )
    .examples(&["amzn1.oa2-cs.v1.{hex:64}"], &["amzn1.account"]),
    Rule::new(
        "gcp-api-key",
        F,
        &["AIza"],
        Token(r"(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)"),
    )
    .entropy(3.5)
    .check(|key| !shape::is_typed_in_order(key))
    .examples(
        &["AIza{url:35}", "key=AIza{url:35}", "?key=AIza{url:34}x&v=3"],
        &["AIza1234567890abcdefghijklmnopqrstuvwxy", "AIzaShort", "AIza{url:36}", "{an:20}AIza{url:35}"],
    ),
    Rule::new(
        "gcp-oauth-secret",
        F,
        &["GOCSPX-"],
        Token(r"GOCSPX-[A-Za-z0-9_-]{28}"),
    )
    .examples(&["GOCSPX-{url:28}"], &["GOCSPX-x"]),
    Rule::new(
        "gcp-oauth-token",
        F,
        &["ya29."],
        Token(r"ya29\.[A-Za-z0-9_-]{20,}"),
    )
    .examples(&["ya29.{url:60}"], &["ya29.x"]),
    Rule::new(
        "gcp-oauth-refresh-token",
        F,
        &["1//"],
        Token(r"1//0[A-Za-z0-9_-]{40,}"),
    )
    .entropy(3.5)
    .examples(&["1//0{url:60}"], &["1//0 and more"]),
    Rule::new(
        "gcp-oauth-client-id",
        F,
        &["apps.googleusercontent.com"],
        Anywhere(r"\b([0-9]{6,}-[a-z0-9]{16,40})\.apps\.googleusercontent\.com"),
    )
    .examples(&["{dig:12}-{low:32}.apps.googleusercontent.com"], &["x.apps.googleusercontent.com"]),
    Rule::new(
        "gcp-private-key-id",
        F,
        &["private_key_id"],
        Token(r#"private_key_id\\?["']\s*:\s*\\?["']([0-9a-f]{40})"#),
    )
    .examples(&[r#""private_key_id": "{hex:40}""#], &[r#""private_key_id": """#]),
    Rule::new(
        "azure-ad-client-secret",
        F,
        &["Q~"],
        Anywhere(
            r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)",
        ),
    )
    .entropy(3.0)
    .examples(&["secret = Abc8Q~{url:34}"], &["Abc8Q~xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    Rule::new(
        "azure-storage-key",
        F,
        &["AccountKey", "SharedAccessKey", "AccessKey"],
        Token(r"(?i)(?:account|sharedaccess|access)key\s*=\s*([A-Z0-9+/]{40,}={1,2})"),
    )
    .any_case()
    .examples(
        &["AccountName=a;AccountKey={b64:86}==;", "SharedAccessKey={b64:43}="],
        &["AccountKey=<KEY>;"],
    ),
    Rule::new(
        "azure-app-config",
        F,
        &["azconfig.io"],
        Anywhere(r"azconfig\.io;Id=[^;\s]{4,};Secret=([A-Za-z0-9+/]{36,}=*)"),
    )
    .examples(
        &["Endpoint=https://a.azconfig.io;Id=ab-c-s0:d;Secret={b64:43}="],
        &["https://a.azconfig.io;Id=xxx;Secret=xxx"],
    ),
    Rule::new(
        "azure-sas",
        F,
        &["sig="],
        Token(r"sig=([A-Za-z0-9%+/]{40,}(?:%3[Dd]|=)*)"),
    )
    .entropy(3.5)
    .examples(&["?sv=2022-11-02&sig={an:43}%3D"], &["sig=abc"]),
    Rule::new(
        "azure-devops-pat",
        F,
        &["AZDO"],
        Anywhere(r"\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b"),
    )
    .entropy(3.5)
    .examples(&["{an:76}AZDO{an:4}"], &["{an:70}AZDO{an:4}"]),
    // Keys in which Azure puts the name of the service at a fixed place.
    Rule::new(
        "azure-annotated-key",
        F,
        &["JQQJ9", "AzSe", "AzCa", "+ASt", "+ACR", "ACDb", "AIoT", "+ASb", "+AEh"],
        Anywhere(concat!(
            r"(?:^|[^A-Za-z0-9+/_-])(?:",
            r"([A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9][A-L][A-Za-z0-9]{16}[A-Za-z][A-Za-z0-9]{7}(?:[A-Za-z0-9]{2}==)?)",
            r"|([A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}|[A-Za-z0-9]{33}AzCa[A-P][A-Za-z0-9]{5}=)",
            r"|([A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}|[A-Za-z0-9+/]{33}(?:AIoT|\+ASb|\+AEh)[A-Za-z0-9+/]{6}=)",
            r"|([A-Za-z0-9+/]{76}(?:ACDb|\+ASt)[A-Za-z0-9+/]{5}[AQgw]==)",
            r")(?:[^A-Za-z0-9+/=_-]|$)",
        )),
    )
    .entropy(3.5)
    .examples(
        &["{an:52}JQQJ99BFACAAAAALGcqjAAASACOG3eq1", "key: {an:42}AzSeA{an:5}", "{b64:76}+ASt{b64:5}Q=="],
        &["JQQJ9", "AzSe", "{an:50}JQQJ99BFACAAAAALGcqjAAASACOG3eq1"],
    ),
    // Fifty-two characters of base32 and a word that names the service.
    Rule::new(
        "azure-legacy-pat",
        F,
        &["azure", "devops", "vsts", "visualstudio.com", "accesstoken", "_pat=", "_pat:", "_pat\"", "pat:", "pat is"],
        Anywhere(concat!(
            r"(?i)(?:azure|devops|vsts|visualstudio|accesstoken|\bpat\b|_pat\b)[^\n]{0,80}?\b([a-z2-7]{52})\b",
            r"|\b([a-z2-7]{52})\b[^\n]{0,40}?(?:devops|dev\.azure\.com|visualstudio\.com)",
        )),
    )
    .entropy(3.5)
    .check(|token| shape::digits(token) > 0)
    .examples(
        &["$azureToken = \"{b32:52}\"", "my Azure DevOps PAT is {b32:52}", "echo {b32:52} | az devops login", "PAT: {b32:52}"],
        &["token = \"short\"", "azure: bafy{b32:55}"],
    ),
    Rule::new(
        "azure-function-key",
        F,
        &["code="],
        Token(
            r"code=([A-Za-z0-9_-]{54}(?:==|%3D%3D)|[A-Za-z0-9_-]{44,54}AzFu[A-Za-z0-9_-]{4,6}(?:==)?)",
        ),
    )
    .examples(&["?code={an:54}=="], &["code=200"]),
    Rule::new(
        "azure-cognitive-key",
        F,
        &["Ocp-Apim-Subscription-Key"],
        Token(r#"(?i)ocp-apim-subscription-key["']?\s*[:=,]\s*["']?([0-9a-f]{32})\b"#),
    )
    .any_case()
    .examples(&["Ocp-Apim-Subscription-Key: {hex:32}"], &["Ocp-Apim-Subscription-Key: KEY"]),
    Rule::new(
        "alibaba-access-key-id",
        F,
        &["LTAI"],
        Token(r"LTAI[A-Za-z0-9]{12,24}\b"),
    )
    .entropy(3.0)
    .examples(&["LTAI{an:20}"], &["LTAI"]),
    Rule::new(
        "tencent-secret-id",
        F,
        &["AKID"],
        Token(r"AKID[A-Za-z0-9]{32}\b"),
    )
    .entropy(3.0)
    .examples(&["AKID{an:32}"], &["AKIDS"]),
    Rule::new(
        "yandex-key",
        F,
        &["AQVN", "YCAJ", "t1.9eu"],
        Token(
            r"AQVN[A-Za-z0-9_-]{35,38}\b|YCAJ[A-Za-z0-9_-]{21}\b|t1\.9eu[A-Za-z0-9_=-]{20,}\.[A-Za-z0-9_=-]{40,}",
        ),
    )
    .examples(&["AQVN{an:36}", "YCAJ{an:21}"], &["AQVN"]),
    Rule::new(
        "oracle-cloud-id",
        F,
        &["ocid1."],
        Token(r"ocid1\.(?:user|tenancy)\.oc1\.\.([a-z0-9]{60})"),
    )
    .examples(&["ocid1.user.oc1..{low:60}"], &["ocid1.user"]),
];
