import { z } from 'zod';
import type { OrgId } from '../../domain/shared/ids.js';
import type { UserMigrationPlan, UserMigrationRecord } from '../../domain/user-migration/user-migration.js';
import { answerFrom, detailsOfChange, detailsOfSetting, shownTime } from '../shared/answers.js';
import { line } from '../shared/api-fields.js';
import { moment } from '../shared/moment.js';
import { shownNumber, whole } from '../shared/policy.schemas.js';
import { wireEnum } from '../shared/wire-enum.js';

/** An example that can be sent: no migration goes on for long. */
const IN_SOME_MONTHS = new Date(Date.now() + 180 * 86_400_000).toISOString().slice(0, 10);
/** Within what guarded calls take at most (outbound/guarded-fetch.ts). */
const LONGEST_DEADLINE_MS = 5_000;

export const userMigrationBody = z
  .strictObject({
    kind: wireEnum({ webhook: 'webhook' }),
    url: line(2000).meta({
      description: 'Who signs in is posted there, signed (docs/just-in-time-migration.md).',
    }),
    isActive: z.boolean().default(false),
    endsAt: moment().meta({ description: 'From then on nobody is asked for; within 366 days.' }),
    expectedUsers: whole(0, 999_999_999)
      .optional()
      .meta({ description: 'How many are to come over, for the progress.' }),
    requestsPerMinute: whole(1, 60_000).default(600),
    deadlineMs: whole(100, LONGEST_DEADLINE_MS).default(2_000).meta({
      description: 'Every refused sign-in of the organization takes that much longer while it is active.',
    }),
  })
  .meta({
    examples: [
      {
        kind: 'webhook',
        url: 'https://old.acme.example.com/sign-in',
        isActive: true,
        endsAt: `${IN_SOME_MONTHS}T12:00:00Z`,
        expectedUsers: 12_000,
        requestsPerMinute: 600,
        deadlineMs: 2_000,
      },
    ],
  })
  .transform(({ kind, url, expectedUsers = null, ...terms }): UserMigrationPlan => ({
    ...terms,
    kind,
    settings: { url },
    expectedUsers,
  }));

/** With the progress; an organization that has none has neither kind nor address. */
export const userMigrationAnswer = answerFrom(
  z.object({
    details: detailsOfSetting,
    isActive: z.boolean().meta({ description: 'Switched on; `endsAt` may be over all the same.' }),
    kind: z.enum(['webhook']).optional(),
    url: z.string().optional(),
    endsAt: shownTime.optional(),
    expectedUsers: shownNumber.optional(),
    requestsPerMinute: shownNumber.optional(),
    deadlineMs: shownNumber.optional(),
    progress: z.object({
      asked: shownNumber,
      migrated: shownNumber,
      refused: shownNumber,
      failed: shownNumber,
    }),
  }),
  ({ owner, record }: { readonly owner: OrgId; readonly record: UserMigrationRecord | undefined }) => {
    const { plan, progress = { asked: 0, migrated: 0, refused: 0, failed: 0 } } = record ?? {};
    const { isActive = false, expectedUsers, settings, ...terms } = plan ?? {};
    return {
      ...terms,
      ...settings,
      details: { owner, stored: record },
      isActive,
      ...(expectedUsers !== null && { expectedUsers }),
      progress,
    };
  },
);

export const changedUserMigrationAnswer = z.object({
  details: detailsOfChange,
  signingSecret: z.string().optional().meta({ description: 'Where it is new; shown this once.' }),
});
