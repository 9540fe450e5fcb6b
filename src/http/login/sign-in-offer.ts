import { Injectable } from '@nestjs/common';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { ProvidersOfFlow } from '../../domain/external-sign-in/providers-of-flow.js';
import { asksAnew, doesAsAsked } from '../../domain/external-sign-in/sign-in-anew.js';
import {
  IdentityProvidersStore,
  type OfferedProvider,
} from '../../domain/identity-providers/identity-providers.store.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import type { IdentityProviderId, OrgId } from '../../domain/shared/ids.js';
import { readReservedScopes } from '../../domain/tokens/scopes/reserved-scopes.js';
import { inFlow } from './flow-pages.js';
import { RegistrationOffer, type Offer } from './registration-offer.js';

export interface SignInWays {
  /** For somebody without an account. */
  readonly offer: Offer | undefined;
  readonly providers: readonly { readonly name: string; readonly url: string }[];
  /** Providers that cannot enforce a fresh sign-in, if the application requires one. */
  readonly notAnew: readonly string[];
  /** One of them is the one for addresses of the organization's domains. */
  readonly hasHomeRealm: boolean;
  /** Where people sign in; undefined before the first set-up. */
  readonly orgId: OrgId | undefined;
  /** The application names a provider of another organization: one of the buttons, that nobody is sent on by. */
  readonly namesForeign: boolean;
}

/** What a sign-in page offers besides the form: providers, and an account for who has none. One statement reads both. */
@Injectable()
export class SignInOffer {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly registration: RegistrationOffer,
    private readonly providersOfFlow: ProvidersOfFlow,
    private readonly orgs: OrganizationsStore,
  ) {}

  async find(flow: Flow): Promise<SignInWays> {
    const orgId = await this.providersOfFlow.organizationOf(flow);
    if (orgId === undefined) {
      return {
        offer: undefined,
        providers: [],
        notAnew: [],
        hasHomeRealm: false,
        orgId,
        namesForeign: false,
      };
    }
    const { policy, providers } = await this.providers.findTerms(orgId);
    const foreign = await this.foreignOf(flow, orgId);
    const isOne = ({ kind }: OfferedProvider): boolean => doesAsAsked(kind, flow);
    const own = providers.filter(isOne).map(({ id, name }) => ({ name, url: startUrl(flow, id) }));
    return {
      orgId,
      namesForeign: foreign !== undefined,
      offer: await this.registration.under(orgId, policy),
      notAnew: providers.filter((provider) => !isOne(provider)).map(({ name }) => name),
      hasHomeRealm: providers.some(({ homeRealm }) => homeRealm),
      providers: foreign === undefined ? own : [...own, foreign],
    };
  }

  /**
   * Where somebody who has just come is sent at once: to the provider that the application names (protocol §6.2), or to that of
   * the address that it names, as long as nothing keeps them here. Never to one of another organization: a link would be enough
   * for whoever runs any organization to sign a browser in as somebody of theirs.
   */
  async elsewhere(
    flow: Flow,
    { hasHomeRealm, orgId, namesForeign }: SignInWays,
  ): Promise<string | undefined> {
    const { request, pendingIdentity } = flow;
    if (request === undefined || pendingIdentity !== undefined || namesForeign) return undefined;
    const identityProvider = namedProvider(flow);
    if (identityProvider !== undefined) {
      const named = asksAnew(flow)
        ? await this.providersOfFlow.find(flow, identityProvider, undefined)
        : undefined;
      if (named !== undefined && !doesAsAsked(named.provider.kind, flow)) return undefined;
      return startUrl(flow, identityProvider);
    }
    const { loginHint } = request;
    if (!hasHomeRealm || loginHint === undefined) return undefined;
    const found = await this.homeRealmOf(flow, loginHint);
    return found?.orgId === orgId ? found?.url : undefined;
  }

  /** The provider of whoever has an address of an organization's domain; nobody is looked up, only the domain. */
  async homeRealmOf(
    flow: Flow,
    typed: string,
  ): Promise<{ readonly orgId: OrgId; readonly url: string; readonly provider: string } | undefined> {
    const found = await this.providersOfFlow.homeRealmOf(flow, typed);
    if (found === undefined || !doesAsAsked(found.kind, flow)) return undefined;
    const url = startUrl(flow, found.id, { hint: typed.trim() });
    return { orgId: found.orgId, url, provider: found.name };
  }

  /** A provider of another organization that the application names, called by its organization as well. */
  private async foreignOf(flow: Flow, orgId: OrgId): Promise<SignInWays['providers'][number] | undefined> {
    const id = namedProvider(flow);
    if (id === undefined || flow.required !== undefined) return undefined;
    const provider = await this.providers.findUsable(orgId, id);
    if (provider === undefined || provider.orgId === null || provider.orgId === orgId) return undefined;
    if (!doesAsAsked(provider.kind, flow)) return undefined;
    const organization = await this.orgs.find(provider.orgId);
    return { name: `${provider.name} (${organization?.name ?? provider.orgId})`, url: startUrl(flow, id) };
  }
}

function namedProvider({ request }: Flow): IdentityProviderId | undefined {
  return request && (readReservedScopes(request.scopes).identityProvider as IdentityProviderId | undefined);
}

function startUrl(
  flow: Flow,
  id: IdentityProviderId,
  parameters: Readonly<Record<string, string>> = {},
): string {
  return inFlow(`/login/idps/${encodeURIComponent(id)}`, flow, parameters);
}
