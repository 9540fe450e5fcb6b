import { ApiRefusal, type ApiClient } from '../api/api-client.js';
import { hasEnded, importPath, type ImportJob } from '../api/imports.js';
import { serverEvents } from '../api/server-events.js';
import { OperationFailed } from '../shell/exit.js';
import { interruptible } from '../shell/interruptible.js';
import type { Terminal } from '../shell/terminal.js';
import type { Progress } from './progress.js';

const MOST_FAILURES = 60;
const WAIT_MS = 1000;

/**
 * Follows an import to its end. The stream of events may break as often as it likes, on a deploy or in a proxy: it is
 * opened again, and only a minute without an answer ends the watching, never the import.
 */
export async function followImport(
  client: ApiClient,
  first: ImportJob,
  progress: Progress,
  terminal: Terminal,
): Promise<ImportJob> {
  try {
    const told = `no longer watched; the import goes on: identity import status ${first.id}`;
    return await interruptible(terminal, told, (signal) => follow(client, first, progress, terminal, signal));
  } finally {
    progress.clear();
  }
}

async function follow(
  client: ApiClient,
  first: ImportJob,
  progress: Progress,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ImportJob> {
  let job = first;
  let failures = 0;
  while (!hasEnded(job)) {
    progress.job(job);
    try {
      for await (const next of eventsOf(client, job.id, signal)) {
        job = next;
        failures = 0;
        progress.job(job);
      }
    } catch (error) {
      signal.throwIfAborted();
      // what the service refuses it refuses again, but for a rate limit and a restart
      if (error instanceof ApiRefusal && error.status < 500 && error.status !== 429) throw error;
      if (!(error instanceof OperationFailed)) throw error;
      failures += 1;
      if (failures > MOST_FAILURES) {
        throw new OperationFailed(`${error.message}; the import goes on: identity import status ${job.id}`, {
          cause: error,
        });
      }
    }
    if (!hasEnded(job)) await terminal.wait(WAIT_MS);
    signal.throwIfAborted();
  }
  progress.job(job);
  return job;
}

async function* eventsOf(client: ApiClient, id: string, signal: AbortSignal): AsyncGenerator<ImportJob> {
  const chunks = await client.download(importPath(id, 'events'), {}, 'text/event-stream', signal);
  for await (const { data } of serverEvents(chunks)) yield JSON.parse(data) as ImportJob;
}
