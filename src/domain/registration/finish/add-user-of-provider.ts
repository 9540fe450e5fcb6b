import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../../authorize/auth-request.js';
import type { Flow } from '../../authorize/flow/find-flow.js';
import type { MappedIdentity } from '../../identity-providers/claim-mapping.js';
import { ExternalUser } from '../../identity-providers/external-user.js';
import { IdentityProvidersStore } from '../../identity-providers/identity-providers.store.js';
import { MappedRoles, type RolesBefore } from '../../identity-providers/mapped-roles.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { AuthenticatedUser } from '../../sign-in/start-session.js';
import type { EndedRegistration } from '../registrations.store.js';

/** Who somebody is at a provider, and what the mapping's projects have. */
export interface ExternalRegistration {
  readonly pending: PendingIdentity;
  readonly roles: RolesBefore;
}

/** Adds the user of a registration who came from a provider, with the address that the code came from. */
@Injectable()
export class AddUserOfProvider {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly externalUser: ExternalUser,
    private readonly mappedRoles: MappedRoles,
  ) {}

  /** Read before the transaction. Undefined where the provider makes no accounts any more. */
  async prepare({ pendingIdentity: pending }: Flow): Promise<ExternalRegistration | undefined> {
    if (pending === undefined) return undefined;
    const provider = await this.providers.findUsable(pending.orgId, pending.providerId);
    if (provider?.allowCreation !== true) return undefined;
    return {
      pending,
      roles: await this.mappedRoles.before(pending.orgId, undefined, pending.mapped),
    };
  }

  /**
   * In the flow whose browser came back from the provider, and for whom nobody was known then.
   *
   * @throws ApiError already-exists, or invalid-argument for an address of another organization's domain
   */
  async execute(
    tx: Tx,
    id: string,
    { orgId, email, locale }: EndedRegistration,
    external: ExternalRegistration | undefined,
  ): Promise<AuthenticatedUser | undefined> {
    if (external === undefined || external.pending.userId !== null) return undefined;
    // another answer of a provider may have come to the flow since: the code proves nothing of that one
    if (external.pending.registrationId !== id || external.pending.orgId !== orgId) return undefined;
    const { providerSession, ...identity } = external.pending;
    const created = { identity, mapped: withTyped(external.pending), email, isOwnerVerified: true, locale };
    const userId = await this.externalUser.create(tx, created, external.roles);
    // they have just typed the code that went to their mailbox
    return userId && { orgId, userId, proofs: ['external', 'mailbox'], providerSession };
  }
}

/** What the provider has said, and what they have said where it did not. */
export function withTyped({ mapped, typed }: PendingIdentity): MappedIdentity {
  if (typed === undefined) return mapped;
  const { email: _, ...names } = typed;
  return { ...mapped, profile: { ...mapped.profile, ...names } };
}
