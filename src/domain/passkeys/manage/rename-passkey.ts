import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { PasskeyId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { LockCoveredUserForUpdate } from '../../users/lock-covered-user-for-update.js';
import { UsersStore } from '../../users/users.store.js';
import { PasskeysStore } from '../passkeys.store.js';
import { passkeyNotFound, type PasskeyChange } from './remove-passkey.js';

/** A passkey gets a name that its user knows it by. */
@Injectable()
export class RenamePasskey {
  constructor(
    private readonly lock: LockCoveredUserForUpdate,
    private readonly passkeys: PasskeysStore,
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found */
  async execute(tx: Tx, change: PasskeyChange, id: PasskeyId, name: string): Promise<ResourceDetails> {
    const user = await this.lock.execute(tx, change);
    const details = await this.passkeys.rename(tx, change.orgId, change.userId, id, name);
    if (details === undefined) throw passkeyNotFound();
    const event = userEvent(change, await this.users.countChange(tx, user), 'user.human.passkey.renamed');
    await this.events.append(tx, { ...event, data: { passkeyId: id } });
    return details;
  }
}
