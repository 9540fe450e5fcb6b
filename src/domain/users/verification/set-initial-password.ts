import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { EvaluateCode } from './evaluate-code.js';
import { SetPasswordWithCode, type SetPasswordResult } from './set-password-with-code.js';

interface SetInitialPasswordCommand {
  /** `id` of the mail's link. */
  readonly linkId: string;
  /** Of the link, as the page read it. */
  readonly orgId: OrgId;
  readonly code: string;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
}

type SetInitialPasswordResult =
  | {
      readonly kind: 'done';
      readonly orgId: OrgId;
      readonly userId: UserId;
      /** The address that the code verified, if it was sent to one. */
      readonly email: string | undefined;
    }
  | Exclude<SetPasswordResult, { kind: 'done' }>;

/**
 * The first password of an imported user, set with the code of the initialisation mail. It verifies the address
 * as well and makes the user active. A code that the command line handed out (`HandOutLink`) verifies none.
 */
@Injectable()
export class SetInitialPassword {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly setPassword: SetPasswordWithCode,
    private readonly events: EventsStore,
  ) {}

  /** Throws HashingOverloaded. */
  async execute(command: SetInitialPasswordCommand): Promise<SetInitialPasswordResult> {
    const result = await this.setPassword.execute({
      password: command.password,
      source: command.source,
      shownRulesOf: command.orgId,
      evaluate: () => this.evaluateCode.evaluate(command.linkId, 'initialise', command.code),
      onStored: (tx, { orgId, userId, provesAddress }, { sequence }) =>
        this.events.append(tx, {
          orgId,
          aggregateType: 'user',
          aggregateId: userId,
          sequence,
          type: 'user.human.initialised',
          actorId: userId,
          fields: ['password', ...(provesAddress ? ['emailVerified'] : []), 'state'],
        }),
    });
    if (result.kind !== 'done') return result;
    const { orgId, userId, target, provesAddress } = result.code;
    return { kind: 'done', orgId, userId, email: provesAddress ? target : undefined };
  }
}
