import { z } from 'zod';
import {
  IMPORT_FORMATS,
  IMPORT_MODES,
  IMPORT_NOTIFY,
  IMPORT_STATES,
  IMPORTED_STATES,
  type ImportJob,
} from '../../domain/imports/import-job.js';
import type { RecordPage } from '../../domain/imports/import-jobs.js';
import { OUTCOMES } from '../../domain/imports/write/record-outcome.js';
import { hasControls, NO_CONTROLS } from '../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfRecord, shownTime } from '../shared/answers.js';
import { cursorField, nextCursorField, writeCursor } from '../shared/cursors.js';
import { cursorPageOf, flagText, pageFields } from '../shared/pages/page-parameters.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';

function oneOf<const Members extends readonly [string, ...string[]]>(members: Members) {
  return z.enum(members, { error: `must be one of ${members.join(', ')}` });
}

/** Several of them, with commas between. */
function someOf<const Members extends readonly [string, ...string[]]>(members: Members) {
  return z
    .string({ error: 'must be given once' })
    .max(200, 'is too long')
    .transform((text, context): readonly Members[number][] => {
      const names = text.split(',').map((name) => name.trim());
      const found = members.filter((member) => names.includes(member));
      if (names.every((name) => (members as readonly string[]).includes(name))) return found;
      context.addIssue({ code: 'custom', message: `must be some of ${members.join(', ')}` });
      return z.NEVER;
    });
}

/** The parameters of an upload. Files are never fetched from elsewhere: there is no parameter for a URL (S162). */
export const uploadQuery = z.strictObject({
  format: oneOf(IMPORT_FORMATS)
    .optional()
    .meta({ description: 'Where the Content-Type does not say it.', examples: ['ndjson'] }),
  mode: oneOf(IMPORT_MODES).default('insert').meta({
    description: 'Of users who are there already: an error, left alone, or brought up to their record.',
  }),
  dryRun: flagText().meta({ description: 'Does everything and keeps nothing but the results.' }),
  notify: oneOf(IMPORT_NOTIFY).default('now'),
  initialState: oneOf(IMPORTED_STATES).optional().meta({ description: 'Of records that name no state.' }),
  updatePasswords: flagText().meta({
    description: 'With `upsert`: passwords of records replace those there are.',
  }),
  fileName: z
    .string({ error: 'must be given once' })
    .trim()
    .max(200, 'must have at most 200 characters')
    .refine((name) => !hasControls(name), NO_CONTROLS)
    .transform((name) => name || undefined)
    .optional(),
});

export const importsQuery = z
  .strictObject({
    ...pageFields,
    cursor: cursorField,
    state: someOf(IMPORT_STATES).optional().meta({ description: 'Some of the states, with commas between.' }),
  })
  .transform(({ state, ...page }) => ({ ...cursorPageOf(page, { state }), states: state }));

export const resultsQuery = z.strictObject({
  outcome: someOf(OUTCOMES).optional().meta({ description: 'Some of the outcomes, with commas between.' }),
  format: oneOf(['ndjson', 'csv']).default('ndjson'),
});

export const recordsQuery = z
  .strictObject({
    limit: pageFields.limit,
    asc: pageFields.asc.meta({ description: 'In the order of the file; else its last record first.' }),
    cursor: cursorField,
    outcome: someOf(OUTCOMES).optional().meta({ description: 'Some of the outcomes, with commas between.' }),
  })
  .transform(({ outcome, ...page }) => ({
    page: cursorPageOf({ ...page, offset: 0 }, { outcome }),
    outcome,
  }));

const count = z.number().int().nonnegative();

/** What became of one record: no value of it stands there, and no hash. */
const recordAnswer = z.object({
  line: count.meta({ description: 'Of the file, from 1; of the JSON format the position of the record.' }),
  outcome: z.enum(OUTCOMES),
  userId: idSchema.optional(),
  givenId: z.string().optional().meta({ description: 'The id that the record brought along.' }),
  orgId: idSchema.optional(),
  code: z.string().optional().meta({ description: 'Why it failed or was skipped, for programs.' }),
  path: z.string().optional().meta({ description: 'Of the field.' }),
  message: z.string().optional(),
  type: z.string().optional().meta({ description: 'Of what is no human, such as `machine_user`.' }),
});

