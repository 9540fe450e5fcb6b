import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { isFapi, needsPkce } from '../applications/security-profile.js';
import { AuthorizationsStore, type CodeRecord } from '../authorizations/authorizations.store.js';
import { missing, type Confirmation } from '../authorizations/confirmation.js';
import { SUPPORTED_CLIENT_AUTH_METHODS } from '../client-auth/authenticate-client.js';
import { OAuthError } from '../shared/errors.js';
import { Log } from '../shared/log.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { sha256 } from '../shared/random.js';
import { issueRequestOf } from '../tokens/issue-tokens.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { ApplicationGrantType, type GrantOutcome } from './grant-type.js';
import { firstOfFamily, makeRefreshToken } from './refresh-token.js';

const ELSEWHERE = 'redirect_uri does not correspond to the authorization request';
// whatever could be registered; PostgreSQL would not even take a NUL
const REDIRECT_URI = /^[!-~]{1,2048}$/;
// what no code has; one that was issued without a challenge has null
const NO_CHALLENGE = '';
// RFC 7636 §4.1
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * grant_type `authorization_code` (RFC 6749 §4.1.3, RFC 7636 §4.6). The code is used up by one statement that also
 * checks client, redirect URI, challenge, user and session; only when it fails is the reason looked up.
 */
@Injectable()
export class AuthorizationCodeGrant extends ApplicationGrantType {
  override readonly type = 'authorization_code';
  override readonly narrows = true;
  override readonly clientAuthMethods = SUPPORTED_CLIENT_AUTH_METHODS;

  constructor(
    private readonly authorizations: AuthorizationsStore,
    private readonly settings: TokenSettings,
    private readonly log: Log,
  ) {
    super();
  }

  override async verify(
    application: Application,
    parameters: OAuthParameters,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome> {
    const code = parameters.require('code');
    const redirectUri = parameters.require('redirect_uri');
    if (!REDIRECT_URI.test(redirectUri)) throw new OAuthError('invalid_grant', ELSEWHERE);
    const verifier = parameters.get('code_verifier');
    if (verifier !== undefined && !VERIFIER.test(verifier)) {
      throw new OAuthError('invalid_request', 'code_verifier must be 43 to 128 unreserved characters');
    }
    const codeChallenge =
      verifier === undefined ? null : createHash('sha256').update(verifier, 'ascii').digest('base64url');
    // a code from before its application needed PKCE is good with nothing
    const wanted = codeChallenge ?? (needsPkce(application) ? NO_CHALLENGE : null);
    const refreshToken = application.grantTypes.includes('refresh_token') ? makeRefreshToken() : undefined;
    const codeHash = sha256(code);
    const authorization = await this.authorizations.redeemCode({
      codeHash,
      applicationId: application.id,
      redirectUri,
      codeChallenge: wanted,
      confirmation: confirmation ?? null,
      firstRefreshToken: firstOfFamily(refreshToken, application, this.settings, confirmation),
    });
    if (authorization === undefined) {
      throw await this.refusal(
        await this.authorizations.findCode(codeHash),
        application,
        redirectUri,
        codeChallenge,
        confirmation,
      );
    }
    return {
      tokens: issueRequestOf(application, authorization, authorization.scopes),
      ...(refreshToken !== undefined && authorization.scopes.includes('offline_access')
        ? { refreshToken }
        : {}),
      undo: () => this.authorizations.undoRedemption(codeHash),
    };
  }

  private async refusal(
    record: CodeRecord | undefined,
    application: Application,
    redirectUri: string,
    codeChallenge: string | null,
    confirmation: Confirmation | undefined,
  ): Promise<OAuthError> {
    if (record === undefined)
      return new OAuthError('invalid_grant', 'code is invalid or expired', 'unknown code');
    if (record.used) {
      // RFC 6749 §4.1.2: a code seen twice has leaked, so what came of it the first time ends as well
      if (await this.authorizations.revoke(record.authorizationId, 'code_replayed')) {
        this.log.warn('authorization code replayed, grant ended', {
          authorizationId: record.authorizationId,
        });
      }
      return new OAuthError('invalid_grant', 'code is invalid or expired', 'replayed');
    }
    if (record.applicationId !== application.id) {
      return new OAuthError('invalid_grant', 'code is invalid or expired', 'issued to another client');
    }
    if (record.expired) return new OAuthError('invalid_grant', 'code is invalid or expired', 'expired');
    if (record.redirectUri !== redirectUri) {
      return new OAuthError('invalid_grant', ELSEWHERE);
    }
    if (codeChallenge === null && (record.codeChallenge !== null || needsPkce(application))) {
      // RFC 7636 §4.6 as the suite for FAPI 2.0 reads it; for others the word of protocol §8.1
      return new OAuthError(
        isFapi(application) ? 'invalid_grant' : 'invalid_request',
        'code_verifier required',
      );
    }
    if (record.codeChallenge === null && codeChallenge !== null) {
      // RFC 9700 §4.8.2: a verifier without a challenge means that somebody stripped the challenge on the way
      return new OAuthError('invalid_request', 'code_verifier unexpectedly provided');
    }
    if (record.codeChallenge !== codeChallenge)
      return new OAuthError('invalid_grant', 'invalid code_verifier');
    if (record.confirmation !== null && record.confirmation !== confirmation) {
      return new OAuthError('invalid_grant', `code is ${missing(record.confirmation)}`);
    }
    return new OAuthError('invalid_grant', 'code is invalid or expired', 'user, session or grant has ended');
  }
}
