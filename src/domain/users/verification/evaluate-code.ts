import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Sealer } from '../../secrets/sealer.js';
import type { UserId } from '../../shared/ids.js';
import { macOfCode, readTypedCode, type VerificationPurpose } from './verification-code.js';
import { type CodeToEvaluate, VerificationCodesStore } from './verification-codes.store.js';

export type CodeVerdict =
  /** The code is right and still has to be used up (`VerificationCodesStore.end`) by the change it allows. */
  | { readonly kind: 'right'; readonly code: CodeToEvaluate }
  | { readonly kind: 'wrong-code'; readonly attemptsLeft: number }
  /** Unknown, used, replaced, expired or tried too often: the page need not tell which. */
  | { readonly kind: 'link-over' };

/** Holds a typed code against a link. Counting comes before comparing, so that parallel guesses win nothing. */
@Injectable()
export class EvaluateCode {
  constructor(
    private readonly codes: VerificationCodesStore,
    private readonly sealer: Sealer,
  ) {}

  async evaluate(linkId: string, purpose: VerificationPurpose, typed: string): Promise<CodeVerdict> {
    return this.judge(await this.codes.takeAttempt(linkId, purpose), typed);
  }

  /** Against the newest code of a user; `userId` is undefined for somebody who is none. */
  async evaluateOf(
    userId: UserId | undefined,
    purpose: VerificationPurpose,
    typed: string,
  ): Promise<CodeVerdict> {
    if (userId === undefined) return { kind: 'link-over' };
    return this.judge(await this.codes.takeAttemptOf(userId, purpose), typed);
  }

  private judge(code: CodeToEvaluate | undefined, typed: string): CodeVerdict {
    if (code === undefined) return { kind: 'link-over' };
    const given = macOfCode(this.sealer, code, readTypedCode(typed));
    if (timingSafeEqual(given, code.codeHash)) return { kind: 'right', code };
    return { kind: 'wrong-code', attemptsLeft: code.attemptsLeft };
  }
}
