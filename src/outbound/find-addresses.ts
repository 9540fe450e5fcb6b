import { lookup as lookupBySystem, type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Within the five seconds of most calls: the second try waits twice as long. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;
const HOSTS_FILE = '/etc/hosts';
const HOSTS_MS = 10_000;
/** For the system's resolver to have time for a name. */
const MOST_WAIT_MS = 5_000;

/** How the system's resolver says that a name server was asked and did not answer in time. */
export class LookupBusy extends Error {
  readonly code = 'EAI_AGAIN';

  constructor() {
    super('the name is not looked up in time');
  }
}

/** A name server that does not answer, or not well: the system's resolver would wait for it on a thread. */
const UNANSWERED = new Set(['ETIMEOUT', 'ESERVFAIL', 'EBADRESP', 'ECANCELLED']);

/**
 * The addresses of a name on somebody's word. The system's resolver has two threads for all names, those of PostgreSQL and Redis
 * among them, and waits many seconds on one for a name server that does not answer; so name servers are asked without it. It is
 * asked for what they do not know, as a name that this installation completes or has from elsewhere, for one such name at a time;
 * and for what stands in the hosts file, which comes before them as it always did.
 */
export async function findAddresses(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
  if ((await namesOfHostsFile()).has(hostname.toLowerCase())) return await askSystem(hostname, family);
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const asked = await Promise.allSettled([
    family === 6 ? [] : resolver.resolve4(hostname),
    family === 4 ? [] : resolver.resolve6(hostname),
  ]);
  const found = asked.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  if (found.length > 0) return found;
  const codes = asked.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : undefined));
  if (codes.some((code) => code !== undefined && UNANSWERED.has(code))) throw new LookupBusy();
  return await oneAtATime(() => askSystem(hostname, family));
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code);
}

async function askSystem(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
  return await new Promise((resolve, reject) => {
    lookupBySystem(hostname, { all: true, ...(family !== undefined && { family }) }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}

let before: Promise<unknown> = Promise.resolve();

/** In the order in which they come. @throws LookupBusy where its turn does not come in time */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const late = performance.now() + MOST_WAIT_MS;
  const mine = before.then(async () => {
    if (performance.now() > late) throw new LookupBusy();
    return await work();
  });
  before = mine.catch(() => undefined);
  return await mine;
}

let hosts: { readonly until: number; readonly names: Promise<ReadonlySet<string>> } | undefined;

async function namesOfHostsFile(): Promise<ReadonlySet<string>> {
  const now = performance.now();
  if (hosts === undefined || hosts.until < now) hosts = { until: now + HOSTS_MS, names: readHostsFile() };
  return await hosts.names;
}

async function readHostsFile(): Promise<ReadonlySet<string>> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase());
  return new Set(lines.flatMap((line) => line.split(/\s+/).slice(1)));
}
