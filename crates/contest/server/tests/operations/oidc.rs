//! Logging in at an OpenID provider, which is played here.

use crate::support::{Client, Server};
use openidconnect::core::{
    CoreEdDsaPrivateSigningKey, CoreIdToken, CoreIdTokenClaims, CoreJsonWebKeySet, CoreJwsSigningAlgorithm,
};
use openidconnect::{
    Audience, EmptyAdditionalClaims, EndUserUsername, IssuerUrl, JsonWebKeyId, Nonce, PkceCodeChallenge,
    PkceCodeVerifier, PrivateSigningKey, StandardClaims, SubjectIdentifier,
};
use serde_json::{Value, json};
use server::OidcSettings;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the provider says of who logs in next.
#[derive(Clone)]
struct Next {
    subject: &'static str,
    /// Whom the token is for.
    audience: &'static str,
    nonce: String,
    challenge: String,
}

struct Provider {
    issuer: String,
    key: CoreEdDsaPrivateSigningKey,
    next: Mutex<Option<Next>>,
}

impl Provider {
    fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let pem = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap().serialize_pem();
        let id = Some(JsonWebKeyId::new("k".to_owned()));
        let provider = Arc::new(Self {
            issuer: format!("http://{}", listener.local_addr().unwrap()),
            key: CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, id).unwrap(),
            next: Mutex::default(),
        });
        let own = provider.clone();
        std::thread::spawn(move || listener.incoming().for_each(|stream| own.answer(stream.unwrap())));
        provider
    }

    fn answer(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        let (mut request, mut line, mut length) = (String::new(), String::new(), 0);
        reader.read_line(&mut request).unwrap();
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let issuer = &self.issuer;
        let json = match request.split(' ').nth(1).unwrap() {
            "/.well-known/openid-configuration" => json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "jwks_uri": format!("{issuer}/keys"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA"],
            }),
            "/keys" => json!(CoreJsonWebKeySet::new(vec![self.key.as_verification_key()])),
            "/token" => self.token(&fields(std::str::from_utf8(&body).unwrap())),
            path => panic!("{path}"),
        };
        let json = json.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            json.len()
        );
        reader.get_mut().write_all((head + &json).as_bytes()).unwrap();
    }

    fn token(&self, form: &HashMap<String, String>) -> Value {
        let Next { subject, audience, nonce, challenge } = self.next.lock().unwrap().take().unwrap();
        assert_eq!((form["code"].as_str(), form["grant_type"].as_str()), ("c0de", "authorization_code"));
        let verifier = PkceCodeVerifier::new(form["code_verifier"].clone());
        assert_eq!(PkceCodeChallenge::from_code_verifier_sha256(&verifier).as_str(), challenge);
        let now = std::time::SystemTime::now();
        let subject = SubjectIdentifier::new(subject.to_owned());
        let named =
            StandardClaims::new(subject).set_preferred_username(Some(EndUserUsername::new("bea".to_owned())));
        let claims = CoreIdTokenClaims::new(
            IssuerUrl::new(self.issuer.clone()).unwrap(),
            vec![Audience::new(audience.to_owned())],
            (now + Duration::from_secs(60)).into(),
            now.into(),
            named,
            EmptyAdditionalClaims {},
        );
        let claims = claims.set_nonce(Some(Nonce::new(nonce)));
        let id = CoreIdToken::new(claims, &self.key, CoreJwsSigningAlgorithm::EdDsa, None, None).unwrap();
        json!({"access_token": "a", "token_type": "Bearer", "id_token": id.to_string()})
    }
}

