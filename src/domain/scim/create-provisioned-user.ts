import { Injectable } from '@nestjs/common';
import { ChangeUserState } from '../accounts/change-user-state.js';
import { ImportHumanUser } from '../imports/records/import-human-user.js';
import { inPerson } from '../permissions/acting.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { HumanProfile } from '../users/user.js';
import { FindProvisionedUsers } from './find-provisioned-users.js';
import type { ProvisionedUser, WantedProfile, WantedUser } from './provisioned-user.js';
import { ProvisioningStore } from './provisioning.store.js';
import { actorOf } from './scim-tokens.js';
import type { ScimToken } from './scim-tokens.store.js';

/** Creates a user for a directory, as a manager who adds one does. */
@Injectable()
export class CreateProvisionedUser {
  constructor(
    private readonly importHumanUser: ImportHumanUser,
    private readonly provisioning: ProvisioningStore,
    private readonly changeState: ChangeUserState,
    private readonly users: FindProvisionedUsers,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws ApiError already-exists, invalid-argument, HashingOverloaded */
  async execute(token: ScimToken, wanted: WantedUser, source: string): Promise<ProvisionedUser> {
    const { orgId, trustsEmails: verified } = token;
    const { userName, externalId, profile, email, phone, password: plain } = wanted;
    const record = {
      userName,
      profile: given(profile),
      email: { address: email, verified },
      ...(typeof phone === 'string' && { phone: { number: phone, verified: false } }),
      ...(plain !== undefined && { password: { kind: 'plain', plain, changeRequired: false } as const }),
    };
    const acting = inPerson(actorOf(token));
    const asked = { orgId, ...acting, record, source, how: 'added' } as const;
    // a directory is full of numbers of people who did not ask for a message
    const { sms: _, ...human } = await this.importHumanUser.prepare(asked);
    const id = await this.unitOfWork.run(async (tx) => {
      const { id: userId } = await this.importHumanUser.store(tx, human);
      await this.provisioning.putEntry(tx, orgId, userId, { externalId, userName, wasLocked: false });
      if (wanted.active === false) await this.changeState.deactivate(tx, { orgId, userId, ...acting });
      return userId;
    });
    return await this.users.find(token, id);
  }
}

function given(profile: WantedProfile): HumanProfile {
  const members = Object.entries(profile).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as unknown as HumanProfile;
}
