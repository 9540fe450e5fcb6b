import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { EvaluateCode, type CodeVerdict } from './evaluate-code.js';
import { CodeRefused } from './use-email-code.js';
import { UsePhoneCode } from './use-phone-code.js';

type VerifyPhoneResult = { readonly kind: 'done' } | Exclude<CodeVerdict, { kind: 'right' }>;

/** Verifies a number with the link of the SMS that was sent to it: the code proves the person. */
@Injectable()
export class VerifyPhone {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly usePhoneCode: UsePhoneCode,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Counts the try. @throws CodeNotChecked */
  async execute(linkId: string, typedCode: string): Promise<VerifyPhoneResult> {
    const verdict = await this.evaluateCode.evaluate(linkId, 'verify_phone', typedCode);
    if (verdict.kind !== 'right') return verdict;
    const { code } = verdict;
    try {
      await this.unitOfWork.run((tx) => this.usePhoneCode.execute(tx, code));
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: 'link-over' };
      throw error;
    }
    return { kind: 'done' };
  }
}
