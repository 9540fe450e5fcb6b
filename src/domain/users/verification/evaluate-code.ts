import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ChannelError } from '../../notifications/channels.js';
import { NotificationProvidersStore } from '../../notifications/providers/notification-providers.store.js';
import { ProviderChannels, type CodeCheck } from '../../notifications/providers/provider-channels.js';
import { Sealer } from '../../secrets/sealer.js';
import { ApiError } from '../../shared/errors.js';
import type { AuthRequestId, UserId } from '../../shared/ids.js';
import {
  macOfCode,
  readTypedCode,
  type FactorCodePurpose,
  type VerificationPurpose,
} from './verification-code.js';
import { VerificationCodesStore, type CodeToEvaluate } from './verification-codes.store.js';

export type CodeVerdict =
  /** The code is right and still has to be used up (`VerificationCodesStore.end`) by the change it allows. */
  | { readonly kind: 'right'; readonly code: CodeToEvaluate }
  | { readonly kind: 'wrong-code'; readonly attemptsLeft: number }
  /** Unknown, used, replaced, expired or tried too often: the page need not say which. */
  | { readonly kind: 'link-over' };

/** The provider that made the code cannot be asked. Nothing was counted, and the same code may be shown again. */
export class CodeNotChecked extends ApiError {
  constructor() {
    super('unavailable', 'The code cannot be checked right now', 'CODE-Pr0vd', 10);
  }
}

/** Holds a typed code against a link. Counting comes before comparing, so that parallel guesses win nothing. */
@Injectable()
export class EvaluateCode {
  constructor(
    private readonly codes: VerificationCodesStore,
    private readonly sealer: Sealer,
    private readonly providers: NotificationProvidersStore,
    private readonly channels: ProviderChannels,
  ) {}

  /** @throws CodeNotChecked */
  async evaluate(linkId: string, purpose: VerificationPurpose, typed: string): Promise<CodeVerdict> {
    return await this.judge(await this.codes.takeAttempt(linkId, purpose), typed);
  }

  /**
   * The same where a right code is shown more than once before it is used up: then it costs no try, and only wrong ones
   * are counted.
   */
  async evaluateAgain(linkId: string, purpose: VerificationPurpose, typed: string): Promise<CodeVerdict> {
    const verdict = await this.evaluate(linkId, purpose, typed);
    if (verdict.kind === 'right') await this.codes.giveBackAttempt(verdict.code.id);
    return verdict;
  }

  /** Against the newest code of a user; `userId` is undefined for somebody who is none. */
  async evaluateOf(
    userId: UserId | undefined,
    purpose: VerificationPurpose,
    typed: string,
  ): Promise<CodeVerdict> {
    if (userId === undefined) return { kind: 'link-over' };
    return await this.judge(await this.codes.takeAttemptOf(userId, purpose), typed);
  }

  /** Against the newest code of a user whom a token has authenticated. @throws CodeNotChecked */
  async evaluateOwn(userId: UserId, purpose: VerificationPurpose, typed: string): Promise<CodeVerdict> {
    return await this.judge(await this.codes.takeOwnAttempt(userId, purpose), typed);
  }

  /** Against the newest code that was sent for one sign-in, or one session. @throws CodeNotChecked */
  async evaluateFactor(
    userId: UserId,
    purpose: FactorCodePurpose,
    flowId: AuthRequestId,
    typed: string,
  ): Promise<CodeVerdict> {
    return await this.judge(await this.codes.takeFactorAttempt(userId, purpose, flowId), typed);
  }

  private async judge(code: CodeToEvaluate | undefined, typed: string): Promise<CodeVerdict> {
    if (code === undefined) return { kind: 'link-over' };
    const verdict = await this.compare(code, readTypedCode(typed));
    if (verdict === 'approved') return { kind: 'right', code };
    return verdict === 'ended'
      ? { kind: 'link-over' }
      : { kind: 'wrong-code', attemptsLeft: code.attemptsLeft };
  }

  private async compare(
    { codeHash, providerId, ...subject }: CodeToEvaluate,
    typed: string,
  ): Promise<CodeCheck> {
    if (codeHash !== undefined) {
      return timingSafeEqual(macOfCode(this.sealer, subject, typed), codeHash) ? 'approved' : 'wrong';
    }
    const provider = providerId && (await this.providers.findActive(providerId));
    if (provider === undefined) return 'ended';
    try {
      return await this.channels.checkCode(provider, { to: subject.target, code: typed });
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      // counted before it was asked about, and given back only now: nobody has more tries under way at once than are left
      await this.codes.giveBackAttempt(subject.id);
      throw new CodeNotChecked();
    }
  }
}
