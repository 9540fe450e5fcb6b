import { z } from 'zod';
import { answerFrom } from '../answers.js';

/** A duration in whole seconds, as protojson writes it: `900s`. */
export function duration(least: number, most: number) {
  const rule = `must be a duration from "${least}s" to "${most}s"`;
  return z
    .string({ error: rule })
    .regex(/^[0-9]{1,9}s$/, rule)
    .transform((text) => Number(text.slice(0, -1)))
    .refine((seconds) => seconds >= least && seconds <= most, rule);
}

/** The same in an answer. */
export const shownDuration = answerFrom(z.string().regex(/^\d+s$/), (seconds: number) => `${seconds}s`);
