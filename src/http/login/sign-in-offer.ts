import { Injectable } from '@nestjs/common';
import type { Flow } from '../../domain/authorize/find-flow.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { readReservedScopes } from '../../domain/tokens/reserved-scopes.js';
import { canonicalName } from '../../domain/users/canonical-name.js';
import { domainOfUserName } from '../../domain/users/user-name.js';
import { inFlow } from './flow-pages.js';
import { RegistrationOffer, type Offer } from './registration-offer.js';

export interface SignInWays {
  /** For somebody without an account. */
  readonly offer: Offer | undefined;
  readonly providers: readonly { readonly name: string; readonly url: string }[];
  /** One of them is the one for addresses of the organization's domains. */
  readonly hasHomeRealm: boolean;
}

const LONGEST_NAME = 200;

/** What a sign-in page offers besides the form: providers, and an account for who has none. One statement reads both. */
@Injectable()
export class SignInOffer {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly registration: RegistrationOffer,
    private readonly begin: BeginExternalSignIn,
  ) {}

  async find(flow: Flow): Promise<SignInWays> {
    const orgId = await this.begin.organizationOf(flow);
    if (orgId === undefined) return { offer: undefined, providers: [], hasHomeRealm: false };
    const { policy, providers } = await this.providers.findTerms(orgId);
    return {
      offer: await this.registration.under(orgId, policy),
      hasHomeRealm: providers.some(({ homeRealm }) => homeRealm),
      providers: providers.map(({ id, name }) => ({ name, url: startUrl(flow, id) })),
    };
  }

  /**
   * Where somebody who has just come is sent at once: to the provider that the application names (protocol §6.2), or to that of
   * the address that it names, as long as nothing keeps them here.
   */
  async elsewhere(flow: Flow, { hasHomeRealm }: SignInWays): Promise<string | undefined> {
    const { request, pendingIdentity } = flow;
    if (request === undefined || pendingIdentity !== undefined) return undefined;
    const { identityProvider } = readReservedScopes(request.scopes);
    if (identityProvider !== undefined) return startUrl(flow, identityProvider as IdentityProviderId);
    const { loginHint } = request;
    if (!hasHomeRealm || loginHint === undefined) return undefined;
    return (await this.homeRealmOf(flow, loginHint))?.url;
  }

  /** The provider of whoever has an address of an organization's domain; nobody is looked up, only the domain. */
  async homeRealmOf(
    flow: Flow,
    typed: string,
  ): Promise<{ readonly url: string; readonly provider: string } | undefined> {
    const domain = typed.length > LONGEST_NAME ? null : domainOfUserName(canonicalName(typed));
    const found = domain === null ? undefined : await this.providers.findHomeRealm(domain);
    if (found === undefined) return undefined;
    if (flow.required !== undefined && flow.required.id !== found.orgId) return undefined;
    return { url: startUrl(flow, found.id, { hint: typed.trim() }), provider: found.name };
  }
}

function startUrl(
  flow: Flow,
  id: IdentityProviderId,
  parameters: Readonly<Record<string, string>> = {},
): string {
  return inFlow(`/login/idps/${encodeURIComponent(id)}`, flow, parameters);
}
