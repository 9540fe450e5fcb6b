// A command-line tool that signs its user in by the device authorization grant, with github.com/zitadel/oidc.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

var scopes = []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeOfflineAccess}

type session struct {
	Subject      string `json:"subject"`
	RefreshToken string `json:"refresh_token"`
	accessToken  string
}

func main() {
	log.SetFlags(0)
	home, err := os.UserHomeDir()
	check(err)
	file := filepath.Join(home, ".my-go-tool.json")

	ctx := context.Background()
	tool, err := rp.NewRelyingPartyOIDC(ctx, os.Getenv("ISSUER"), os.Getenv("CLIENT_ID"), "", "", scopes,
		// ID tokens may be signed with what the service says, and its clock may be a little ahead
		rp.WithSigningAlgsFromDiscovery(),
		rp.WithVerifierOpts(rp.WithIssuedAtOffset(5*time.Second)))
	check(err)

	kept, err := read(file)
	check(err)
	if len(os.Args) > 1 && os.Args[1] == "logout" {
		if kept != nil {
			check(rp.RevokeToken(ctx, tool, kept.RefreshToken, "refresh_token"))
			check(os.Remove(file))
		}
		fmt.Println("Signed out.")
		return
	}

	if kept != nil {
		kept, err = refresh(ctx, tool, kept)
		check(err)
	}
	if kept == nil {
		kept, err = signIn(ctx, tool)
		check(err)
	}
	// each refresh token is good once: the next run needs the new one
	check(write(file, kept))
	user, err := rp.Userinfo[*oidc.UserInfo](ctx, kept.accessToken, oidc.BearerToken, kept.Subject, tool)
	check(err)
	fmt.Printf("Signed in as %s.\n", user.Name)
}

// signIn shows a code, and waits until the user has typed it in and agreed.
func signIn(ctx context.Context, tool rp.RelyingParty) (*session, error) {
	device, err := rp.DeviceAuthorization(ctx, scopes, tool, nil)
	if err != nil {
		return nil, err
	}
	fmt.Printf("Open %s\nand check that the page shows %s.\n", device.VerificationURIComplete, device.UserCode)
	// asks every few seconds, until the user has agreed or refused, or the code has expired
	interval := time.Duration(device.Interval) * time.Second
	tokens, err := rp.DeviceAccessToken(ctx, device.DeviceCode, interval, tool)
	if err != nil {
		return nil, err
	}
	claims, err := rp.VerifyTokens[*oidc.IDTokenClaims](ctx, tokens.AccessToken, tokens.IDToken, tool.IDTokenVerifier())
	if err != nil {
		return nil, err
	}
	return &session{claims.Subject, tokens.RefreshToken, tokens.AccessToken}, nil
}

// refresh gives no session where the user has to sign in anew.
func refresh(ctx context.Context, tool rp.RelyingParty, kept *session) (*session, error) {
	tokens, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, tool, kept.RefreshToken, "", "")
	var refusal *oidc.Error
	if errors.As(err, &refusal) && refusal.ErrorType == oidc.InvalidGrant {
		// it has expired, or somebody has ended the session
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &session{kept.Subject, tokens.RefreshToken, tokens.AccessToken}, nil
}

// read gives no session where nobody has signed in.
func read(file string) (*session, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kept := new(session)
	return kept, json.Unmarshal(text, kept)
}

func write(file string, kept *session) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
