// A web application that signs people in with github.com/coreos/go-oidc.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type session struct {
	tokens  *oauth2.Token
	idToken string
	claims  map[string]any
}

var (
	mutex    sync.Mutex
	sessions = map[string]*session{}
)

func main() {
	ctx := context.Background()
	origin := "http://localhost:" + os.Getenv("PORT")

	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: os.Getenv("CLIENT_ID")})
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  origin + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
	// go-oidc has no name for these endpoints of the discovery document.
	var endpoints struct {
		Revocation string `json:"revocation_endpoint"`
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&endpoints); err != nil {
		log.Fatal(err)
	}

	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		setCookie(w, "state", state)
		setCookie(w, "nonce", nonce)
		setCookie(w, "verifier", verifier)
		to := config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
		http.Redirect(w, r, to, http.StatusFound)
	})

	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("state") == "" || r.FormValue("state") != cookie(r, "state") {
			http.Error(w, "state does not match", http.StatusBadRequest)
			return
		}
		if code := r.FormValue("error"); code != "" {
			http.Error(w, code+": "+r.FormValue("error_description"), http.StatusBadRequest)
			return
		}
		tokens, err := config.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(cookie(r, "verifier")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		raw, _ := tokens.Extra("id_token").(string)
		idToken, err := verifier.Verify(ctx, raw)
		if err == nil {
			err = idToken.VerifyAccessToken(tokens.AccessToken)
		}
		if err != nil || idToken.Nonce != cookie(r, "nonce") {
			http.Error(w, "the ID token is not valid", http.StatusBadGateway)
			return
		}
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		signedIn := &session{tokens: tokens, idToken: raw}
		if err := info.Claims(&signedIn.claims); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		id := rand.Text()
		mutex.Lock()
		sessions[id] = signedIn
		mutex.Unlock()
		setCookie(w, "session", id)
		http.Redirect(w, r, "/me", http.StatusFound)
	})

	http.HandleFunc("/me", withSession(func(w http.ResponseWriter, _ *http.Request, s *session) {
		answer(w, s.claims)
	}))

	http.HandleFunc("/userinfo", withSession(func(w http.ResponseWriter, _ *http.Request, s *session) {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(s.tokens))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		answer(w, map[string]any{"sub": info.Subject, "email": info.Email})
	}))

	// An HTTP client made by config.Client refreshes by itself; this does it now.
	http.HandleFunc("/refresh", withSession(func(w http.ResponseWriter, r *http.Request, s *session) {
		before := s.tokens
		tokens, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: before.RefreshToken}).Token()
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		s.tokens = tokens
		answer(w, map[string]any{"refreshed": tokens.AccessToken != before.AccessToken})
	}))

	http.HandleFunc("/revoke", withSession(func(w http.ResponseWriter, r *http.Request, s *session) {
		body := url.Values{
			"token":         {s.tokens.RefreshToken},
			"client_id":     {config.ClientID},
			"client_secret": {config.ClientSecret},
		}
		response, err := http.PostForm(endpoints.Revocation, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		response.Body.Close()
		answer(w, map[string]any{"revoked": response.StatusCode == http.StatusOK})
	}))

	http.HandleFunc("/logout", withSession(func(w http.ResponseWriter, r *http.Request, s *session) {
		mutex.Lock()
		delete(sessions, cookie(r, "session"))
		mutex.Unlock()
		to := url.Values{"id_token_hint": {s.idToken}, "post_logout_redirect_uri": {origin + "/"}}
		http.Redirect(w, r, endpoints.EndSession+"?"+to.Encode(), http.StatusFound)
	}))

	http.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"signedIn": false})
	})

	log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}

func withSession(handle func(http.ResponseWriter, *http.Request, *session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		s := sessions[cookie(r, "session")]
		mutex.Unlock()
		if s == nil {
			http.Error(w, "not signed in", http.StatusUnauthorized)
			return
		}
		handle(w, r, s)
	}
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}

// In production, behind https, set Secure as well.
func setCookie(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}
