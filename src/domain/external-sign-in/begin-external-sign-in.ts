import { Injectable } from '@nestjs/common';
import type { Flow } from '../authorize/find-flow.js';
import { ExternalSignInsStore, type ExternalPurpose } from '../identity-providers/external-sign-ins.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
  type ExternalSecrets,
  type HandedOn,
} from '../identity-providers/provider-client.js';
import { SamlClient } from '../identity-providers/saml-client.js';
import type { ServiceProviderAddresses } from '../identity-providers/saml-kind.js';
import { UserIdentitiesStore } from '../identity-providers/user-identities.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import { FRESH_SECONDS } from '../sessions/proof.js';
import type { Session } from '../sessions/session.js';
import type { IdentityProviderId, OrgId, UserAgentId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomToken, sha256 } from '../shared/random.js';

export type BegunExternalSignIn =
  | { readonly kind: 'begun'; readonly url: string; readonly provider: string }
  | { readonly kind: 'unavailable' }
  /** There is no such provider for this sign-in, or not any more. */
  | { readonly kind: 'unknown' };

const NOTHING_HANDED_ON: HandedOn = { prompts: [], uiLocales: [], acrValues: [] };
/** A session that lives on there says nothing about who is here, where a provider does not tell how old it is. */
const ASKED_ANEW: HandedOn = { ...NOTHING_HANDED_ON, maxAge: FRESH_SECONDS, prompts: ['login'] };

/**
 * The external-sign-in module: people come in by a provider. It begins with a row that only the browser that began it can
 * take back, once, in an answer at the address of that very provider (RFC 9700 §4.4): state, nonce and the verifier of PKCE
 * are in it, none of them is ever used twice, and an answer to another browser or provider finds nothing.
 */
@Injectable()
export class BeginExternalSignIn {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly identities: UserIdentitiesStore,
    private readonly signIns: ExternalSignInsStore,
    private readonly client: ProviderClient,
    private readonly saml: SamlClient,
    private readonly instance: InstanceStore,
    private readonly log: Log,
  ) {}

  /** @param hint the name that was typed, where the application gave none */
  async inFlow(
    flow: Flow,
    id: IdentityProviderId,
    addresses: ServiceProviderAddresses,
    hint: string | undefined,
  ): Promise<BegunExternalSignIn> {
    const orgId = await this.organizationOf(flow);
    const provider = orgId && (await this.providers.findUsable(orgId, id));
    if (provider === undefined || !serves(provider, flow)) return { kind: 'unknown' };
    const { request } = flow;
    const asked: HandedOn =
      request === undefined
        ? // a sign-in of our own for one organization is how somebody confirms who they are (/account/confirm)
          { ...(flow.required === undefined ? NOTHING_HANDED_ON : ASKED_ANEW), loginHint: hint }
        : {
            prompts: request.prompts,
            loginHint: hint ?? request.loginHint,
            uiLocales: request.uiLocales,
            maxAge: request.maxAge,
            acrValues: request.acrValues ?? [],
          };
    return await this.begin(provider, flow.agent.id, { flowId: flow.id }, asked, addresses);
  }

  /** Of somebody who is signed in, and adds an identity to their account. */
  async toLink(
    orgId: OrgId,
    userAgentId: UserAgentId,
    purpose: ExternalPurpose,
    id: IdentityProviderId,
    addresses: ServiceProviderAddresses,
  ): Promise<BegunExternalSignIn> {
    const provider = await this.providers.findUsable(orgId, id);
    if (provider === undefined || !provider.allowLinking) return { kind: 'unknown' };
    if (provider.orgId !== null && provider.orgId !== orgId) return { kind: 'unknown' };
    return await this.begin(provider, userAgentId, purpose, NOTHING_HANDED_ON, addresses);
  }

  /**
   * Of somebody who is signed in, and shows once more who they are by an identity that they have (`TakeOwnIdentity`).
   */
  async toConfirm(
    { id: confirmSessionId, orgId, userId, userAgentId }: Session,
    id: IdentityProviderId,
    addresses: ServiceProviderAddresses,
  ): Promise<BegunExternalSignIn> {
    const own = await this.identities.listOfUser(orgId, userId);
    const provider = await this.providers.findUsable(orgId, id);
    if (provider === undefined || !own.some(({ providerId }) => providerId === id))
      return { kind: 'unknown' };
    return await this.begin(provider, userAgentId, { confirmSessionId }, ASKED_ANEW, addresses);
  }

  /** Where people sign in: whose users they are, if a provider of the instance makes them. */
  async organizationOf({
    required,
    application,
  }: Pick<Flow, 'required' | 'application'>): Promise<OrgId | undefined> {
    if (required !== undefined) return required.id;
    return application?.orgId ?? (await this.instance.read()).defaultOrgId;
  }

  private async begin(
    provider: IdentityProvider,
    userAgentId: UserAgentId,
    purpose: ExternalPurpose,
    asked: HandedOn,
    addresses: ServiceProviderAddresses,
  ): Promise<BegunExternalSignIn> {
    const secrets = { state: randomToken(32), nonce: randomToken(32), codeVerifier: randomToken(32) };
    try {
      const url = await this.urlOf(provider, asked, secrets, addresses);
      const { state, ...kept } = secrets;
      const place = { providerId: provider.id, userAgentId };
      await this.signIns.add(sha256(state), place, { ...kept, purpose, maxAge: asked.maxAge });
      return { kind: 'begun', url, provider: provider.name };
    } catch (error) {
      // a discovery document that is none, or another issuer's, is no better than no answer
      if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefused)) throw error;
      this.log.warn('an identity provider is not available', {
        providerId: provider.id,
        reason: error.message,
      });
      return { kind: 'unavailable' };
    }
  }

  private async urlOf(
    provider: IdentityProvider,
    asked: HandedOn,
    secrets: ExternalSecrets,
    addresses: ServiceProviderAddresses,
  ): Promise<string> {
    if (provider.kind === 'ldap') {
      return directoryFormUrl(addresses.callbackUrl, secrets.state, asked.loginHint);
    }
    if (provider.kind !== 'saml') {
      return await this.client.authorizationUrl(provider, asked, secrets, addresses.callbackUrl);
    }
    const { state: relayState, nonce } = secrets;
    const request = { id: requestIdOf(nonce), maxAge: asked.maxAge, relayState };
    return await this.saml.requestUrl(provider, asked, request, addresses);
  }
}

/** An `ID` of XML begins with no digit. */
export function requestIdOf(nonce: string): string {
  return `_${nonce}`;
}

/** A directory has no page of its own: the form is ours, beside the address that answers of other providers come back to. */
function directoryFormUrl(callbackUrl: string, state: string, loginHint: string | undefined): string {
  const url = new URL('directory', callbackUrl);
  url.searchParams.set('state', state);
  if (loginHint !== undefined) url.searchParams.set('hint', loginHint);
  return url.href;
}

/** Where an application asks for users of one organization, a provider of another one signs nobody in. */
function serves({ orgId }: IdentityProvider, { required }: Flow): boolean {
  return orgId === null || required === undefined || required.id === orgId;
}
