import { Injectable } from '@nestjs/common';
import { IdentityProvidersStore } from '../../identity-providers/identity-providers.store.js';
import { ProviderRefused } from '../../identity-providers/provider-client.js';
import { SamlClient, type SamlMessage } from '../../identity-providers/saml/saml-client.js';
import type { ServiceProviderAddresses } from '../../identity-providers/saml/saml-kind.js';
import { SessionsStore } from '../../sessions/sessions.store.js';
import type { IdentityProviderId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { sha256 } from '../../shared/random.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { ProviderRequestsStore } from '../provider-requests.store.js';

/** It goes into an address again. */
const LONGEST_RELAY_STATE = 1024;

interface ReceivedLogout {
  readonly providerId: IdentityProviderId;
  readonly message: SamlMessage;
  /** What came beside a form; in a query it is signed with the rest. */
  readonly relayState?: string | undefined;
  readonly addresses: ServiceProviderAddresses;
}

/**
 * A SAML provider signs somebody out who began there or at another of its services (saml-profiles-2.0-os §4.4): it sends their
 * browser here with a signed request. The sessions here that began with that name and session end, with their tokens and
 * authorizations, and no other; the browser goes back with an answer. It brings no cookie and needs none: what counts is
 * what the provider signed.
 */
@Injectable()
export class ReceiveSamlLogout {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly saml: SamlClient,
    private readonly requests: ProviderRequestsStore,
    private readonly sessions: SessionsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /** @returns where the browser is redirected: the provider's own address, and no other. @throws ProviderRefused */
  async execute({ providerId, message, relayState: beside, addresses }: ReceivedLogout): Promise<string> {
    const provider = await this.providers.findActive(providerId);
    if (provider?.kind !== 'saml' || provider.settings.sloUrl === undefined) {
      throw new ProviderRefused('there is no such provider that signs people out');
    }
    const request = await this.saml.readLogoutRequest(provider, message, addresses);
    const relayState = request.relayState ?? beside;
    if (relayState !== undefined && relayState.length > LONGEST_RELAY_STATE) {
      throw new ProviderRefused('RelayState is too long');
    }
    const { name: providerName, sessions: providerSessions, issuedAt: at } = request;
    const over = { providerId, providerName, providerSessions, at };
    const ended = await this.unitOfWork.run(async (tx) => {
      // together with what it ends: one that was cut off in the middle may come again
      if (!(await this.requests.useLogoutRequest(tx, sha256(`${providerId} logout ${request.id}`)))) {
        throw new ProviderRefused('the request was here before');
      }
      await this.sessions.rememberEnded(tx, over);
      const ids = await this.sessions.listNamedByProvider(tx, over);
      return ids.length === 0 ? 0 : await this.sessions.end(tx, ids, 'ended_by_provider', null);
    });
    this.log.info('an identity provider has signed somebody out', { providerId, sessions: ended });
    return await this.saml.logoutResponseUrl(provider, { ...request, relayState }, addresses);
  }
}
