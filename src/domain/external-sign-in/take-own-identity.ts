import { Injectable } from '@nestjs/common';
import { mapClaims } from '../identity-providers/claim-mapping.js';
import type { TakenSignIn } from '../identity-providers/external-sign-ins.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { LinkIdentity } from '../identity-providers/link-identity.js';
import { rulesOf } from '../identity-providers/rules-of-kind.js';
import { UserIdentitiesStore } from '../identity-providers/user-identities.store.js';
import type { NewUserAgent, Session } from '../sessions/session.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { RenewSession } from '../sign-in/renew-session.js';
import { StartSession } from '../sign-in/start-session.js';
import {
  ReadProviderAnswer,
  shownName,
  type AnsweredIdentity,
  type ExternalCallback,
  type ExternalProblem,
} from './read-provider-answer.js';
import { SignOutHints } from './sign-out/sign-out-hints.js';

/** What came of it for somebody who is signed in and went to a provider from their account. */
export type OwnIdentityResult =
  /** The session is not there any more. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'linked'; readonly added: boolean }
  /** It is the reader's: the session is as new, in a browser with a new secret. */
  | { readonly kind: 'confirmed'; readonly agent: NewUserAgent }
  /** It is somebody else's, nobody's, or the provider did not answer. */
  | { readonly kind: 'unconfirmed' };

/**
 * Somebody who is signed in comes back from a provider: with an identity for their account, or with one that they have, as the
 * proof that `/account/confirm` asks for.
 */
@Injectable()
export class TakeOwnIdentity {
  constructor(
    private readonly answers: ReadProviderAnswer,
    private readonly providers: IdentityProvidersStore,
    private readonly identities: UserIdentitiesStore,
    private readonly linkIdentity: LinkIdentity,
    private readonly hints: SignOutHints,
    private readonly startSession: StartSession,
    private readonly renewSession: RenewSession,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @param own the session that it was begun from. @throws ProviderSessionEnded */
  async take(
    own: Session,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
  ): Promise<OwnIdentityResult> {
    const { orgId, userId } = own;
    const provider = await this.providers.findUsable(orgId, callback.providerId);
    if (provider === undefined) return { kind: 'lost' };
    const asked = await this.answers.read(provider, callback, begun, state);
    if ('confirmSessionId' in begun.purpose) return await this.confirm(own, callback, provider, asked);
    if (typeof asked === 'string') return { kind: 'linked', added: false };
    const mapped = mapClaims(asked.claims, provider.mapping, rulesOf(provider).fields);
    const displayName = shownName(mapped, asked);
    const identity = { providerId: provider.id, subject: asked.subject, displayName, orgId, userId };
    const there = this.hints.sessionOf(provider, asked);
    const added = await this.unitOfWork.run(async (tx) => {
      // the user before what is known of the provider's session, in the order of a sign-in
      const isNew = await this.linkIdentity.execute(tx, identity, userId);
      await this.startSession.requireProviderSession(tx, there);
      return isNew;
    });
    return { kind: 'linked', added };
  }

  /** Nothing is added: the session is too old for that, and whoever uses it may not be its owner. */
  private async confirm(
    own: Session,
    { userAgentSecret: secret = '' }: ExternalCallback,
    provider: IdentityProvider,
    asked: AnsweredIdentity | ExternalProblem,
  ): Promise<OwnIdentityResult> {
    if (typeof asked === 'string') return { kind: 'unconfirmed' };
    const known = await this.identities.find(provider.id, asked.subject);
    if (known?.userId !== own.userId || !known.active) return { kind: 'unconfirmed' };
    const there = this.hints.sessionOf(provider, asked);
    const agent = await this.renewSession.byIdentity({ session: own, secret }, there);
    return agent === 'gone' ? { kind: 'lost' } : { kind: 'confirmed', agent };
  }
}
