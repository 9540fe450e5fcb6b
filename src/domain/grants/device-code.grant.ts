import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { AuthorizationsStore } from '../authorizations/authorizations.store.js';
import type { Confirmation } from '../authorizations/confirmation.js';
import { SUPPORTED_CLIENT_AUTH_METHODS } from '../client-auth/authenticate-client.js';
import {
  DEVICE_CODE_GRANT,
  NO_REDIRECT_URI,
  type PolledDevice,
} from '../device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../device-authorizations/device-authorizations.store.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { sha256 } from '../shared/random.js';
import { issueRequestOf } from '../tokens/issue-tokens.js';
import { TokenSettings } from '../tokens/token-settings.js';
import { ApplicationGrantType, type GrantOutcome } from './grant-type.js';
import { firstOfFamily, makeRefreshToken } from './refresh-token.js';

const NOT_VALID = 'device_code is invalid or was used';

/**
 * grant_type `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4). A device asks until its user has decided; then
 * the authorization code that stands for it is used up as any other, so that it gets tokens once.
 */
@Injectable()
export class DeviceCodeGrant extends ApplicationGrantType {
  override readonly type = DEVICE_CODE_GRANT;
  override readonly narrows = true;
  override readonly clientAuthMethods = SUPPORTED_CLIENT_AUTH_METHODS;

  constructor(
    private readonly devices: DeviceAuthorizationsStore,
    private readonly authorizations: AuthorizationsStore,
    private readonly settings: TokenSettings,
  ) {
    super();
  }

  override async verify(
    application: Application,
    parameters: OAuthParameters,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome> {
    const polled = await this.devices.poll(sha256(parameters.require('device_code')));
    if (polled === undefined || polled.applicationId !== application.id) {
      throw new OAuthError('invalid_grant', NOT_VALID, polled && 'issued to another client');
    }
    const codeHash = decided(polled);
    const refreshToken = application.grantTypes.includes('refresh_token') ? makeRefreshToken() : undefined;
    const authorization = await this.authorizations.redeemCode({
      codeHash,
      applicationId: application.id,
      redirectUri: NO_REDIRECT_URI,
      codeChallenge: null,
      confirmation: null,
      firstRefreshToken: firstOfFamily(refreshToken, application, this.settings, confirmation),
    });
    if (authorization === undefined) {
      throw new OAuthError('invalid_grant', NOT_VALID, 'used, or user, session or grant has ended');
    }
    const tokens = issueRequestOf(application, authorization, authorization.scopes);
    const isRefreshed = refreshToken !== undefined && authorization.scopes.includes('offline_access');
    const undo = () => this.authorizations.undoRedemption(codeHash);
    return { tokens, ...(isRefreshed && { refreshToken }), undo };
  }
}

/** The authorization code of an approved device. @throws OAuthError for one that is not approved (RFC 8628 §3.5) */
function decided({ state, expired, early, codeHash }: PolledDevice): Buffer {
  if (state === 'denied') throw new OAuthError('access_denied', 'the user did not agree');
  if (expired) throw new OAuthError('expired_token', 'device_code has expired');
  if (codeHash !== null) return codeHash;
  if (early) throw new OAuthError('slow_down', 'asked too soon: wait 5 seconds longer from now on');
  throw new OAuthError('authorization_pending', 'the user has not decided yet');
}
