import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../authorize/auth-request.js';
import { AuthRequestsStore } from '../authorize/auth-requests.store.js';
import { wantedName } from '../identity-providers/external-user.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import type { AuthRequestId } from '../shared/ids.js';
import { RegistrationNames } from './registration-names.js';

/** Somebody who came from a provider, and is nobody here yet. */
export interface Newcomer extends Omit<PendingIdentity, 'keptAt' | 'userId' | 'registrationId' | 'typed'> {
  /** Verified: by the provider's word, or by a code that came back. */
  readonly email: string;
}

/**
 * The user name that a provider gives somebody is taken here. Whose it is they alone know: it is theirs from another time, and
 * they sign in to that account, by its own means, to connect the two; or it is somebody else's, and they choose another name.
 */
@Injectable()
export class AskForUserName {
  constructor(
    private readonly names: RegistrationNames,
    private readonly providers: IdentityProvidersStore,
    private readonly authRequests: AuthRequestsStore,
  ) {}

  /** @returns false if the name is not the conflict: whether an address is taken must not be revealed */
  async execute(flowId: AuthRequestId, { email, ...newcomer }: Newcomer): Promise<boolean> {
    const { orgId, providerId, mapped } = newcomer;
    const takenName = wantedName(mapped, email);
    const known = (await this.names.find(orgId, { loginName: takenName, email }))?.known;
    if (known?.byUserName === undefined || known.byEmail !== undefined) return false;
    // a name that they chose here does not identify them: the account that may be theirs has the name that the provider sent
    if (newcomer.takenName !== undefined) return true;
    if (takenName === email) return false;
    const provider = await this.providers.findUsable(orgId, providerId);
    const userId = provider?.allowLinking === true ? known.byUserName : null;
    const named = { ...mapped, email, emailVerified: true };
    await this.authRequests.keepIdentity(flowId, { ...newcomer, mapped: named, userId, takenName });
    if (userId !== null) await this.authRequests.suggestName(flowId, takenName);
    return true;
  }
}
