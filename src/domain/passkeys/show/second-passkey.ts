import { Injectable } from '@nestjs/common';
import type { ShownFactor } from '../../factors/shown-factor.js';
import type { Session } from '../../sessions/session.js';
import type { AuthRequestId } from '../../shared/ids.js';
import { PasskeysStore, type ChallengeBinding } from '../passkeys.store.js';
import type { AuthenticationResponse } from '../webauthn.js';
import { ShowPasskey, type RequestOptions } from './show-passkey.js';

/** The flow in which somebody has shown something else already. */
export interface SecondPasskeyPlace {
  readonly flow: AuthRequestId;
  readonly session: Pick<Session, 'orgId' | 'userId' | 'userAgentId'>;
  /** The application asks for a passkey that checks its user. */
  readonly mustVerify?: boolean;
}

/**
 * A passkey or a security key besides a password. It is enough that its user was there: the password is what they know. Where the
 * authenticator checks its user as well, the session says so.
 */
@Injectable()
export class SecondPasskey {
  constructor(
    private readonly passkeys: PasskeysStore,
    private readonly showPasskey: ShowPasskey,
  ) {}

  /** @returns undefined for whoever has none */
  async ask(place: SecondPasskeyPlace): Promise<RequestOptions | undefined> {
    const { orgId, userId } = place.session;
    const allowed = await this.passkeys.credentialsOfUser(orgId, userId);
    return allowed.length === 0
      ? undefined
      : await this.showPasskey.ask(
          bindingOf(place),
          place.mustVerify === true ? 'required' : 'preferred',
          allowed,
        );
  }

  async evaluate(
    place: SecondPasskeyPlace,
    answer: AuthenticationResponse,
  ): Promise<ShownFactor | undefined> {
    const shown = await this.showPasskey.check(answer, bindingOf(place), 'preferred');
    if (shown === undefined) return undefined;
    const kind = shown.userVerified ? 'passkey-verified' : 'passkey';
    return { kind, use: (tx) => this.showPasskey.use(tx, shown) };
  }
}

function bindingOf({ flow, session: { userId, userAgentId } }: SecondPasskeyPlace): ChallengeBinding {
  return { purpose: 'second-factor', boundTo: flow, userAgentId, userId };
}
