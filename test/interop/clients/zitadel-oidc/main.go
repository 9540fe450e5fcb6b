// What github.com/zitadel/oidc offers a client, used as its examples use it: the relying party (example/client/app), the
// JWT profile of a service user (example/client/service) and the resource server (example/client/api).
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/pkg/client/profile"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/client/rs"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// One person uses this program at a time.
var (
	tokens *oidc.Tokens[*oidc.IDTokenClaims]
	info   *oidc.UserInfo
)

func main() {
	ctx := context.Background()
	issuer := os.Getenv("ISSUER")
	origin := "http://localhost:" + os.Getenv("PORT")
	redirectURI := origin + "/callback"
	scopes := []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail, oidc.ScopeOfflineAccess}

	key := []byte("test1234test1234")
	cookies := httphelper.NewCookieHandler(key, key, httphelper.WithUnsecure())
	options := []rp.Option{
		rp.WithCookieHandler(cookies),
		rp.WithPKCE(cookies),
		rp.WithVerifierOpts(rp.WithIssuedAtOffset(5 * time.Second)),
	}
	if path := os.Getenv("APP_KEY_FILE"); path != "" {
		options = append(options, rp.WithJWTProfile(rp.SignerFromKeyPath(path)))
	}
	provider, err := rp.NewRelyingPartyOIDC(ctx, issuer, os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"), redirectURI, scopes, options...)
	if err != nil {
		log.Fatal(err)
	}

	http.Handle("/login", rp.AuthURLHandler(rand.Text, provider))

	signedIn := func(w http.ResponseWriter, r *http.Request, t *oidc.Tokens[*oidc.IDTokenClaims], _ string, _ rp.RelyingParty, i *oidc.UserInfo) {
		tokens, info = t, i
		http.Redirect(w, r, "/me", http.StatusFound)
	}
	http.Handle("/callback", rp.CodeExchangeHandler(rp.UserinfoCallback(signedIn), provider))

	http.HandleFunc("/me", func(w http.ResponseWriter, _ *http.Request) {
		if info == nil {
			http.Error(w, "not signed in", http.StatusUnauthorized)
			return
		}
		answer(w, info, nil)
	})

	http.HandleFunc("/userinfo", func(w http.ResponseWriter, r *http.Request) {
		again, err := rp.Userinfo[*oidc.UserInfo](r.Context(), tokens.AccessToken, tokens.TokenType, info.Subject, provider)
		answer(w, again, err)
	})

	http.HandleFunc("/refresh", func(w http.ResponseWriter, r *http.Request) {
		before := tokens
		after, err := rp.RefreshTokens[*oidc.IDTokenClaims](r.Context(), provider, before.RefreshToken, "", "")
		if err != nil {
			answer(w, nil, err)
			return
		}
		tokens = after
		answer(w, map[string]any{"refreshed": after.AccessToken != before.AccessToken}, nil)
	})

	http.HandleFunc("/revoke", func(w http.ResponseWriter, r *http.Request) {
		err := rp.RevokeToken(r.Context(), provider, tokens.RefreshToken, "refresh_token")
		answer(w, map[string]any{"revoked": true}, err)
	})

	http.HandleFunc("/logout", func(w http.ResponseWriter, r *http.Request) {
		to, err := rp.EndSession(r.Context(), provider, tokens.IDToken, origin+"/", "", "", nil)
		if err != nil {
			answer(w, nil, err)
			return
		}
		tokens, info = nil, nil
		http.Redirect(w, r, to.String(), http.StatusFound)
	})

	http.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"signedIn": info != nil}, nil)
	})

	// The JWT profile grant of a service user, with its key file.
	http.HandleFunc("/service", func(w http.ResponseWriter, r *http.Request) {
		source, err := profile.NewJWTProfileTokenSourceFromKeyFile(r.Context(), issuer, os.Getenv("SERVICE_KEY_FILE"), []string{oidc.ScopeOpenID})
		if err != nil {
			answer(w, nil, err)
			return
		}
		token, err := source.Token()
		if err != nil {
			answer(w, nil, err)
			return
		}
		answer(w, map[string]any{"accessToken": token.AccessToken}, nil)
	})

	// An API asks what a token is worth: with its key file, else with its secret.
	http.HandleFunc("/introspect", func(w http.ResponseWriter, r *http.Request) {
		api, err := rs.NewResourceServerClientCredentials(r.Context(), issuer, os.Getenv("API_CLIENT_ID"), os.Getenv("API_CLIENT_SECRET"))
		if path := os.Getenv("API_KEY_FILE"); path != "" {
			api, err = rs.NewResourceServerFromKeyFile(r.Context(), issuer, path)
		}
		if err != nil {
			answer(w, nil, err)
			return
		}
		seen, err := rs.Introspect[*oidc.IntrospectionResponse](r.Context(), api, tokens.AccessToken)
		answer(w, seen, err)
	})

	log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}

func answer(w http.ResponseWriter, body any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}