fn fields(query: &str) -> HashMap<String, String> {
    let decode = |text: &str| {
        percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8().unwrap().into_owned()
    };
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

fn location(answer: &crate::support::Answer) -> String {
    answer.header("location").unwrap_or_else(|| panic!("{}: {:?}", answer.status, answer.headers)).to_owned()
}

/// Returns the cookie of a name that an answer sets, as the browser sends it.
fn cookie(answer: &crate::support::Answer, name: &str) -> String {
    let set = answer.headers.iter().filter(|(header, _)| header == "set-cookie");
    let own = set
        .filter_map(|(_, value)| value.split(';').next())
        .find(|pair| pair.starts_with(&format!("{name}=")));
    own.unwrap_or_else(|| panic!("{:?}", answer.headers)).to_owned()
}

struct World {
    provider: Arc<Provider>,
    server: Server,
}

impl World {
    fn start() -> Self {
        let provider = Provider::start();
        let issuer = provider.issuer.clone();
        let server = Server::start_with(move |config| {
            config.oidc = Some(OidcSettings {
                issuer,
                client: "tauto".to_owned(),
                secret: Some("a secret".to_owned()),
                name: "School".to_owned(),
                public_url: format!("http://{}", config.listen),
            });
        });
        Self { provider, server }
    }

    /// Goes to the provider and comes back. Returns the server's answer.
    fn log_in(
        &self,
        contest: &str,
        subject: &'static str,
        change: impl FnOnce(&mut Next, &mut String),
    ) -> crate::support::Answer {
        let public = self.server.public();
        let began = public.get(&format!("/api/oidc/login{contest}"));
        let (to, mut own) = (location(&began), cookie(&began, "tautochrone-oidc"));
        assert!(to.starts_with(&format!("{}/authorize?", self.provider.issuer)), "{to}");
        let mut query = fields(to.split_once('?').unwrap().1);
        assert_eq!(query["redirect_uri"], format!("http://{}/api/oidc/callback", self.server.address));
        let (nonce, challenge) = (query.remove("nonce").unwrap(), query.remove("code_challenge").unwrap());
        let mut next = Next { subject, audience: "tauto", nonce, challenge };
        change(&mut next, &mut own);
        *self.provider.next.lock().unwrap() = Some(next);
        self.with(&own).get(&format!("/api/oidc/callback?code=c0de&state={}", query["state"]))
    }

    fn with(&self, cookie: &str) -> Client {
        self.server.public().with("cookie", cookie)
    }
}

#[test]
fn who_is_known_logs_in_and_a_team_registers() {
    let world = World::start();
    let (server, admin) = (&world.server, world.server.admin());
    assert_eq!(server.public().get("/api/oidc").expect(200), json!({"name": "School"}));
    admin.post("/api/contests", &json!({"id": "c", "name": "C", "duration": "5:00:00"})).expect(201);
    let registration = json!({"registration": {"mode": "oidc"}});
    admin.patch("/api/contests/c/settings", &registration).expect(200);
    let unknown = world.log_in("", "s-1", |_, _| ());
    assert_eq!(location(&unknown), "/login?failed=unknown");
    let known = world.log_in("?contest=c", "s-1", |_, _| ());
    assert_eq!(location(&known), "/register/c");
    let own = cookie(&known, "tautochrone-oidc");
    let path = "/api/contests/c/registration";
    let open = world.with(&own).get(path).expect(200);
    assert_eq!((&open["mode"], &open["identity"]), (&json!("oidc"), &json!("bea")));
    let team = |name: &str| json!({"team": "Bees", "username": name});
    assert_eq!(server.public().post(path, &team("bees")).status, 401);
    let made = world.with(&own).post(path, &team("bees"));
    assert_eq!(made.expect(201)["account"]["team_id"], "bees");
    assert_eq!(world.with(&own).post(path, &team("wasps")).status, 401, "it has registered");
    let session = cookie(&made, "tautochrone");
    assert_eq!(world.with(&session).get("/api/account").expect(200)["username"], "bees");
    // A new login stands for the password that it does not have; with one, it does no longer, and the sessions end.
    let own = world.with(&session).with("x-tautochrone", "1");
    own.patch("/api/accounts/bees", &json!({"password": "a long password"})).expect(200);
    assert_eq!(own.get("/api/account").status, 204);
    let session = cookie(&world.log_in("", "s-1", |_, _| ()), "tautochrone");
    let own = world.with(&session).with("x-tautochrone", "1");
    assert_eq!(own.patch("/api/accounts/bees", &json!({"password": "another password"})).status, 403);
    // Later it is known.
    let again = world.log_in("?contest=c", "s-1", |_, _| ());
    assert_eq!(location(&again), "/contests/c");
    let session = cookie(&again, "tautochrone");
    assert_eq!(world.with(&session).get("/api/account").expect(200)["username"], "bees");
    // Without its subject the sessions of an account end; one identity has one account.
    let judge = json!({"username": "judge", "type": "judge", "oidc_subject": "s-1"});
    assert_eq!(admin.post("/api/accounts", &judge).status, 409);
    admin.patch("/api/accounts/bees", &json!({"oidc_subject": ""})).expect(200);
    assert_eq!(world.with(&session).get("/api/account").status, 204);
    admin.post("/api/accounts", &judge).expect(201);
    admin.patch("/api/accounts/judge", &json!({"is_enabled": false})).expect(200);
    assert_eq!(location(&world.log_in("", "s-1", |_, _| ())), "/login?failed=disabled");
    assert!(!open.to_string().contains("s-1"), "the subject is for admins");
    assert_ne!(server.public().get("/api/accounts/judge").status, 200);
}

#[test]
fn what_the_provider_did_not_sign_for_this_login_is_refused() {
    let world = World::start();
    let admin = world.server.admin();
    admin.post("/api/accounts", &json!({"username": "j", "type": "judge", "oidc_subject": "s"})).expect(201);
    let failed = |change: &dyn Fn(&mut Next, &mut String)| {
        location(&world.log_in("", "s", |next, own| change(next, own)))
    };
    assert_eq!(failed(&|_, _| ()), "/");
    assert_eq!(failed(&|next, _| next.nonce = "other".to_owned()), "/login?failed=invalid");
    assert_eq!(failed(&|next, _| next.audience = "other"), "/login?failed=invalid");
    assert_eq!(
        failed(&|_, own| *own = "tautochrone-oidc=0".to_owned()),
        "/login?failed=late",
        "of another browser"
    );
    // Another password ends all sessions.
    let session = cookie(&world.log_in("", "s", |_, _| ()), "tautochrone");
    assert_eq!(world.with(&session).get("/api/account").status, 200);
    admin.patch("/api/accounts/j", &json!({"password": "a long password"})).expect(200);
    assert_eq!(world.with(&session).get("/api/account").status, 204);
    let began = world.server.public().get("/api/oidc/login");
    let client = world.with(&cookie(&began, "tautochrone-oidc"));
    assert_eq!(
        location(&client.get("/api/oidc/callback?error=access_denied%0Afaked")),
        "/login?failed=invalid"
    );
    assert_eq!(location(&client.get("/api/oidc/callback?code=c0de&state=other")), "/login?failed=late");
    assert_eq!(client.get("/api/oidc/login?contest=a/b").status, 404);
    let none = Server::start();
    assert_eq!(
        (none.public().get("/api/oidc").status, none.public().get("/api/oidc/login").status),
        (204, 404)
    );
}
