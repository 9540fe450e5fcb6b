import { ApiError } from '../shared/errors.js';
import type { FactorPolicy } from './factor-policy.js';

/** Whether anything on this instance sends SMS. Mails are another matter: no instance does without. */
export abstract class SmsDelivery {
  abstract isPossible(): Promise<boolean>;
}

/**
 * A policy that requires a factor and lists none that anybody could set up would let nobody in, those among them who would
 * have to change it.
 *
 * @throws ApiError failed-precondition
 */
export async function requireReachableKind(
  delivery: SmsDelivery,
  { secondFactor, kinds }: FactorPolicy,
): Promise<void> {
  if (secondFactor !== 'required' || kinds.some((kind) => kind !== 'sms')) return;
  if (await delivery.isPossible()) return;
  throw new ApiError(
    'failed-precondition',
    'A second factor is required, kinds lists SMS alone, and nothing here sends SMS: set up a provider first, or list another kind',
    'POLICY-5Kd2r',
  );
}
