import { Injectable } from '@nestjs/common';
import type { Flow } from '../authorize/find-flow.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';

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

  /** Undefined for one that is switched off, too. */
  async find(flow: Flow, id: IdentityProviderId): Promise<ProviderInFlow | undefined> {
    const orgId = await this.organizationOf(flow);
    const provider = orgId && (await this.providers.findUsable(orgId, id));
    return orgId === undefined || provider === undefined ? undefined : { orgId, provider };
  }
}
