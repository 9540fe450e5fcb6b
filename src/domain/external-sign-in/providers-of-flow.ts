import { Injectable } from '@nestjs/common';
import type { Flow } from '../authorize/flow/find-flow.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore, type HomeRealm } from '../identity-providers/identity-providers.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { domainOfUserName } from '../users/names/user-name.js';

const LONGEST_NAME = 200;

/** A provider, and where people sign in by it. */
export interface ProviderInFlow {
  readonly orgId: OrgId;
  readonly provider: IdentityProvider;
}

/** Which providers people may come in by in a flow. */
@Injectable()
export class ProvidersOfFlow {
  constructor(
    private readonly instance: InstanceStore,
    private readonly providers: IdentityProvidersStore,
  ) {}

  /** Where people sign in: whose users they are, if a provider of the instance makes them. */
  async organizationOf({
    required,
    application,
  }: Pick<Flow, 'required' | 'application'>): Promise<OrgId | undefined> {
    if (required !== undefined) return required.id;
    return application?.orgId ?? (await this.instance.read()).defaultOrgId;
  }

  /**
   * The provider of whoever has an address of an organization's domain; nobody is looked up, only the domain. None where the sign-in
   * is for another organization.
   */
  async homeRealmOf({ required }: Flow, typed: string): Promise<HomeRealm | undefined> {
    const domain = typed.length > LONGEST_NAME ? null : domainOfUserName(canonicalName(typed));
    const found = domain === null ? undefined : await this.providers.findHomeRealm(domain);
    return required === undefined || required.id === found?.orgId ? found : undefined;
  }

  /**
   * Undefined for one that is switched off, too.
   *
   * @param realmOrgId whose domain led there. Their policy lets people in, and newcomers are their users: the organization of the
   * application need not know the provider.
   */
  async find(
    flow: Flow,
    id: IdentityProviderId,
    realmOrgId: OrgId | undefined,
  ): Promise<ProviderInFlow | undefined> {
    const orgId = realmOrgId ?? (await this.organizationOf(flow));
    const provider = orgId && (await this.providers.findUsable(orgId, id));
    return orgId === undefined || provider === undefined ? undefined : { orgId, provider };
  }
}
