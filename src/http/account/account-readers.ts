import { Injectable } from '@nestjs/common';
import type { OrganizationBranding } from '../../domain/organizations/organization-branding.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import type { Session } from '../../domain/sessions/session.js';
import type { HumanUser, UserRecord } from '../../domain/users/user.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { CallerLimits } from '../shared/caller-limits.js';

export interface AccountReader {
  readonly user: UserRecord & HumanUser;
  readonly organization: OrganizationBranding | undefined;
}

/** Who reads the pages of an account, as often as one user may. */
@Injectable()
export class AccountReaders {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsStore,
    private readonly limits: CallerLimits,
  ) {}

  /** Undefined for a user who is no person, or not any more. @throws ApiError resource-exhausted */
  async admit({ orgId, userId }: Session): Promise<AccountReader | undefined> {
    const user = await this.users.find(orgId, userId);
    if (user?.type !== 'human') return undefined;
    await this.limits.admit(user.id);
    const asked = await this.organizations.findAsked({ by: 'id', value: orgId });
    return { user, organization: asked?.branding };
  }
}
