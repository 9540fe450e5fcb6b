import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import type { ResourceDetails } from '../shared/details.js';
import type { AuthRequestId, OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EvaluateCode, type CodeVerdict } from '../users/verification/evaluate-code.js';
import { SetPasswordWithCode, type SetPasswordResult } from '../users/verification/set-password-with-code.js';
import type { CodeToEvaluate } from '../users/verification/verification-codes.store.js';
import { ResponseTimePadding } from './response-time-padding.js';

/** Which code a typed one is held against: that of a mail's link, or the newest one of a user, if it is one. */
export type ResetSubject =
  { readonly linkId: string } | { readonly linkId?: undefined; readonly userId: UserId | undefined };

interface ResetPasswordCommand {
  readonly subject: ResetSubject;
  readonly code: string;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
  /** Whose rules the page showed. */
  readonly shownRulesOf: OrgId;
}

export type ResetPasswordResult =
  | {
      readonly kind: 'done';
      /** The address that the code verified, if it was sent to one. */
      readonly email: string | undefined;
      /** The sign-in that the code was asked for in, perhaps in another browser, perhaps over. */
      readonly flowId: AuthRequestId | undefined;
    }
  | Exclude<SetPasswordResult, { kind: 'done' }>;

/**
 * A new password in place of a forgotten one. Whoever had the old one loses access: the token epoch rises, so every session,
 * refresh token, access token and code of the user is invalid when the transaction commits (security S058), and the owner
 * is notified by mail.
 */
@Injectable()
export class ResetPassword {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly setPassword: SetPasswordWithCode,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly events: EventsStore,
    private readonly responseTimePadding: ResponseTimePadding,
  ) {}

  /** Throws HashingOverloaded. */
  async execute({
    subject,
    code,
    password,
    source,
    shownRulesOf,
  }: ResetPasswordCommand): Promise<ResetPasswordResult> {
    const startedAt = performance.now();
    const result = await this.setPassword.execute({
      password,
      source,
      shownRulesOf,
      evaluate: () => this.evaluate(subject, code),
      onStored: (tx, used, details) => this.recordReset(tx, used, details),
    });
    if (result.kind === 'done') {
      const { target, provesAddress, flowId } = result.code;
      return { kind: 'done', email: provesAddress ? target : undefined, flowId };
    }
    await this.responseTimePadding.settle(startedAt);
    return result;
  }

  private async evaluate(subject: ResetSubject, code: string): Promise<CodeVerdict> {
    return subject.linkId === undefined
      ? await this.evaluateCode.evaluateOf(subject.userId, 'reset_password', code)
      : await this.evaluateCode.evaluate(subject.linkId, 'reset_password', code);
  }

  private async recordReset(
    tx: Tx,
    { orgId, userId, provesAddress }: CodeToEvaluate,
    { sequence }: ResourceDetails,
  ): Promise<void> {
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'password_changed' });
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence,
      type: 'user.human.password.reset',
      actorId: userId,
      fields: ['password', ...(provesAddress ? ['emailVerified'] : [])],
    });
  }
}
