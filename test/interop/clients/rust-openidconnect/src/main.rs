//! A web application that signs people in with the crate openidconnect. One person uses it at a time.

use std::collections::HashMap;
use std::env;
use std::error::Error;

use openidconnect::core::{
    CoreClient, CoreIdToken, CoreResponseType, CoreRevocableToken, CoreUserInfoClaims,
};
use openidconnect::{
    AccessToken, AuthenticationFlow, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    IssuerUrl, LogoutRequest, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier,
    PostLogoutRedirectUrl, ProviderMetadataWithLogout, RedirectUrl, RefreshToken, RevocationUrl,
    Scope, TokenResponse, reqwest, url::Url,
};
use serde_json::{Value, json};
use tiny_http::{Header, Request, Response, Server};

struct SignIn {
    state: CsrfToken,
    nonce: Nonce,
    verifier: PkceCodeVerifier,
}

struct Session {
    access_token: AccessToken,
    refresh_token: RefreshToken,
    id_token: CoreIdToken,
    claims: Value,
}

enum Answer {
    Redirect(String),
    Json(Value),
}

fn main() -> Result<(), Box<dyn Error>> {
    let issuer = env::var("ISSUER")?;
    let port = env::var("PORT")?;
    let origin = format!("http://localhost:{port}");

    let http = reqwest::blocking::ClientBuilder::new()
        // Following redirects opens the client up to SSRF vulnerabilities.
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let provider = ProviderMetadataWithLogout::discover(&IssuerUrl::new(issuer.clone())?, &http)?;
    let end_session = provider
        .additional_metadata()
        .end_session_endpoint
        .clone()
        .ok_or("the provider has no end_session_endpoint")?;
    let client = CoreClient::from_provider_metadata(
        provider,
        ClientId::new(env::var("CLIENT_ID")?),
        Some(ClientSecret::new(env::var("CLIENT_SECRET")?)),
    )
    .set_redirect_uri(RedirectUrl::new(format!("{origin}/callback"))?)
    .set_revocation_url(RevocationUrl::new(format!("{issuer}/oauth/v2/revoke"))?);

    let mut sign_in: Option<SignIn> = None;
    let mut session: Option<Session> = None;

    let server = Server::http(format!("localhost:{port}")).map_err(|error| error.to_string())?;
    for request in server.incoming_requests() {
        let url = Url::parse(&format!("{origin}{}", request.url()))?;
        let query: HashMap<String, String> = url.query_pairs().into_owned().collect();

        let mut handle = || -> Result<Answer, Box<dyn Error>> {
            match url.path() {
                "/login" => {
                    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
                    let (to, state, nonce) = client
                        .authorize_url(
                            AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
                            CsrfToken::new_random,
                            Nonce::new_random,
                        )
                        .add_scopes(
                            ["profile", "email", "offline_access"]
                                .map(|name| Scope::new(name.into())),
                        )
                        .set_pkce_challenge(challenge)
                        .url();
                    sign_in = Some(SignIn {
                        state,
                        nonce,
                        verifier,
                    });
                    Ok(Answer::Redirect(to.into()))
                }
                "/callback" => {
                    let SignIn {
                        state,
                        nonce,
                        verifier,
                    } = sign_in.take().ok_or("nobody is signing in")?;
                    if query.get("state") != Some(state.secret()) {
                        return Err("state does not match".into());
                    }
                    let code = query.get("code").ok_or_else(|| format!("{query:?}"))?;
                    let tokens = client
                        .exchange_code(AuthorizationCode::new(code.clone()))?
                        .set_pkce_verifier(verifier)
                        .request(&http)?;
                    let id_token = tokens.id_token().ok_or("no ID token")?;
                    let claims = id_token.claims(&client.id_token_verifier(), &nonce)?;
                    let info: CoreUserInfoClaims = client
                        .user_info(
                            tokens.access_token().clone(),
                            Some(claims.subject().clone()),
                        )?
                        .request(&http)?;
                    session = Some(Session {
                        access_token: tokens.access_token().clone(),
                        refresh_token: tokens.refresh_token().ok_or("no refresh token")?.clone(),
                        id_token: id_token.clone(),
                        claims: serde_json::to_value(info)?,
                    });
                    Ok(Answer::Redirect("/me".into()))
                }
                "/me" => {
                    let session = session.as_ref().ok_or("not signed in")?;
                    Ok(Answer::Json(session.claims.clone()))
                }
                "/userinfo" => {
                    let session = session.as_ref().ok_or("not signed in")?;
                    let info: CoreUserInfoClaims = client
                        .user_info(session.access_token.clone(), None)?
                        .request(&http)?;
                    Ok(Answer::Json(serde_json::to_value(info)?))
                }
                "/refresh" => {
                    let session = session.as_mut().ok_or("not signed in")?;
                    let tokens = client
                        .exchange_refresh_token(&session.refresh_token)?
                        .request(&http)?;
                    let refreshed = tokens.access_token().secret() != session.access_token.secret();
                    session.access_token = tokens.access_token().clone();
                    if let Some(rotated) = tokens.refresh_token() {
                        session.refresh_token = rotated.clone();
                    }
                    Ok(Answer::Json(json!({ "refreshed": refreshed })))
                }
                "/revoke" => {
                    let session = session.as_ref().ok_or("not signed in")?;
                    let token = CoreRevocableToken::RefreshToken(session.refresh_token.clone());
                    client.revoke_token(token)?.request(&http)?;
                    Ok(Answer::Json(json!({ "revoked": true })))
                }
                "/logout" => {
                    let session = session.take().ok_or("not signed in")?;
                    let to = LogoutRequest::from(end_session.clone())
                        .set_id_token_hint(&session.id_token)
                        .set_post_logout_redirect_uri(PostLogoutRedirectUrl::new(format!(
                            "{origin}/"
                        ))?)
                        .http_get_url();
                    Ok(Answer::Redirect(to.into()))
                }
                _ => Ok(Answer::Json(json!({ "signedIn": session.is_some() }))),
            }
        };

        let answer = handle();
        respond(request, answer)?;
    }
    Ok(())
}

fn respond(request: Request, answer: Result<Answer, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let header = |name: &str, value: &str| {
        Header::from_bytes(name, value).map_err(|()| format!("{name} cannot be sent"))
    };
    match answer {
        Ok(Answer::Redirect(to)) => {
            request.respond(Response::empty(302).with_header(header("Location", &to)?))?
        }
        Ok(Answer::Json(body)) => request.respond(
            Response::from_string(body.to_string())
                .with_header(header("Content-Type", "application/json")?),
        )?,
        Err(error) => {
            request.respond(Response::from_string(format!("{error:?}")).with_status_code(502))?
        }
    }
    Ok(())
}
