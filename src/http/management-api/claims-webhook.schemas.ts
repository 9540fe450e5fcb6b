import { z } from 'zod';
import type { ClaimsWebhook, ClaimsWebhookPlan } from '../../domain/claims-webhook/claims-webhook.js';
import type {
  ClaimsWebhookTest,
  PutClaimsWebhook,
} from '../../domain/claims-webhook/manage-claims-webhook.js';
import { line } from '../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfChange, detailsOfRecord, shownTime } from '../shared/answers.js';
import { duration, shownDuration } from '../shared/schemas/duration.js';

const LONGEST_SECONDS = 3;
const FALLBACKS = ['issue', 'refuse'] as const;
const fallback = z.enum(FALLBACKS, { error: `must be one of ${FALLBACKS.join(', ')}` });

/** Body of `claims_webhook` PUT. */
export const claimsWebhookBody = z
  .strictObject({
    url: line(2000).meta({ description: 'https; put no secret into it.' }),
    timeout: duration(1, LONGEST_SECONDS)
      .optional()
      .meta({ description: `"1s" unless given, "${LONGEST_SECONDS}s" at most: people wait for it.` }),
    onFailure: fallback.default('issue').meta({
      description: '`issue`: tokens without its claims. `refuse`: the error temporarily_unavailable.',
    }),
  })
  .meta({ examples: [{ url: 'https://hooks.example.com/claims', timeout: '1s', onFailure: 'issue' }] })
  .transform(({ timeout = 1, ...plan }): ClaimsWebhookPlan => ({
    ...plan,
    timeoutSeconds: timeout,
  }));

/** Of PUT: a secret, shown this once, where there was none. */
export const putClaimsWebhookAnswer = answerFrom(
  z.object({ details: detailsOfChange, secret: z.string().optional() }),
  (put: PutClaimsWebhook) => put,
);

export const claimsWebhookAnswer = answerFrom(
  z.object({
    details: detailsOfRecord,
    url: z.string(),
    timeout: shownDuration,
    onFailure: z.enum(FALLBACKS),
    formerSecretUntil: shownTime
      .optional()
      .meta({ description: 'Until then the secret before this one signs as well.' }),
  }),
  ({ details, url, timeoutSeconds, onFailure, formerSecretUntil }: ClaimsWebhook) => ({
    details,
    url,
    timeout: timeoutSeconds,
    onFailure,
    formerSecretUntil: formerSecretUntil ?? undefined,
  }),
);

/** What it answered to a question about the caller. */
export const claimsWebhookTestAnswer = answerFrom(
  z.object({
    claims: z.record(z.string(), z.unknown()).optional(),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Why there are none, such as `http_timeout`, `http_500` or `claim_reserved`.' }),
    durationMs: z.int(),
  }),
  (test: ClaimsWebhookTest) => test,
);
