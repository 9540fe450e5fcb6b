import { Injectable } from '@nestjs/common';
import type { Flow } from '../../authorize/flow/find-flow.js';
import { ApiError } from '../../shared/errors.js';
import { ResponseTimePadding } from '../../sign-in/response-time-padding.js';
import { RegistrationCodes } from '../registration-codes.js';
import { RegistrationsStore } from '../registrations.store.js';
import { ExplainTakenName, type TakenName } from './explain-taken-name.js';
import { SignInRegistered, type SignedInRegistered } from './sign-in-registered.js';

interface FinishRegistrationCommand {
  readonly id: string;
  readonly code: string;
  /** The sign-in that it began in, found for this browser; the cookie's value goes with it. */
  readonly flow: Flow;
  readonly userAgentSecret: string;
}

type FinishRegistrationResult =
  | SignedInRegistered
  | TakenName
  | { readonly kind: 'wrong-code' }
  /** Unknown, used, expired or tried too often. */
  | { readonly kind: 'over' };

/** Takes the code of a registration: whoever has it has the mailbox, and gets the account. */
@Injectable()
export class FinishRegistration {
  constructor(
    private readonly registrations: RegistrationsStore,
    private readonly codes: RegistrationCodes,
    private readonly signInRegistered: SignInRegistered,
    private readonly explainTakenName: ExplainTakenName,
    private readonly responseTimePadding: ResponseTimePadding,
  ) {}

  async execute({
    id,
    code,
    flow,
    userAgentSecret,
  }: FinishRegistrationCommand): Promise<FinishRegistrationResult> {
    const startedAt = performance.now();
    // counting comes before comparing, so that parallel guesses win nothing
    const attempt = await this.registrations.takeAttempt(id);
    const isRight =
      attempt !== undefined && this.codes.isRight(id, attempt.names.email, attempt.codeHash, code);
    if (!isRight) {
      await this.responseTimePadding.settle(startedAt);
      return { kind: attempt === undefined ? 'over' : 'wrong-code' };
    }
    try {
      return await this.signInRegistered.execute(id, flow, userAgentSecret);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return await this.explainTakenName.execute(id, flow, attempt.names, error);
    }
  }
}
