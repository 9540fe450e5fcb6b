import { z } from 'zod';
import { COUNTED, SMS_COUNTED } from '../../../domain/statistics/counters.js';
import { isTimeZone, RANGES } from '../../../domain/statistics/find-statistics.js';
import { shownTime } from '../answers.js';
import { idSchema } from './answer-schemas.js';

const fields = {
  range: z
    .enum(RANGES, { error: `must be one of ${RANGES.join(', ')}` })
    .default('24h')
    .meta({
      description:
        'The last 24 hours by the hour, or so many days by the day; the current one is among them.',
    }),
  timeZone: z
    .string()
    .max(64, 'is too long')
    .refine(isTimeZone, 'must be a name such as Europe/Berlin')
    .default('UTC')
    .meta({
      description:
        'Where days begin. Those of zones that are not whole hours from UTC begin with the hour after.',
    }),
};

/** Query of `GET …/statistics`. */
export const statisticsQuery = z.strictObject(fields);

export const instanceStatisticsQuery = z.strictObject({
  ...fields,
  orgId: z.string().min(1).max(200).optional().meta({ description: 'Of this organization alone.' }),
});

function countsOf<Name extends string>(names: readonly Name[]) {
  return z.object(
    Object.fromEntries(names.map((counted) => [counted, z.int().nonnegative()])) as Record<Name, z.ZodInt>,
  );
}

const counts = countsOf(COUNTED);

export const statisticsAnswer = z.object({
  periods: z
    .array(counts.extend({ start: shownTime }))
    .readonly()
    .meta({ description: 'Every hour or day of the range, oldest first; the last is not over yet.' }),
  totals: counts,
});

export const smsByOrganizationAnswer = z.object({
  organizations: z
    .array(countsOf(SMS_COUNTED).extend({ id: idSchema, name: z.string() }))
    .readonly()
    .meta({
      description:
        'Those whose SMS cost most, first; of those with equal cost, those with most SMS. Ten at most.',
    }),
});

export const STATISTICS_RULES =
  'Sign-ins, new users, messages and tokens by the hour or day. Processes add what they have counted every ten seconds; a ' +
  'process that crashes loses as much. What must be proven is in the audit log.';
