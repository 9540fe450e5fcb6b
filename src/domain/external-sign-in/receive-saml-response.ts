import { Injectable } from '@nestjs/common';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { ProviderRefused } from '../identity-providers/provider-client.js';
import { SamlClient, type SamlAnswer } from '../identity-providers/saml/saml-client.js';
import type { ServiceProviderAddresses } from '../identity-providers/saml/saml-kind.js';
import type { IdentityProviderId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomToken, sha256 } from '../shared/random.js';
import { Counters } from '../statistics/counters.js';
import { ProviderRequestsStore } from './provider-requests.store.js';
import { requestIdOf } from './send-to-provider.js';

/** As it was posted. */
interface PostedResponse {
  readonly providerId: IdentityProviderId;
  /** `SAMLResponse`. */
  readonly response: string;
  /** `RelayState`: the state of a sign-in that was begun here, and never an address. */
  readonly relayState: string;
  readonly addresses: ServiceProviderAddresses;
}

/**
 * The assertion consumer service. A provider posts by way of the browser, from its own site, and so without our cookie: the form
 * alone signs nobody in. The response is checked and stored once, and the browser continues with a handle that is valid
 * only together with the cookie of the browser that began (FinishExternalSignIn). A response to no request of ours (IdP-initiated)
 * is not read, nor is another response to a request that has reached its limit of responses.
 */
@Injectable()
export class ReceiveSamlResponse {
  constructor(
    private readonly requests: ProviderRequestsStore,
    private readonly providers: IdentityProvidersStore,
    private readonly saml: SamlClient,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  /** @returns a handle for the browser to continue with, or a failure; undefined if no sign-in was begun */
  async execute(posted: PostedResponse): Promise<{ readonly handle: string | undefined } | undefined> {
    const { providerId, relayState } = posted;
    const stateHash = sha256(relayState);
    const begun = await this.requests.admitAnswer(stateHash, providerId);
    if (begun === undefined) return undefined;
    const asked = await this.read(posted, { id: requestIdOf(begun.nonce), maxAge: begun.maxAge });
    if (asked === undefined) return { handle: undefined };
    const { assertionId, ...identity } = asked;
    const handle = randomToken(32);
    const isKept = await this.requests.keepAnswer(
      stateHash,
      providerId,
      { identity, handleHash: sha256(handle) },
      sha256(`${providerId} ${assertionId}`),
    );
    return { handle: isKept ? handle : undefined };
  }

  private async read(
    { providerId, response, addresses }: PostedResponse,
    request: { readonly id: string; readonly maxAge: number | undefined },
  ): Promise<SamlAnswer | undefined> {
    const provider = await this.providers.findActive(providerId);
    if (provider?.kind !== 'saml') return undefined;
    try {
      return await this.saml.readResponse(provider, response, request, addresses);
    } catch (error) {
      if (!(error instanceof ProviderRefused)) throw error;
      this.log.info('an answer of an identity provider is refused', { providerId, reason: error.message });
      this.counters.add(provider.orgId, 'signInsRefused');
      return undefined;
    }
  }
}
