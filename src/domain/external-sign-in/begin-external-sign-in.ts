import { Injectable } from '@nestjs/common';
import { isConfirming, type Flow } from '../authorize/flow/find-flow.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import type { ForwardedParameters } from '../identity-providers/provider-client.js';
import { reauthenticationBy } from '../identity-providers/reauthentication.js';
import type { ServiceProviderAddresses } from '../identity-providers/saml/saml-kind.js';
import { FRESH_SECONDS } from '../sessions/proof.js';
import type { Session } from '../sessions/session.js';
import type { IdentityProviderId, OrgId, UserAgentId } from '../shared/ids.js';
import type { ExternalPurpose } from './provider-requests.store.js';
import { ProvidersOfFlow } from './providers-of-flow.js';
import { SendToProvider, type SentToProvider } from './send-to-provider.js';
import { asksAnew, doesAsAsked } from './sign-in-anew.js';
import { WaysToConfirm } from './ways-to-confirm.js';

type BegunExternalSignIn =
  | SentToProvider
  /** There is no such provider for this sign-in, or not any more. */
  | { readonly kind: 'unknown' };

const NOTHING_HANDED_ON: ForwardedParameters = { prompts: [], uiLocales: [], acrValues: [] };
/** A live session there does not prove who is at this browser if the provider does not report its age. */
const ASKED_ANEW: ForwardedParameters = { ...NOTHING_HANDED_ON, maxAge: FRESH_SECONDS, prompts: ['login'] };

/**
 * The external-sign-in module: people come in by a provider. It begins in a flow, or in the session of somebody who adds an
 * identity or confirms who they are; for each there are providers that will do, and things that a provider is asked for.
 */
@Injectable()
export class BeginExternalSignIn {
  constructor(
    private readonly providersOfFlow: ProvidersOfFlow,
    private readonly providers: IdentityProvidersStore,
    private readonly waysToConfirm: WaysToConfirm,
    private readonly sendToProvider: SendToProvider,
  ) {}

  /** @param hint the name that was typed, where the application gave none */
  async inFlow(
    flow: Flow,
    id: IdentityProviderId,
    addresses: ServiceProviderAddresses,
    hint: string | undefined,
  ): Promise<BegunExternalSignIn> {
    const realm = hint === undefined ? undefined : await this.providersOfFlow.homeRealmOf(flow, hint);
    // where the address leads is looked up, never taken from the link: a link could name any organization
    const realmOrgId = realm?.id === id ? realm.orgId : undefined;
    const provider = (await this.providersOfFlow.find(flow, id, realmOrgId))?.provider;
    if (provider === undefined || !serves(provider, flow) || !doesAsAsked(provider.kind, flow))
      return { kind: 'unknown' };
    const { request } = flow;
    const asked: ForwardedParameters =
      request === undefined
        ? { ...(isConfirming(flow) ? ASKED_ANEW : NOTHING_HANDED_ON), loginHint: hint }
        : {
            prompts: promptsFor(provider, flow, request.prompts),
            loginHint: hint ?? request.loginHint,
            uiLocales: request.uiLocales,
            maxAge: maxAgeFor(provider, flow, request.maxAge),
            acrValues: request.acrValues ?? [],
          };
    const purpose = { flowId: flow.id, realmOrgId };
    return await this.sendToProvider.execute(provider, flow.agent.id, purpose, asked, addresses);
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
    return await this.sendToProvider.execute(provider, userAgentId, purpose, NOTHING_HANDED_ON, addresses);
  }

  /**
   * Of somebody who is signed in, and shows once more who they are by an identity that they have (`TakeOwnIdentity`), at a provider
   * that says when they signed in there.
   */
  async toConfirm(
    { id: confirmSessionId, orgId, userId, userAgentId }: Session,
    id: IdentityProviderId,
    addresses: ServiceProviderAddresses,
  ): Promise<BegunExternalSignIn> {
    const { providers } = await this.waysToConfirm.of({ orgId, userId });
    const provider = providers.find((one) => one.id === id);
    if (provider === undefined) return { kind: 'unknown' };
    return await this.sendToProvider.execute(
      provider,
      userAgentId,
      { confirmSessionId },
      ASKED_ANEW,
      addresses,
    );
  }
}

/** One that need not say when somebody signed in there is asked to ask them, for a `max_age` as well. */
function promptsFor({ kind }: IdentityProvider, flow: Flow, prompts: readonly string[]): readonly string[] {
  const isAsked = asksAnew(flow) && reauthenticationBy(kind) === 'asked';
  return isAsked ? [...new Set([...prompts, 'login'])] : prompts;
}

/** One that can say when somebody signed in there is made to, for `prompt=login` as well (OpenID Connect Core §2, `auth_time`). */
function maxAgeFor({ kind }: IdentityProvider, flow: Flow, maxAge: number | undefined): number | undefined {
  const isTold = asksAnew(flow) && reauthenticationBy(kind) === 'proven';
  return maxAge ?? (isTold ? FRESH_SECONDS : undefined);
}

/** Where an application asks for users of one organization, a provider of another one signs nobody in. */
function serves({ orgId }: IdentityProvider, { required }: Flow): boolean {
  return orgId === null || required === undefined || required.id === orgId;
}
