import { Injectable } from '@nestjs/common';
import type { OrgId, UserId } from '../../shared/ids.js';
import { FindUser } from '../../users/find-user.js';
import { UserIdentitiesStore, type UserIdentity } from './user-identities.store.js';

/** The identities of a user elsewhere, as the user and managers see them. */
@Injectable()
export class ListIdentities {
  constructor(
    private readonly findUser: FindUser,
    private readonly identities: UserIdentitiesStore,
  ) {}

  /** Oldest first. @throws ApiError not-found for the user */
  async execute(orgId: OrgId, userId: UserId): Promise<readonly UserIdentity[]> {
    await this.findUser.find(orgId, userId);
    return await this.identities.listOfUser(orgId, userId);
  }
}
