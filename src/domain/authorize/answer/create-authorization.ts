import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../../applications/application.js';
import { gives } from '../../applications/oidc-config.js';
import { isFapi, MOST_FAPI_CODE_SECONDS } from '../../applications/security-profile.js';
import {
  AuthorizationsStore,
  type VerifiedAuthorization,
} from '../../authorizations/authorizations.store.js';
import { ClientRegistrationSettings } from '../../client-registration/client-registration-settings.js';
import { ClientRegistrationsStore } from '../../client-registration/client-registrations.store.js';
import { DEVICE_CODE_SECONDS, LAST_POLLS_SECONDS } from '../../device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../../device-authorizations/device-authorizations.store.js';
import { acrOfLevels } from '../../sessions/acr.js';
import type { Session } from '../../sessions/session.js';
import type { AuthorizationId } from '../../shared/ids.js';
import { randomId, randomToken, sha256 } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { TokenSettings } from '../../tokens/token-settings.js';
import type { AuthorizationRequest } from '../auth-request.js';

/** A grant that is open once its transaction commits, and what the answer is made from. */
export interface OpenedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: BrowserApplication;
  readonly grant: VerifiedAuthorization;
  /** Present when the response type asks for one. */
  readonly code?: string;
}

/** Writes what a session gives an application: a grant, with a code where the response type has one. */
@Injectable()
export class CreateAuthorization {
  constructor(
    private readonly authorizations: AuthorizationsStore,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly registrations: ClientRegistrationsStore,
    private readonly registration: ClientRegistrationSettings,
    private readonly settings: TokenSettings,
  ) {}

  /** Undefined when the session has ended meanwhile, or somebody else has answered the device. */
  async execute(
    tx: Tx | undefined,
    { request, application }: Pick<OpenedAnswer, 'request' | 'application'>,
    audience: readonly string[],
    session: Session,
  ): Promise<OpenedAnswer | undefined> {
    if (tx !== undefined && isRegistered(application)) {
      await this.registrations.noteUse(tx, application.id, this.registration.unusedSeconds);
    }
    const id = randomId() as AuthorizationId;
    const code = gives(request.responseType, 'code') ? randomToken(32) : undefined;
    const { deviceAuthorizationId } = request;
    const grant = await this.authorizations.open(tx, {
      id,
      orgId: session.orgId,
      userId: session.userId,
      applicationId: application.id,
      sessionId: session.id,
      scopes: request.scopes,
      audience,
      nonce: request.nonce ?? null,
      acr: acrOfLevels(request.acrValues ?? []),
      claims: request.claims ?? null,
      code:
        code === undefined
          ? null
          : {
              hash: sha256(code),
              // nobody has a device's, and it asks for as long as it may
              seconds:
                deviceAuthorizationId === undefined
                  ? this.codeSecondsOf(application)
                  : DEVICE_CODE_SECONDS + LAST_POLLS_SECONDS,
              challenge: request.codeChallenge ?? null,
              redirectUri: request.redirectUri,
              dpopJkt: request.dpopJkt ?? null,
            },
    });
    if (grant === undefined) return undefined;
    if (deviceAuthorizationId !== undefined) {
      if (tx === undefined || code === undefined) throw new Error('a device is answered in a transaction');
      const approval = { userId: session.userId, codeHash: sha256(code) };
      // of two browsers that agree at once one is too late, and what it opened is undone with its transaction
      if (!(await this.devices.approve(tx, deviceAuthorizationId, approval))) return undefined;
    }
    return { request, application, grant, ...(code === undefined ? {} : { code }) };
  }

  private codeSecondsOf(application: BrowserApplication): number {
    const { codeSeconds } = this.settings;
    return isFapi(application) ? Math.min(codeSeconds, MOST_FAPI_CODE_SECONDS) : codeSeconds;
  }
}

/** Its use keeps it on file, so a transaction has to be there for it. */
export function isRegistered({ registration }: BrowserApplication): boolean {
  return (registration ?? null) !== null;
}
