import { Injectable } from '@nestjs/common';
import type { IdentityProvider } from '../../identity-providers/identity-provider.js';
import { Sealer, type SealedPlace } from '../../secrets/sealer.js';
import type { ProviderLogoutHint, ProviderSession } from '../../sessions/sessions.store.js';
import type { AnsweredIdentity } from '../read-provider-answer.js';

/** The ID token of a sign-in, or the NameID of SAML, is kept sealed until a sign-out brings it to the provider again. */
@Injectable()
export class SignOutHints {
  constructor(private readonly sealer: Sealer) {}

  /** The provider's session that somebody came from, with the hint where the provider gives one. */
  sessionOf({ id: providerId }: IdentityProvider, asked: AnsweredIdentity): ProviderSession {
    const { subject, session: providerSession, name: providerName, signOutHint } = asked;
    const { authenticatedAt, askedAt } = asked;
    const session = { providerId, subject, providerSession, providerName, authenticatedAt, askedAt };
    if (signOutHint === undefined) return session;
    return { ...session, hint: this.sealer.seal(placeOf(session), Buffer.from(signOutHint)) };
  }

  async open(left: ProviderLogoutHint): Promise<string> {
    return (await this.sealer.open(placeOf(left), left.hint)).toString();
  }
}

/** It opens for nobody else, and for no other provider. */
function placeOf({ providerId, subject }: Pick<ProviderLogoutHint, 'providerId' | 'subject'>): SealedPlace {
  const rowId = `${providerId} ${subject}`;
  return { purpose: 'provider-id-token', table: 'provider_sessions', column: 'id_token_sealed', rowId };
}
