import { Injectable } from '@nestjs/common';
import type { UserId } from '../shared/ids.js';
import { userNotFound } from '../users/find-user.js';
import { provisioned, type ProvisionedUser } from './provisioned-user.js';
import { ProvisioningStore } from './provisioning.store.js';
import type { ScimToken } from './scim-tokens.store.js';

/** The users of an organization as its directory sees them. */
@Injectable()
export class FindProvisionedUsers {
  constructor(private readonly provisioning: ProvisioningStore) {}

  /** @throws ApiError not-found, also for a service user */
  async find(token: ScimToken, id: UserId): Promise<ProvisionedUser> {
    const byId = [{ field: 'id', values: [id] }] as const;
    const [found] = (await this.search(token, byId, { offset: 0, limit: 1 })).items;
    if (found === undefined) throw userNotFound();
    return found;
  }

  /** @throws ApiError resource-exhausted when it takes too long */
  async search(
    { orgId, projectId }: ScimToken,
    filters: Parameters<ProvisioningStore['searchUsers']>[1],
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly ProvisionedUser[]; readonly total: number }> {
    const { items, total } = await this.provisioning.searchUsers(orgId, filters, page);
    const ids = items.map(({ id }) => id);
    const entries = await this.provisioning.entriesOf(orgId, ids);
    const groups = projectId === null ? undefined : await this.provisioning.groupsOf(orgId, projectId, ids);
    const seen = items.map((user) => provisioned(user, entries.get(user.id), groups?.get(user.id)));
    return { items: seen, total };
  }
}
