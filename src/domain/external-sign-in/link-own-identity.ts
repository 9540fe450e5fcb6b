import { Injectable } from '@nestjs/common';
import { mapClaims } from '../identity-providers/claim-mapping.js';
import { LinkIdentity } from '../identity-providers/identities/link-identity.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { rulesOf } from '../identity-providers/rules-of-kind.js';
import type { Session } from '../sessions/session.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { StartSession } from '../sign-in/start-session.js';
import { shownName, type AnsweredIdentity } from './read-provider-answer.js';
import { SignOutHints } from './sign-out/sign-out-hints.js';

/** Adds who somebody is elsewhere to the account that they are signed in to. */
@Injectable()
export class LinkOwnIdentity {
  constructor(
    private readonly linkIdentity: LinkIdentity,
    private readonly hints: SignOutHints,
    private readonly startSession: StartSession,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @returns false where nothing new came of it. @throws ProviderSessionEnded */
  async execute(
    { orgId, userId }: Session,
    provider: IdentityProvider,
    answered: AnsweredIdentity,
  ): Promise<boolean> {
    const mapped = mapClaims(answered.claims, provider.mapping, rulesOf(provider).fields);
    const displayName = shownName(mapped, answered);
    const identity = { providerId: provider.id, subject: answered.subject, displayName, orgId, userId };
    const there = this.hints.sessionOf(provider, answered);
    return await this.unitOfWork.run(async (tx) => {
      // the user before what is known of the provider's session, in the order of a sign-in
      const isNew = await this.linkIdentity.execute(tx, identity, userId);
      await this.startSession.requireProviderSession(tx, there);
      return isNew;
    });
  }
}
