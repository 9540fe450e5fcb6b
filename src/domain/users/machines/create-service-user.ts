import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { ApiError } from '../../shared/errors.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { canonicalName } from '../canonical-name.js';
import { requirePlainText } from '../text-rules.js';
import { domainOfUserName, userNameIn } from '../user-name.js';
import { type CreatedUser, UsersStore } from '../users.store.js';
import type { ServiceUserSettings } from './service-users.store.js';

export interface ServiceUserPlan extends ServiceUserSettings {
  readonly orgId: OrgId;
  /** Given by the caller, or made. */
  readonly userId: UserId | undefined;
  readonly userName: string;
}

/** Room in the index that keeps names unique. */
const LONGEST_CANONICAL_BYTES = 1000;
/** What we make ids of: projects and clients are named by digits alone. */
const LIKE_AN_ID = /^[0-9]+$/;

/** Adds a program's account; what it proves itself with is added to it afterwards. */
@Injectable()
export class CreateServiceUser {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError invalid-argument, already-exists for the name or the id */
  async execute(tx: Tx, plan: ServiceUserPlan, actorId: UserId | null): Promise<CreatedUser> {
    const { orgId, userId: id } = plan;
    const [reserved] = await this.users.reserve([domainOfUserName(plan.userName)], tx);
    const userName = userNameIn(orgId, plan.userName, reserved?.domainOwner);
    requireServiceUserName(userName);
    const created = await this.users.addMachine(tx, {
      ...(id === undefined ? {} : { id }),
      orgId,
      userName,
      canonicalUserName: canonicalName(userName),
      name: plan.name,
      description: plan.description ?? null,
      accessTokenType: plan.accessTokenType,
    });
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: created.id,
      sequence: created.details.sequence,
      type: 'user.machine.added',
      actorId,
    });
    return created;
  }
}

/**
 * The name is the `client_id` of the user's tokens, and their audience where they ask for none (contract §7.2). A name
 * that could be a client's or a project's id would let its tokens pass for that client's.
 */
function requireServiceUserName(userName: string): void {
  requirePlainText('userName', userName);
  const canonical = canonicalName(userName);
  if (canonical === '') throw new ApiError('invalid-argument', 'userName is required');
  if (Buffer.byteLength(canonical) > LONGEST_CANONICAL_BYTES) {
    const text = 'userName is too long when its compatibility forms are written out';
    throw new ApiError('invalid-argument', text);
  }
  if (LIKE_AN_ID.test(canonical)) {
    throw new ApiError('invalid-argument', 'userName must not consist of digits alone');
  }
}
