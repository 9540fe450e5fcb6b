import { Injectable } from '@nestjs/common';
import { inPerson } from '../../permissions/acting.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { EvaluateCode, type CodeVerdict } from '../../users/verification/evaluate-code.js';
import { CodeRefused } from '../../users/verification/use-email-code.js';
import type { CodeToEvaluate } from '../../users/verification/verification-codes.store.js';
import { passkeyRefusalOf, type PasskeyRefusal } from '../passkey-refusal.js';
import type { RegisteringUser } from '../register/keep-passkey.js';
import { RegisterPasskey, type RegistrationOptions } from '../register/register-passkey.js';
import type { RegistrationResponse } from '../webauthn.js';
import { UsePasskeyLink } from './use-passkey-link.js';

/** A link that somebody opened, and the browser that they opened it in. */
export interface OpenedPasskeyLink {
  readonly linkId: string;
  readonly code: string;
  readonly userAgentId: string;
}

type NoLink = Exclude<CodeVerdict, { kind: 'right' }>['kind'];

/**
 * A passkey added by a one-time link (`MakePasskeyLink`): the link proves the person, and the passkey, whose authenticator
 * must have checked its user, signs them in from then on. Neither opening the page nor asking for a challenge uses the link
 * up; that is done in the transaction that stores the passkey, so that of two who answer at once one gets in.
 */
@Injectable()
export class RegisterByLink {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly usePasskeyLink: UsePasskeyLink,
    private readonly registerPasskey: RegisterPasskey,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  async begin(opened: OpenedPasskeyLink): Promise<RegistrationOptions | NoLink> {
    const verdict = await this.evaluate(opened);
    if (verdict.kind !== 'right') return verdict.kind;
    return await this.registerPasskey.begin(whoOf(verdict.code, opened), 'required');
  }

  /** @returns why it was not kept */
  async finish(
    opened: OpenedPasskeyLink,
    answer: RegistrationResponse,
    name: string,
  ): Promise<PasskeyRefusal | NoLink | undefined> {
    const verdict = await this.evaluate(opened);
    if (verdict.kind !== 'right') return verdict.kind;
    const { code } = verdict;
    try {
      const store = await this.registerPasskey.prepare(whoOf(code, opened), answer, 'required');
      await this.unitOfWork.run(async (tx) => {
        await this.usePasskeyLink.execute(tx, code);
        await store(tx, name);
      });
      return undefined;
    } catch (error) {
      if (error instanceof CodeRefused) return 'link-over';
      const refusal = passkeyRefusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }

  private async evaluate({ linkId, code }: OpenedPasskeyLink): Promise<CodeVerdict> {
    return await this.evaluateCode.evaluateAgain(linkId, 'register_passkey', code);
  }
}

function whoOf(
  { id, orgId, userId, madeBy }: CodeToEvaluate,
  { userAgentId }: OpenedPasskeyLink,
): RegisteringUser {
  return { orgId, userId, session: `link ${id}`, userAgentId, linkMadeBy: madeBy ?? '', ...inPerson(userId) };
}
