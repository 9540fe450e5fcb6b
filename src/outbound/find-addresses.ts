import { lookup as lookupBySystem, type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Within the five seconds of most calls: the second try waits twice as long. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;
const HOSTS_FILE = '/etc/hosts';
const RESOLV_CONF = '/etc/resolv.conf';
const FILES_MS = 10_000;
/** As the system's resolver has them. */
const USUAL_NDOTS = 1;
const MOST_SEARCHED = 6;
/** For the system's resolver to have time for a name. */
const MOST_WAIT_MS = 5_000;

/** How the system's resolver says that a name server was asked and did not answer in time. */
export class LookupBusy extends Error {
  readonly code = 'EAI_AGAIN';

  constructor() {
    super('the name is not looked up in time');
  }
}

/** A name server that does not answer: the system's resolver would wait for it on a thread. */
const SILENT = new Set(['ETIMEOUT', 'ECANCELLED']);
/** One that answers that it cannot say. */
const UNABLE = new Set(['ESERVFAIL', 'EBADRESP']);

/**
 * The addresses of a name on somebody's word. The system's resolver has two threads for all names, those of PostgreSQL and Redis
 * among them, and waits many seconds on one for a name server that does not answer; so name servers are asked without it, for
 * what the name may mean in this network, in the order in which the system's resolver asks (resolv.conf(5)): `smtp.mail` of a
 * cluster must never be looked up outside first. The system is asked for what they do not know, as a name that this
 * installation has from elsewhere, for one such name at a time; and for what stands in the hosts file, which comes before them
 * as it always did.
 */
export async function findAddresses(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
  const { hosts, search, ndots } = await readFiles();
  if (hosts.has(hostname.toLowerCase())) return await askSystem(hostname, family);
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const codes: string[] = [];
  for (const name of meaningsOf(hostname, search, ndots)) {
    const answer = await askNameServers(resolver, name, family);
    if (answer.found.length > 0) return answer.found;
    if (answer.codes.some((code) => SILENT.has(code))) throw new LookupBusy();
    codes.push(...answer.codes);
  }
  // a name without a dot may be known here alone, whatever servers outside say of it
  if (hostname.includes('.') && codes.some((code) => UNABLE.has(code))) throw new LookupBusy();
  return await oneAtATime(() => askSystem(hostname, family));
}

/** As the system's resolver completes names: those with few dots with the search domains first. */
function meaningsOf(hostname: string, search: readonly string[], ndots: number): readonly string[] {
  if (hostname.endsWith('.')) return [hostname];
  const completed = search.map((domain) => `${hostname}.${domain}`);
  return hostname.split('.').length > ndots ? [hostname, ...completed] : [...completed, hostname];
}

async function askNameServers(
  resolver: Resolver,
  name: string,
  family: number | undefined,
): Promise<{ readonly found: LookupAddress[]; readonly codes: readonly string[] }> {
  const asked = await Promise.allSettled([
    family === 6 ? [] : resolver.resolve4(name),
    family === 4 ? [] : resolver.resolve6(name),
  ]);
  const found = asked.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  const codes = asked.flatMap((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : []));
  return { found, codes };
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

/** In the order in which they come. @throws LookupBusy where its turn, or its answer, does not come in time */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new LookupBusy());
    }, MOST_WAIT_MS);
  });
  const mine = before.then(async () => {
    if (isLate) throw new LookupBusy();
    return await work();
  });
  before = mine.catch(() => undefined);
  try {
    return await Promise.race([mine, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the system's resolver reads as well, and how old it may be here. */
interface ResolverFiles {
  readonly hosts: ReadonlySet<string>;
  readonly search: readonly string[];
  /** Names with so many dots are asked for as they are first. */
  readonly ndots: number;
}

let files: { readonly until: number; readonly read: Promise<ResolverFiles> } | undefined;

async function readFiles(): Promise<ResolverFiles> {
  const now = performance.now();
  if (files === undefined || files.until < now) files = { until: now + FILES_MS, read: readFilesNow() };
  return await files.read;
}

async function readFilesNow(): Promise<ResolverFiles> {
  const [hosts, resolver] = await Promise.all([linesOf(HOSTS_FILE), linesOf(RESOLV_CONF)]);
  // of several the last one counts
  const search = resolver.findLast(([word]) => word === 'search' || word === 'domain') ?? [];
  const ndots = resolver
    .filter(([word]) => word === 'options')
    .flatMap(
      (line) => /^ndots:(\d+)$/.exec(line.find((option) => option.startsWith('ndots:')) ?? '')?.[1] ?? [],
    )
    .at(-1);
  return {
    hosts: new Set(hosts.flatMap((line) => line.slice(1))),
    search: search.slice(1, MOST_SEARCHED + 1).filter((domain) => domain !== '.'),
    ndots: ndots === undefined ? USUAL_NDOTS : Number(ndots),
  };
}

/** The words of each line, without comments. */
async function linesOf(file: string): Promise<readonly string[][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/[#;].*/, '')
        .trim()
        .toLowerCase(),
    )
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));
}
