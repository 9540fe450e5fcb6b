import { z } from 'zod';
import type {
  ImportCounts,
  ImportFormat,
  ImportJob,
  ImportJobState,
  ImportOptions,
} from '../../domain/imports/import-job.js';
import type { OutcomeKind, RecordOutcome } from '../../domain/imports/record-outcome.js';
import { idSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { bodyReader } from '../shared/api-fields.js';
import { readDetails, type DetailsResponse } from '../shared/details-response.js';
import { pageFields } from '../shared/page-parameters.js';

const STATES = [
  'reading',
  'queued',
  'running',
  'paused',
  'cancelling',
  'cancelled',
  'failed',
  'done',
  'undone',
] as const satisfies readonly ImportJobState[];
const OUTCOMES = ['created', 'updated', 'skipped', 'failed'] as const satisfies readonly OutcomeKind[];
const FORMATS = ['json', 'ndjson', 'csv'] as const satisfies readonly ImportFormat[];
const MODES = ['insert', 'skip', 'upsert'] as const;
const NOTIFY = ['now', 'deferred', 'none'] as const;
const INITIAL_STATES = ['active', 'initial', 'inactive', 'locked'] as const;

function oneOf<const Members extends readonly [string, ...string[]]>(members: Members) {
  return z.enum(members, { error: `must be one of ${members.join(', ')}` });
}

/** In a query everything is text. */
function flagText() {
  return z.enum(['true', 'false'], { error: 'must be true or false' }).default('false');
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
export const readUploadQuery = bodyReader({
  format: oneOf(FORMATS).optional().meta({ description: 'Where the Content-Type does not say it.' }),
  mode: oneOf(MODES).default('insert').meta({
    description: 'Of users who are there already: an error, left alone, or brought up to their record.',
  }),
  dryRun: flagText().meta({ description: 'Does everything and keeps nothing but the results.' }),
  notify: oneOf(NOTIFY).default('now'),
  initialState: oneOf(INITIAL_STATES).optional().meta({ description: 'Of records that name no state.' }),
  updatePasswords: flagText().meta({
    description: 'With `upsert`: passwords of records replace those there are.',
  }),
  fileName: z
    .string({ error: 'must be given once' })
    .trim()
    .max(200, 'must have at most 200 characters')
    .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), 'must not contain control characters')
    .optional(),
});

export function optionsOf(query: ReturnType<typeof readUploadQuery>, format: ImportFormat): ImportOptions {
  const { mode, notify, initialState, fileName } = query;
  return {
    format,
    mode,
    notify,
    initialState,
    fileName: fileName || undefined,
    dryRun: query.dryRun === 'true',
    updatePasswords: query.updatePasswords === 'true',
  };
}

export const readImportsQuery = bodyReader({
  ...pageFields,
  state: someOf(STATES).optional().meta({ description: 'Some of the states, with commas between.' }),
});

export const readResultsQuery = bodyReader({
  outcome: someOf(OUTCOMES).optional().meta({ description: 'Some of the outcomes, with commas between.' }),
  format: oneOf(['ndjson', 'csv']).default('ndjson'),
});

const count = z.number().int().nonnegative();
const time = z.iso.datetime();

export const importSchema = z.strictObject({
  id: idSchema,
  orgId: idSchema,
  instanceWide: z.boolean().meta({ description: 'Records may name other organizations.' }),
  state: z.enum(STATES),
  reason: z.string().optional().meta({ description: 'Why it failed, or was ended.' }),
  mode: z.enum(MODES),
  dryRun: z.boolean(),
  notify: z.enum(NOTIFY),
  initialState: z.enum(INITIAL_STATES).optional(),
  updatePasswords: z.boolean(),
  format: z.enum(FORMATS),
  fileName: z.string().optional(),
  createdBy: idSchema,
  details: readDetailsSchema,
  counts: z.strictObject({
    total: count.optional().meta({ description: 'Records of the file, once it has arrived.' }),
    created: count,
    updated: count,
    skipped: count,
    failed: count,
    weak: count.meta({ description: 'Of those, with a password hash below what is made today.' }),
    totpSecrets: count.meta({
      description: 'Of those, with a TOTP secret, which is kept and not asked for yet.',
    }),
    held: count.meta({ description: 'Messages that `notify=deferred` holds back until `_notify`.' }),
  }),
  bytes: count,
  checksum: z.string().optional().meta({ description: 'SHA-256 of the unpacked file.' }),
  rate: z.number().optional().meta({ description: 'Records a second.' }),
  etaSeconds: count.optional(),
  startedAt: time.optional(),
  finishedAt: time.optional(),
  expiresAt: time,
  retryOf: idSchema.optional(),
  undo: z.strictObject({ state: z.enum(['running', 'done']), removed: count, kept: count }).optional(),
  notified: z.enum(['running', 'done']).optional(),
});

export interface ImportResponse extends Omit<
  ImportJob,
  | 'counts'
  | 'details'
  | 'startedAt'
  | 'finishedAt'
  | 'expiresAt'
  | 'total'
  | 'createdThrough'
  | 'undoneThrough'
  | 'notifiedThrough'
  | 'notifiedUsers'
  | 'bytesExpected'
  | 'bytesArrived'
> {
  readonly details: DetailsResponse;
  readonly counts: ImportCounts & { readonly total?: number };
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly expiresAt: string;
}

export function importResponse(job: ImportJob): ImportResponse {
  const { id, orgId, instanceWide, state, reason, mode, dryRun, notify, initialState } = job;
  const { updatePasswords, format, fileName, createdBy, details, counts, total, bytes } = job;
  const { checksum, rate, etaSeconds, startedAt, finishedAt, expiresAt, retryOf, undo, notified } = job;
  return {
    id,
    orgId,
    instanceWide,
    state,
    ...(reason !== undefined && { reason }),
    mode,
    dryRun,
    notify,
    ...(initialState !== undefined && { initialState }),
    updatePasswords,
    format,
    ...(fileName !== undefined && { fileName }),
    createdBy,
    details: readDetails(details),
    counts: { ...(total !== undefined && { total }), ...counts },
    bytes,
    ...(checksum !== undefined && { checksum }),
    ...(rate !== undefined && { rate }),
    ...(etaSeconds !== undefined && { etaSeconds }),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    expiresAt: expiresAt.toISOString(),
    ...(retryOf !== undefined && { retryOf }),
    ...(undo !== undefined && { undo }),
    ...(notified !== undefined && { notified }),
  };
}

/** What becomes of a record, as it is downloaded; the order is that of the CSV columns. */
export const RESULT_COLUMNS = [
  'line',
  'outcome',
  'userId',
  'givenId',
  'orgId',
  'code',
  'path',
  'message',
  'weak',
  'undone',
  'type',
] as const satisfies readonly (keyof RecordOutcome)[];

export function resultLine(outcome: RecordOutcome): string {
  const members = RESULT_COLUMNS.map((column) => [column, outcome[column]] as const);
  return `${JSON.stringify(Object.fromEntries(members.filter(([, value]) => value !== undefined)))}\n`;
}

/** RFC 4180. What a spreadsheet would take for a formula is text there (S161). */
export function resultRow(outcome: RecordOutcome): string {
  const cells = RESULT_COLUMNS.map((column) => csvCell(String(outcome[column] ?? '')));
  return `${cells.join(',')}\r\n`;
}

function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
