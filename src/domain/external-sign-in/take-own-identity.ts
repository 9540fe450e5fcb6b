import { Injectable } from '@nestjs/common';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import type { Session } from '../sessions/session.js';
import { ConfirmByIdentity, type ConfirmResult } from './confirm-by-identity.js';
import { LinkOwnIdentity } from './link-own-identity.js';
import type { TakenSignIn } from './provider-requests.store.js';
import { ReadProviderAnswer, type ExternalCallback } from './read-provider-answer.js';

/** What came of it for somebody who is signed in and went to a provider from their account. */
export type OwnIdentityResult = ConfirmResult | { readonly kind: 'linked'; readonly added: boolean };

/**
 * Somebody who is signed in comes back from a provider: with an identity for their account, or with one that they have, as the
 * proof that `/account/confirm` asks for.
 */
@Injectable()
export class TakeOwnIdentity {
  constructor(
    private readonly answers: ReadProviderAnswer,
    private readonly providers: IdentityProvidersStore,
    private readonly link: LinkOwnIdentity,
    private readonly confirm: ConfirmByIdentity,
  ) {}

  /** @param own the session that it was begun from. @throws ProviderSessionEnded */
  async take(
    own: Session,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
  ): Promise<OwnIdentityResult> {
    const provider = await this.providers.findUsable(own.orgId, callback.providerId);
    if (provider === undefined) return { kind: 'lost' };
    const asked = await this.answers.read(provider, callback, begun, state);
    if ('confirmSessionId' in begun.purpose) {
      if (typeof asked === 'string') return { kind: 'unconfirmed' };
      return await this.confirm.execute(
        { session: own, secret: callback.userAgentSecret ?? '' },
        provider,
        asked,
      );
    }
    if (typeof asked === 'string') return { kind: 'linked', added: false };
    return { kind: 'linked', added: await this.link.execute(own, provider, asked) };
  }
}