export const recordsAnswer = answerFrom(
  z.object({
    result: z.array(recordAnswer).readonly(),
    nextCursor: nextCursorField,
    total: count.meta({ description: 'Records with these outcomes so far.' }),
  }),
  ({ records, next, total }: RecordPage) => ({
    result: records,
    nextCursor: next && writeCursor(next),
    total,
  }),
);

export const importAnswer = answerFrom(
  z.object({
    id: idSchema,
    orgId: idSchema,
    instanceWide: z.boolean().meta({ description: 'Records may name other organizations.' }),
    state: z.enum(IMPORT_STATES),
    reason: z.string().optional().meta({ description: 'Why it failed, or was ended.' }),
    mode: z.enum(IMPORT_MODES),
    dryRun: z.boolean(),
    notify: z.enum(IMPORT_NOTIFY),
    initialState: z.enum(IMPORTED_STATES).optional(),
    updatePasswords: z.boolean(),
    format: z.enum(IMPORT_FORMATS),
    fileName: z.string().optional(),
    createdBy: idSchema,
    details: detailsOfRecord,
    counts: z.object({
      total: count.optional().meta({ description: 'Records of the file, once it has arrived.' }),
      created: count,
      updated: count,
      skipped: count,
      failed: count,
      weak: count.meta({ description: 'Of those, with a password hash below what is made today.' }),
      totpSecrets: count.meta({
        description: 'Of those, with a TOTP secret, which is asked for from the next sign-in on.',
      }),
      recoveryCodes: count.meta({
        description: 'Of those, with recovery codes, of which at least one works here.',
      }),
      codeFactors: count.meta({
        description: 'Of those, with codes by e-mail or SMS as a second factor that they had not before.',
      }),
      passkeys: count.meta({ description: 'Passkeys that came along with those.' }),
      foreignPasskeys: count.meta({
        description: 'Passkeys that are for another relying-party id and were left out.',
      }),
      identities: count.meta({ description: 'Identities at providers that came to be linked.' }),
      knownIdentities: count.meta({ description: 'Identities that their user had already.' }),
      refusedIdentities: count.meta({
        description:
          'Identities that were not linked: of records that failed over one of them, and of updates without `updatePasswords`.',
      }),
      held: count.meta({ description: 'Messages that `notify=deferred` holds back until `_notify`.' }),
    }),
    bytes: count,
    checksum: z.string().optional().meta({ description: 'SHA-256 of the unpacked file.' }),
    rate: z.number().optional().meta({ description: 'Records a second; absent while it is paused.' }),
    etaSeconds: count.optional(),
    startedAt: shownTime.optional(),
    finishedAt: shownTime.optional(),
    expiresAt: shownTime,
    retryOf: idSchema.optional(),
    undo: z.object({ state: z.enum(['running', 'done']), removed: count, kept: count }).optional(),
    notified: z.enum(['running', 'done']).optional(),
  }),
  ({ total, counts, ...job }: ImportJob) => ({ ...job, counts: { total, ...counts } }),
);

export const importPaceAnswer = z.object({
  steps: z.array(z.object({ at: shownTime, rate: count.meta({ description: 'Records a second.' }) })),
});

/** What a stream says of the same: the steps from the `from`-th on are these. */
export const importPaceEvent = importPaceAnswer.extend({ from: z.int() });

/** Of the stream of an import. What stands in for EventSource in old browsers adds parameters, such as `lastEventId`. */
export const followQuery = z.object({
  pace: flagText().meta({ description: 'With `pace` events: how fast it goes.' }),
});

export type ImportAnswer = z.output<typeof importAnswer>;
