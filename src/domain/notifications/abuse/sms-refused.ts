import { ApiError } from '../../shared/errors.js';
import type { SmsRefusal } from './admit-sms.js';
import type { SmsRule } from './sms-meter.js';

const TEXTS: Readonly<Record<Exclude<SmsRule, 'country' | 'number_type' | 'cooldown' | 'spend'>, string>> = {
  blocked: 'numbers like this one get no SMS for now',
  user: 'to one user',
  number: 'to one number',
  prefix: 'to numbers like this one',
  address: 'for one address',
  organization: 'for one organization',
};

/** The error of a call that should have sent a message. */
export function smsRefused({ rule, retryAfterSeconds, cap }: SmsRefusal): ApiError {
  if (rule === 'country') {
    return new ApiError('failed-precondition', 'no SMS are sent to the country of this number', 'SMS-Co5xt');
  }
  if (rule === 'number_type') {
    return new ApiError('failed-precondition', 'no SMS are sent to numbers of this kind', 'SMS-Nt4pe');
  }
  const refused = (text: string, id: string): ApiError =>
    new ApiError('resource-exhausted', text, id, retryAfterSeconds);
  if (rule === 'cooldown') return codeSentAMomentAgo(retryAfterSeconds);
  if (rule === 'spend') return refused('the daily SMS limit of this organization is reached', 'SMS-Sp9end');
  if (rule === 'blocked' || cap === undefined) return refused(TEXTS.blocked, 'SMS-Bl3ck');
  return refused(`no more than ${cap.most} SMS in ${spanOf(cap.withinSeconds)} ${TEXTS[rule]}`, 'SMS-Ca4ps');
}

export function codeSentAMomentAgo(retryAfterSeconds: number | undefined): ApiError {
  return new ApiError(
    'resource-exhausted',
    'A code was sent a moment ago',
    'COMMAND-8Kd2s',
    retryAfterSeconds,
  );
}

function spanOf(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
