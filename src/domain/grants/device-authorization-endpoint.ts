import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { letIn, onAccountOf } from '../client-auth/client-fault.js';
import {
  DEVICE_CODE_GRANT,
  DEVICE_CODE_SECONDS,
  makeUserCode,
  POLL_SECONDS,
  shownUserCode,
} from '../device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../device-authorizations/device-authorizations.store.js';
import { OAuthError } from '../shared/errors.js';
import { randomToken, sha256 } from '../shared/random.js';
import { RequestedAudience } from '../tokens/audience/requested-audience.js';
import { ResourceIndicators } from '../tokens/audience/resource-indicators.js';
import { readReservedScopes } from '../tokens/scopes/reserved-scopes.js';
import { knownScopes, parseScopes } from '../tokens/scopes/scopes.js';
import { TokenSettings } from '../tokens/token-settings.js';

/** RFC 8628 §3.2. */
interface DeviceAuthorizationResponse {
  readonly device_code: string;
  /** As people read it: `BCDF-GHJK`. */
  readonly user_code: string;
  readonly verification_uri: string;
  /** The same with the code in it, for a QR code. */
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Living codes are few beside 20^8 of them: a second try is rare, a tenth means that something is wrong. */
const MOST_TRIES = 10;

/** The device authorization endpoint (RFC 8628 §3.1): a device without a browser asks for a code that its user can type. */
@Injectable()
export class DeviceAuthorizationEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly requestedAudience: RequestedAudience,
    private readonly resources: ResourceIndicators,
    private readonly settings: TokenSettings,
  ) {}

  /**
   * @param askedFrom network address of the client, which the page shows
   * @throws OAuthError
   */
  async answer(credentials: ClientCredentials, askedFrom: string): Promise<DeviceAuthorizationResponse> {
    const { parameters } = credentials;
    parameters.refuseRepeated(this.resources.mayRepeat);
    const application = await this.authenticateClient.authenticate(credentials);
    if (!application.grantTypes.includes(DEVICE_CODE_GRANT)) {
      throw new OAuthError(
        'unauthorized_client',
        `grant_type ${DEVICE_CODE_GRANT} is not allowed for this client`,
      );
    }
    return await onAccountOf(letIn(application), async () => {
      this.resources.refuseAny(parameters);
      const scopes = scopesOf(parameters.get('scope') ?? '', application);
      const requested = await this.requestedAudience.of(scopes, application);
      if ('refusal' in requested) throw requested.refusal;
      return await this.add(application, scopes, askedFrom);
    });
  }

  private async add(
    { id: applicationId }: Application,
    scopes: readonly string[],
    askedFrom: string,
  ): Promise<DeviceAuthorizationResponse> {
    const deviceCode = randomToken(32);
    const deviceCodeHash = sha256(deviceCode);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const userCode = makeUserCode();
      if (!(await this.devices.add({ applicationId, deviceCodeHash, userCode, scopes, askedFrom }))) continue;
      const shown = shownUserCode(userCode);
      const page = `${this.settings.issuer}/device`;
      return {
        device_code: deviceCode,
        user_code: shown,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${shown}`,
        expires_in: DEVICE_CODE_SECONDS,
        interval: POLL_SECONDS,
      };
    }
    throw new Error(`no user code is free after ${MOST_TRIES} tries`);
  }
}

/** Unknown ones are ignored, as at the authorization endpoint; none at all is `openid`. */
function scopesOf(text: string, { grantTypes }: Application): readonly string[] {
  const scopes = parseScopes(text);
  if (scopes === undefined) throw new OAuthError('invalid_scope', 'scope is malformed');
  if (readReservedScopes(scopes).organizations.length > 1) {
    throw new OAuthError('invalid_scope', 'Only one organization scope may be provided');
  }
  const mayRefresh = grantTypes.includes('refresh_token');
  const known = knownScopes(scopes).filter((scope) => scope !== 'offline_access' || mayRefresh);
  return known.length === 0 ? ['openid'] : known;
}
