import { Injectable } from '@nestjs/common';
import type { MappedIdentity } from '../identity-providers/claim-mapping.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
  type ExternalIdentity,
} from '../identity-providers/provider-client.js';
import type { ProviderSession } from '../sessions/sessions.store.js';
import type { IdentityProviderId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { sha256 } from '../shared/random.js';
import type { AuthenticatedUser } from '../sign-in/start-session.js';
import { Counters } from '../statistics/counters.js';
import type { KeptAnswer, TakenSignIn } from './provider-requests.store.js';

/** Why nobody is signed in, as the sign-in page says it; the other ways stay open there. */
export type ExternalProblem = 'idp-refused' | 'idp-unavailable' | 'idp-no-account' | 'too-many-attempts';

export interface ExternalCallback {
  readonly providerId: IdentityProviderId;
  /** As they came back. */
  readonly parameters: URLSearchParams;
  readonly userAgentSecret: string | undefined;
  readonly callbackUrl: string;
  readonly device: string | undefined;
  /** BCP 47 tag of the page. */
  readonly locale: string;
  /** Where the request came from. */
  readonly source: string;
  /** Counts a mail that is to be sent to an address that somebody else named. False when there were too many. */
  readonly admitMail: () => Promise<boolean>;
  /** Who a directory has said they are (CheckDirectoryPassword): there is no answer to redeem. */
  readonly identity?: ExternalIdentity;
}

/** With when it was asked for, by our clock. */
export type AnsweredIdentity = ExternalIdentity & { readonly askedAt: number };

/** The same by what it means here. */
export interface ProvidedIdentity {
  readonly subject: string;
  readonly displayName: string;
  readonly mapped: MappedIdentity;
  readonly providerSession: ProviderSession;
}

/** What an answer shows here. */
export type ShownByProvider = Pick<AuthenticatedUser, 'proofs' | 'shownThere'>;

/**
 * The provider's answer alone proves that it names the user (`external`), and no more. If it has the time of their sign-in there, the
 * proof counts from that time.
 *
 * @param wasAsked the provider was asked for a fresh sign-in, and is one that enforces it
 */
export function shownBy(
  { isAnew = false, authenticatedAt }: Pick<ExternalIdentity, 'isAnew' | 'authenticatedAt'>,
  wasAsked: boolean,
  nowSeconds: number,
): ShownByProvider {
  const kind = isAnew ? 'external-anew' : 'external-told';
  if (authenticatedAt === undefined)
    return { proofs: isAnew || wasAsked ? ['external', kind] : ['external'] };
  // by the clock that the answer was held against
  const age = Math.max(0, Date.now() / 1000 - authenticatedAt);
  return { proofs: ['external'], shownThere: { [kind]: Math.floor(nowSeconds - age) } };
}

/**
 * The same for an answer that came a while ago, since when the user was asked for a name: at the time that the provider reported. It
 * is only the provider's word (`external-told`).
 *
 * @param counts without such a time, the answer still shows that they signed in there since they were asked to
 */
export function shownBefore(
  { authenticatedAt, askedAt }: Pick<ProviderSession, 'authenticatedAt' | 'askedAt'>,
  counts: boolean,
  nowSeconds: number,
): ShownByProvider {
  if (authenticatedAt !== undefined) return shownBy({ authenticatedAt }, counts, nowSeconds);
  if (!counts || askedAt === undefined) return { proofs: ['external'] };
  return { proofs: ['external'], shownThere: { 'external-told': Math.floor(askedAt) } };
}

/** Who somebody is at a provider, by the answer that their browser came back with. */
@Injectable()
export class ReadProviderAnswer {
  constructor(
    private readonly client: ProviderClient,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  async read(
    provider: IdentityProvider,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
  ): Promise<AnsweredIdentity | ExternalProblem> {
    const asked = await this.identityOf(provider, callback, begun, state);
    return typeof asked === 'string' ? asked : { ...asked, askedAt: begun.begunAt };
  }

  private async identityOf(
    provider: IdentityProvider,
    { parameters, callbackUrl, identity }: ExternalCallback,
    { nonce, codeVerifier, maxAge, answer }: TakenSignIn,
    state: string,
  ): Promise<ExternalIdentity | ExternalProblem> {
    try {
      if (provider.kind === 'saml') return keptIdentity(answer, parameters);
      if (provider.kind === 'ldap') {
        if (identity === undefined) throw new ProviderRefused('nobody has signed in');
        // they have typed its password into a form of ours
        return { ...identity, isAnew: true };
      }
      const secrets = { state, nonce, codeVerifier };
      return await this.client.redeem(provider, { parameters, secrets, callbackUrl, maxAge });
    } catch (error) {
      const { id: providerId } = provider;
      if (error instanceof ProviderUnavailable) {
        this.log.warn('an identity provider is not available', { providerId, reason: error.message });
        return 'idp-unavailable';
      }
      if (!(error instanceof ProviderRefused)) throw error;
      this.log.info('an answer of an identity provider is refused', { providerId, reason: error.message });
      this.counters.add(provider.orgId, 'signInsRefused');
      return 'idp-refused';
    }
  }
}

/** Its response was posted and checked before (ReceiveSamlResponse); the browser brings what it was sent on with. */
function keptIdentity(answer: KeptAnswer | undefined, parameters: URLSearchParams): ExternalIdentity {
  const handle = parameters.get('answer') ?? '';
  if (answer === undefined || !sha256(handle).equals(answer.handleHash)) {
    throw new ProviderRefused('no response was accepted');
  }
  return answer.identity;
}

/** Distinguishes the identities of a user who has several. */
export function shownName({ email, profile }: MappedIdentity, { subject }: ExternalIdentity): string {
  return email ?? profile.displayName ?? subject;
}
