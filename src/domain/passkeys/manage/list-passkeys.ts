import { Injectable } from '@nestjs/common';
import type { OrgId, UserId } from '../../shared/ids.js';
import { FindUser } from '../../users/find-user.js';
import type { Passkey } from '../passkey.js';
import { PasskeysStore } from '../passkeys.store.js';

/** The passkeys of a user, as the user and managers see them. */
@Injectable()
export class ListPasskeys {
  constructor(
    private readonly findUser: FindUser,
    private readonly passkeys: PasskeysStore,
  ) {}

  /** Oldest first. @throws ApiError not-found for the user */
  async execute(orgId: OrgId, userId: UserId): Promise<readonly Passkey[]> {
    await this.findUser.find(orgId, userId);
    return await this.passkeys.listOfUser(orgId, userId);
  }
}
