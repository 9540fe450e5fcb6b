import { Injectable } from '@nestjs/common';
import { FirstFactor } from '../../factors/first-factor.js';
import { RecordFactorChange } from '../../factors/record-factor-change.js';
import type { Acting } from '../../permissions/acting.js';
import type { AuthRequestId, OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import { UsersStore } from '../../users/users.store.js';
import { PasskeyChallenges } from '../passkey-challenges.js';
import { passkeyNotGood } from '../passkey-refusal.js';
import type { Passkey, VerifiedCredential } from '../passkey.js';
import { PasskeysStore, type ChallengeBinding } from '../passkeys.store.js';
import type { RegistrationResponse } from '../webauthn.js';

/** Who registers a passkey for themselves, and where. */
export interface RegisteringUser extends Acting {
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** The session that says who they are, or whatever else does. */
  readonly session: string;
  /** The sign-in in whose middle they do it, if they do. */
  readonly flow?: AuthRequestId;
  /** The browser, where the session does not say which one it is. */
  readonly userAgentId?: string;
  /** Who handed out the link that they came by (`RegisterByLink`), if they came by one. */
  readonly linkMadeBy?: UserId | '';
}

/** Keeps a passkey whose registration was found good. Challenge and passkey in one transaction: of the same answer sent twice, one is kept. */
@Injectable()
export class KeepPasskey {
  constructor(
    private readonly users: UsersStore,
    private readonly challenges: PasskeyChallenges,
    private readonly passkeys: PasskeysStore,
    private readonly firstFactor: FirstFactor,
    private readonly recordChange: RecordFactorChange,
  ) {}

  /** @throws ApiError not-found, failed-precondition for whoever is no active human, invalid-argument for a challenge that is over */
  async execute(
    tx: Tx,
    who: RegisteringUser,
    answer: RegistrationResponse,
    credential: VerifiedCredential & { readonly name: string },
  ): Promise<Passkey> {
    const { orgId, userId } = who;
    const user = requireActiveHuman(await this.users.lockForUpdate(tx, orgId, userId));
    const { userHandle } = (await this.challenges.take(answer, bindingOf(who), tx)) ?? {};
    if (userHandle == null) throw passkeyNotGood();
    await this.firstFactor.note(tx, userId, who.session, 'passkey');
    const linkMadeBy = who.linkMadeBy ?? null;
    const passkey = await this.passkeys.add(tx, { ...credential, orgId, userId, userHandle, linkMadeBy });
    await this.recordChange.execute(tx, who, user, {
      type: 'user.human.passkey.added',
      template: 'passkey_added',
      data: { passkeyId: passkey.id },
    });
    return passkey;
  }
}

export function bindingOf({ session, flow, userAgentId, userId }: RegisteringUser): ChallengeBinding {
  const boundTo = flow === undefined ? session : `${session} ${flow}`;
  return { purpose: 'register', boundTo, userAgentId: userAgentId ?? null, userId };
}
