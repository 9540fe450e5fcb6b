import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

export type Import = Answered<'/management/v1/imports/{id}', 'get'>;
export type ImportPage = Answered<'/management/v1/imports', 'get'>;
export type ImportState = Import['state'];

export const IMPORT_STATES: Readonly<Record<ImportState, { readonly label: string; readonly tone: Tone }>> = {
  reading: { label: t.states.reading, tone: 'warning' },
  queued: { label: t.states.queued, tone: 'warning' },
  running: { label: t.states.running, tone: 'warning' },
  paused: { label: t.states.paused, tone: 'quiet' },
  cancelling: { label: t.states.cancelling, tone: 'quiet' },
  cancelled: { label: t.states.cancelled, tone: 'quiet' },
  failed: { label: t.states.failed, tone: 'bad' },
  done: { label: t.states.done, tone: 'good' },
  undone: { label: t.states.undone, tone: 'quiet' },
};

/** How it ended is told by its records, too: one of which nothing was taken is no success. */
export function stateOf({ state, counts }: Import): { readonly label: string; readonly tone: Tone } {
  if (state !== 'done' || counts.failed === 0) return IMPORT_STATES[state];
  if (counts.failed === counts.total) return { label: t.states.noneTaken, tone: 'bad' };
  return { label: say(t.states.someFailed, { failed: counts.failed }), tone: 'warning' };
}

const ENDED: ReadonlySet<ImportState> = new Set(['cancelled', 'failed', 'done', 'undone']);

/** Nothing of it changes by itself any more. */
export function isOver({ state, undo, notified }: Import): boolean {
  return ENDED.has(state) && undo?.state !== 'running' && notified !== 'running';
}

/** Records that something has become of. */
export function settledOf({ counts: { created, updated, skipped, failed } }: Import): number {
  return created + updated + skipped + failed;
}

/** 0 to 100; undefined as long as nobody knows how many records there are. */
export function percentOf(job: Import): number | undefined {
  const { total } = job.counts;
  if (job.state === 'done' || job.state === 'undone') return 100;
  return total === undefined || total === 0 ? undefined : Math.floor((settledOf(job) / total) * 100);
}

export function nameOf({ fileName, retryOf }: Import): string {
  return fileName ?? (retryOf === undefined ? t.unnamed : t.retryOf);
}

const REASONS: Readonly<Partial<Record<string, string>>> = t.reasons;

/** Why it failed or was ended, in a sentence. */
export function reasonOf({ reason }: Import): string | undefined {
  return reason === undefined ? undefined : (REASONS[reason] ?? reason);
}

interface ImportSearch {
  readonly state?: string | undefined;
  readonly limit?: number;
  readonly asc?: boolean;
  readonly cursor?: string | undefined;
}

export async function listImports(
  orgId: string,
  { state, limit = 50, asc = false, cursor }: ImportSearch,
): Promise<ImportPage> {
  const query = {
    limit: String(limit),
    asc: asc ? ('true' as const) : ('false' as const),
    ...(cursor !== undefined && { cursor }),
    ...(state !== undefined && state !== '' && { state }),
  };
  return await answered(api.GET('/management/v1/imports', { params: { ...inOrganization(orgId), query } }));
}

export async function readImport(orgId: string, id: string): Promise<Import> {
  return await answered(
    api.GET('/management/v1/imports/{id}', { params: { ...inOrganization(orgId), path: { id } } }),
  );
}

type Pace = Answered<'/management/v1/imports/{id}/pace', 'get'>['steps'];

/** How fast an import went that is over: the stream of one at work tells it. */
export async function readPace(orgId: string, id: string): Promise<Pace> {
  const params = { ...inOrganization(orgId), path: { id } };
  return (await answered(api.GET('/management/v1/imports/{id}/pace', { params }))).steps;
}

/** What became of one record. */
export type Outcome = Answered<'/management/v1/imports/{id}/records', 'get'>['result'][number];

export const OUTCOMES = ['failed', 'skipped', 'updated', 'created'] as const;
export type OutcomeKind = (typeof OUTCOMES)[number];

export const OUTCOME_STATES: Readonly<Record<OutcomeKind, { readonly label: string; readonly tone: Tone }>> =
  {
    created: { label: t.outcomes.created, tone: 'good' },
    updated: { label: t.outcomes.updated, tone: 'good' },
    skipped: { label: t.outcomes.skipped, tone: 'quiet' },
    failed: { label: t.outcomes.failed, tone: 'bad' },
  };

/** The text of what became of records. */
export async function readResults(
  orgId: string,
  id: string,
  query: { readonly outcome?: string; readonly format: 'ndjson' | 'csv' },
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const params = { ...inOrganization(orgId), path: { id }, query };
  return (await answered(
    api.GET('/management/v1/imports/{id}/results', {
      params,
      headers: { accept: query.format === 'csv' ? 'text/csv' : 'application/x-ndjson' },
      parseAs: 'stream',
      ...(signal !== undefined && { signal }),
    }),
  )) as ReadableStream<Uint8Array>;
}

interface RecordsPart {
  readonly asc: boolean;
  readonly cursor: string | undefined;
}

/** A page of what became of the records. */
export async function findRecords(
  orgId: string,
  id: string,
  outcomes: readonly OutcomeKind[],
  { asc, cursor }: RecordsPart,
): Promise<Answered<'/management/v1/imports/{id}/records', 'get'>> {
  const query = {
    limit: '50',
    asc: asc ? ('true' as const) : ('false' as const),
    ...(outcomes.length > 0 && { outcome: outcomes.join(',') }),
    ...(cursor !== undefined && { cursor }),
  };
  const params = { ...inOrganization(orgId), path: { id }, query };
  return await answered(api.GET('/management/v1/imports/{id}/records', { params }));
}
