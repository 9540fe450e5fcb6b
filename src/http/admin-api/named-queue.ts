import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Queue } from 'bullmq';
import type { ImportTitle } from '../../domain/imports/imports.store.js';
import type { ImportJobId } from '../../domain/shared/ids.js';

export type FindTitles = (ids: readonly ImportJobId[]) => Promise<readonly ImportTitle[]>;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'import-progress': 'One job for each import that is received, written, undone or sends its messages',
  imports: 'The chunks of imports, and actions on many users',
  notifications: 'Messages that somebody waits for, and notices of logouts',
  'notifications-bulk': 'Messages that nobody waits for',
  keys: 'The rotation of signing keys',
  maintenance: 'Upkeep',
};
/** States that go without saying. */
const PLAIN = new Set<unknown>(['running', 'done', 'undoing', 'undone', 'notifying', 'notified']);
const WORDS: Readonly<Record<string, string>> = { reading: 'receiving the file' };
const MOST_TITLES = 2_000;

type Shown = Parameters<BullMQAdapter['format']>[1];

/**
 * A queue as the dashboard shows it: jobs of imports by the names that people know them by. Redis holds ids alone, so the
 * names are read from Postgres for the jobs that are about to be shown. Whoever may open the dashboard may see every
 * organization.
 */
export class NamedQueue extends BullMQAdapter {
  private readonly titles = new Map<string, string>();

  constructor(
    queue: Queue,
    private readonly findTitles: FindTitles,
    options: { readonly writable: boolean },
  ) {
    super(queue, {
      readOnlyMode: !options.writable,
      allowRetries: options.writable,
      description: DESCRIPTIONS[queue.name] ?? '',
    });
    this.setFormatter('name', (job: Shown) => this.nameOf(job as Record<string, unknown>));
    this.setFormatter('progress', drawable);
  }

  override async getJobs(
    ...query: Parameters<BullMQAdapter['getJobs']>
  ): ReturnType<BullMQAdapter['getJobs']> {
    const jobs = await super.getJobs(...query);
    await this.learn(jobs.map((job) => job.toJSON().data));
    return jobs;
  }

  override async getJob(id: string): ReturnType<BullMQAdapter['getJob']> {
    const job = await super.getJob(id);
    if (job) await this.learn([job.data]);
    return job;
  }

  private async learn(data: readonly unknown[]): Promise<void> {
    const ids = [...new Set(data.flatMap((one) => importOf(one) ?? []))];
    if (ids.length === 0) return;
    if (this.titles.size > MOST_TITLES) this.titles.clear();
    // without Postgres there are still the ids
    const found = await this.findTitles(ids).catch(() => []);
    for (const { jobId, fileName, organization } of found) {
      this.titles.set(jobId, displayable(`${fileName ?? 'file without a name'} · ${organization}`));
    }
  }

  private nameOf({ name, data, progress }: Record<string, unknown>): string {
    const title = this.titles.get(importOf(data) ?? '');
    const state = member(progress, 'state');
    const aside =
      PLAIN.has(state) || typeof state !== 'string'
        ? ''
        : ` (${WORDS[state] ?? state}${receivedOf(progress)})`;
    return `${String(name)}${title === undefined ? '' : `: ${title}`}${aside}`;
  }
}

function importOf(data: unknown): ImportJobId | undefined {
  const id = member(data, 'jobId');
  return typeof id === 'string' ? (id as ImportJobId) : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Where the sender announced no size there is no percentage, and the ring stands at 0: how much has arrived says that it moves. */
function receivedOf(progress: unknown): string {
  const done = member(progress, 'done');
  const isUnknown = member(progress, 'unit') === 'bytes' && member(progress, 'total') === undefined;
  return isUnknown && typeof done === 'number' ? `, ${sizeOf(done)} so far` : '';
}

function sizeOf(bytes: number): string {
  if (bytes < 1_048_576) return `${Math.floor(bytes / 1024)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** The page writes it as text; what would not show there, or turn the direction of reading, is left out. */
function displayable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '');
}

/** bull-board draws no ring for 0: less than half of a percent is shown as 0 %. */
function drawable(progress: unknown): unknown {
  const known = member(progress, 'progress');
  return known === 0 ? { ...(progress as object), progress: 0.4 } : progress;
}
