import { Injectable } from '@nestjs/common';
import { UserIdentitiesStore } from '../identity-providers/identities/user-identities.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import type { NewUserAgent, Session } from '../sessions/session.js';
import { RenewSession } from '../sign-in/renew-session.js';
import type { AnsweredIdentity } from './read-provider-answer.js';
import { SignOutHints } from './sign-out/sign-out-hints.js';

export type ConfirmResult =
  /** The session is not there any more. */
  | { readonly kind: 'lost' }
  /** It is an identity of the session's user: the session counts as new, in a browser with a new secret. */
  | { readonly kind: 'confirmed'; readonly agent: NewUserAgent }
  /** The identity belongs to another user or to none, the provider did not answer, or the answer does not prove a fresh sign-in there. */
  | { readonly kind: 'unconfirmed' };

/** Makes a session as new by an identity that its user has. */
@Injectable()
export class ConfirmByIdentity {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly hints: SignOutHints,
    private readonly renewSession: RenewSession,
  ) {}

  /** Nothing is added: the session is too old for that, and whoever uses it may not be its owner. */
  async execute(
    own: { readonly session: Session; readonly secret: string },
    provider: IdentityProvider,
    answered: AnsweredIdentity,
  ): Promise<ConfirmResult> {
    const known = await this.identities.find(provider.id, answered.subject);
    if (known?.userId !== own.session.userId || !known.active) return { kind: 'unconfirmed' };
    // by a session of the provider's that lives on, whoever is at the browser comes back with it
    if (answered.isAnew !== true) return { kind: 'unconfirmed' };
    const agent = await this.renewSession.byIdentity(own, this.hints.sessionOf(provider, answered));
    return agent === 'gone' ? { kind: 'lost' } : { kind: 'confirmed', agent };
  }
}
