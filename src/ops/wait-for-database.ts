import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConfig } from '../config/config.js';
import type { Log } from '../domain/shared/log.js';
import { requireUsableDatabase } from '../storage/postgres/require-usable-database.js';
import { isAway } from '../storage/postgres/sql.js';
import { listenForOps, sendReport, type ProcessKind } from './ops-listener.js';

const TRY_AGAIN_MS = 1_000;
const SAY_AGAIN_MS = 30_000;
/** Waited for as well: the DNS of an orchestrator learns the name of a service when that starts. */
const NO_SUCH_HOST =
  'ENOTFOUND: the DNS does not know the host name in DATABASE_URL; one that is misspelled is waited for, too';

/**
 * For a process that starts before PostgreSQL does, as all of them do when a machine comes up again: it waits, alive and
 * unready, in place of ending time and again. What waiting cannot mend is thrown: a schema that is too old, a pooler that
 * loses what we need, a wrong password.
 *
 * @throws Error with the reason, for people
 */
export async function waitForDatabase(
  config: Pick<AppConfig, 'postgres' | 'ops'>,
  kind: ProcessKind,
  log: Log,
): Promise<void> {
  if ((await problemOf(config)) === undefined) return;
  // without a handler the first process of a container would ignore it
  const end = () => process.exit(0);
  for (const signal of SIGNALS) process.on(signal, end);
  const probes = await answerProbes(config, kind, log);
  try {
    await waitUntilThere(config, log);
  } finally {
    probes.closeAllConnections();
    await new Promise((resolve) => probes.close(resolve));
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

async function waitUntilThere(config: Pick<AppConfig, 'postgres'>, log: Log): Promise<void> {
  const since = performance.now();
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const problem = await problemOf(config);
    const now = performance.now();
    if (problem === undefined) {
      log.info('PostgreSQL can be reached', { waitedSeconds: Math.round((now - since) / 1000) });
      return;
    }
    if (now - saidAt >= SAY_AGAIN_MS) {
      log.warn('PostgreSQL cannot be reached; waiting for it', problem);
      saidAt = now;
    }
    await sleep(TRY_AGAIN_MS);
  }
}

/** Why it cannot be reached, in words that name no host; undefined when all is well. */
async function problemOf(config: Pick<AppConfig, 'postgres'>): Promise<{ cause: string } | undefined> {
  try {
    await requireUsableDatabase(config);
    return undefined;
  } catch (error) {
    if (!isAway(error)) throw error;
    const cause = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
    return { cause: cause === 'ENOTFOUND' ? NO_SUCH_HOST : cause };
  }
}

async function answerProbes(config: Pick<AppConfig, 'ops'>, kind: ProcessKind, log: Log) {
  const server = createServer((request, response) => {
    response.setHeader('cache-control', 'no-store');
    switch (request.url?.split('?', 1)[0] ?? '') {
      case '/livez':
        // a restart would not bring PostgreSQL back
        return sendReport(response, { healthy: true, failing: {} });
      case '/healthz':
      case '/readyz':
        return sendReport(response, { healthy: false, failing: { postgres: 'unavailable' } });
      default:
        response.writeHead(404).end();
    }
  });
  await listenForOps(server, config, kind, log);
  return server;
}
