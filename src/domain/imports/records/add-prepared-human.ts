import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { FactorsStore, type ImportedFactors } from '../../factors/factors.store.js';
import type { PasswordMaker } from '../../passwords/passwords.store.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import { UsersStore, type CreatedUser } from '../../users/users.store.js';
import { EnqueuePhoneVerification } from '../../users/verification/enqueue-phone-verification.js';
import { EnqueueVerification } from '../../users/verification/enqueue-verification.js';
import type { HumanToAdd, PreparedHuman } from './prepare-human.js';

/** Adds a human who was prepared: the user with their factors, the messages that are due, and the event. */
@Injectable()
export class AddPreparedHuman {
  constructor(
    private readonly users: UsersStore,
    private readonly factors: FactorsStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly enqueuePhoneVerification: EnqueuePhoneVerification,
    private readonly events: EventsStore,
    private readonly counters: Counters,
  ) {}

  /** @param madeBy who answers for the password, where there is one @throws ApiError already-exists */
  async execute(
    tx: Tx,
    { acting, how, human, factors, messages, sms }: PreparedHuman,
    madeBy: PasswordMaker,
  ): Promise<CreatedUser> {
    const password = human.password && { ...human.password, madeBy };
    const [created] = await this.users.addHumans(tx, [{ ...human, password }]);
    if (created === undefined) throw new Error('the import wrote no user');
    if (factors !== undefined) {
      await this.factors.addImported(tx, { orgId: human.orgId, userId: created.id }, factors);
    }
    for (const message of messages) await this.enqueueVerification.execute(tx, message);
    if (sms !== undefined) await this.enqueuePhoneVerification.execute(tx, sms.mode, sms.wanted);
    await this.events.append(tx, {
      orgId: human.orgId,
      aggregateType: 'user',
      aggregateId: created.id,
      sequence: created.details.sequence,
      type: `user.human.${how}`,
      actorId: acting.actorId,
      fields: writtenFields(human, factors),
      data: {
        state: human.state,
        passwordScheme: human.password?.scheme ?? null,
        passwordWeak: human.password?.weak ?? null,
      },
    });
    this.counters.addAfterCommit(tx, human.orgId, 'newUsers');
    return created;
  }
}

/** Names only: the log of what happened is no second copy of personal data. */
function writtenFields({ profile, phone, password }: HumanToAdd, factors?: ImportedFactors): string[] {
  const { totpSecret, recoveryCodes = [], codeFactors = [] } = factors ?? {};
  const other = [
    phone && 'phone',
    password && 'password',
    totpSecret && 'totpSecret',
    recoveryCodes.length > 0 ? 'recoveryCodes' : undefined,
    codeFactors.length > 0 ? 'codeFactors' : undefined,
  ].filter((name) => name !== undefined);
  return ['userName', 'email', ...other, ...Object.keys(profile).sort()];
}
