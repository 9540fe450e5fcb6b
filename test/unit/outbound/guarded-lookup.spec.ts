import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { guardedLookup, requireCallable } from '../../../src/outbound/guarded-lookup.js';
import { HttpBackChannel } from '../../../src/outbound/http-back-channel.js';

type Answer = (error: Error | null, addresses: LookupAddress[]) => void;

/** Name servers and the system's resolver, as this test answers for them. */
const dns = vi.hoisted(() => ({
  /** Questions to name servers that wait, by name. */
  asked: new Map<string, ((answer: string[] | Error) => void)[]>(),
  /** Whether name servers are asked about the name, and answer with an error at once. */
  failing: new Map<string, string>(),
  /** What the system's resolver is asked for, and has not answered. */
  system: new Map<string, (error: Error | null, addresses: object[]) => void>(),
}));
vi.mock('node:dns', () => ({
  lookup: (name: string, _options: object, done: Answer) => void dns.system.set(name, done as never),
}));
vi.mock('node:dns/promises', () => ({
  Resolver: class {
    async resolve4(name: string): Promise<string[]> {
      const code = dns.failing.get(name);
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return await new Promise((resolve, reject) => {
        const done = (answer: string[] | Error): void =>
          answer instanceof Error ? reject(answer) : resolve(answer);
        dns.asked.set(name, [...(dns.asked.get(name) ?? []), done]);
      });
    }

    async resolve6(): Promise<string[]> {
      return await Promise.reject(Object.assign(new Error('none'), { code: 'ENODATA' }));
    }
  },
}));
vi.mock('node:fs/promises', () => ({
  readFile: async (file: string) =>
    await Promise.resolve(
      file === '/etc/hosts'
        ? '127.0.0.1 localhost\n10.0.0.5\tHooks.Inside hooks # ours\n'
        : 'nameserver 10.96.0.10\nsearch Default.svc.cluster svc.cluster\noptions timeout:1 ndots:1\n',
    ),
}));

const ADDRESS = [{ address: '192.0.2.1', family: 4 }];

async function find(name: string): Promise<unknown> {
  return await new Promise((resolve) => {
    guardedLookup(true)(name, { all: true }, (error, found) => resolve(error ?? found));
  });
}

/** Once whatever is to be asked is asked. */
async function asked(): Promise<void> {
  for (let n = 0; n < 60; n += 1) await Promise.resolve();
}

async function answerAll(): Promise<void> {
  await asked();
  for (const all of dns.asked.values()) for (const done of all) done(['192.0.2.1']);
  dns.asked.clear();
}

async function answerSystem(name: string): Promise<void> {
  dns.system.get(name)?.(null, ADDRESS);
  dns.system.delete(name);
  await asked();
}

/** No name server knows it, as it is and with the domains of this network. */
function fails(name: string, code = 'ENOTFOUND'): void {
  for (const meant of [name, `${name}.default.svc.cluster`, `${name}.svc.cluster`])
    dns.failing.set(meant, code);
}

beforeEach(() => dns.failing.clear());
afterEach(answerAll);

it('asks once for a name that many wait for', async () => {
  const all = Promise.all(Array.from({ length: 200 }, () => find('hooks.example')));
  await asked();
  expect(dns.asked.get('hooks.example')).toHaveLength(1);
  await answerAll();
  expect(new Set((await all).map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(ADDRESS)]));
  const again = find('hooks.example');
  await asked();
  expect(dns.asked.get('hooks.example')).toHaveLength(1);
  await answerAll();
  expect(await again).toEqual(ADDRESS);
});

it('lets no more than so many names wait for servers that do not answer', async () => {
  const hanging = Array.from({ length: 250 }, (_, n) => find(`n${n}.example${n}`));
  expect(await find('one-more.example')).toMatchObject({ code: 'EAI_AGAIN' });
  await answerAll();
  await Promise.all(hanging);
  const later = find('one-more.example');
  await answerAll();
  expect(await later).toEqual(ADDRESS);
});

// S355: whoever has so many domains without a server that answers.

it('leaves places to others where all names of many domains hang', async () => {
  const hanging = Array.from({ length: 200 }, (_, n) => find(`n${n}.evil${n % 20}.example`));
  expect(await find('n200.EVIL3.example.')).toMatchObject({ code: 'EAI_AGAIN' });
  const others = find('keys.bank.test');
  await answerAll();
  expect(await others).toEqual(ADDRESS);
  await Promise.all(hanging);
});

it('refuses a name with one bad address among good ones', async () => {
  const found = find('rebinding.example');
  await asked();
  for (const done of dns.asked.get('rebinding.example') ?? []) done(['192.0.2.1', '169.254.169.254']);
  dns.asked.clear();
  expect(await found).toMatchObject({ name: 'AddressRefused' });
});

it.each(['https://moved.example/out', 'http://dev.example/out'])(
  'refuses a logout token to %s where the name leads inside by the time of the call',
  async (uri) => {
    const backChannel = new HttpBackChannel({ app: readConfig({ OUTBOUND_PRIVATE_ADDRESSES: 'refuse' }) });
    const delivered = backChannel.deliver(uri, 'a.b.c').catch((error: unknown) => error);
    const name = new URL(uri).hostname;
    // in clear as well: whether the application may have it so is asked before (DeliverLogout)
    await expect.poll(() => [...dns.asked.keys()]).toContain(name);
    for (const done of dns.asked.get(name) ?? []) done(['10.0.0.7']);
    dns.asked.clear();
    expect(await delivered).toMatchObject({ reason: 'address_refused', failure: 'retryable' });
  },
);

it('has one rule for whatever is called: an address inside is refused, in clear or not', () => {
  const called = (url: string, clearText?: 'allowed') => () =>
    requireCallable(new URL(url), false, clearText);
  expect(called('http://rp.example/out')).toThrow('it is not https');
  expect(called('http://rp.example/out', 'allowed')).not.toThrow();
  expect(called('http://10.0.0.7/out', 'allowed')).toThrow('the address is refused');
  expect(called('https://10.0.0.7/out')).toThrow('the address is refused');
});

// S364: the system's resolver has two threads, for PostgreSQL and Redis as well.

it('takes no thread of the system for a name server that does not answer', async () => {
  const hanging = Array.from({ length: 12 }, (_, n) => find(`n${n}.evil.example`));
  await asked();
  expect(dns.system.size).toBe(0);
  await answerAll();
  await Promise.all(hanging);
  for (const code of ['ETIMEOUT', 'ESERVFAIL']) {
    fails('silent.example', code);
    expect(await find('silent.example')).toMatchObject({ code: 'EAI_AGAIN' });
  }
  expect(dns.system.size).toBe(0);
});

it('asks for a name with few dots in this network first, as the system does, and never outside before that', async () => {
  const found = find('smtp');
  await asked();
  expect([...dns.asked.keys()]).toEqual(['smtp.default.svc.cluster']);
  await answerAll();
  expect(await found).toEqual(ADDRESS);
  dns.failing.set('mail.default.svc.cluster', 'ENOTFOUND');
  const next = find('mail');
  await asked();
  expect([...dns.asked.keys()]).toEqual(['mail.svc.cluster']);
  await answerAll();
  expect(await next).toEqual(ADDRESS);
  dns.failing.set('hooks.example', 'ENOTFOUND');
  const completed = find('hooks.example');
  await asked();
  expect([...dns.asked.keys()]).toEqual(['hooks.example.default.svc.cluster']);
  await answerAll();
  expect(await completed).toEqual(ADDRESS);
});

it('asks the system for a name without a dot of which servers outside cannot say anything', async () => {
  fails('postfix', 'ESERVFAIL');
  const found = find('postfix');
  await asked();
  expect([...dns.system.keys()]).toEqual(['postfix']);
  await answerSystem('postfix');
  expect(await found).toEqual(ADDRESS);
});

it('does not wait longer than its time for one that the system is slow with', async () => {
  vi.useFakeTimers();
  try {
    fails('slow.team');
    fails('behind.team');
    const slow = find('slow.team');
    const behind = find('behind.team');
    await asked();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await slow).toMatchObject({ code: 'EAI_AGAIN' });
    expect(await behind).toMatchObject({ code: 'EAI_AGAIN' });
    expect([...dns.system.keys()]).toEqual(['slow.team']);
    await answerSystem('slow.team');
    expect(dns.system.size).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('asks the system for what name servers do not know, one name at a time', async () => {
  for (const name of ['hooks.team', 'other.team']) fails(name);
  const first = find('hooks.team');
  const second = find('other.team');
  await asked();
  expect([...dns.system.keys()]).toEqual(['hooks.team']);
  await answerSystem('hooks.team');
  expect(await first).toEqual(ADDRESS);
  expect([...dns.system.keys()]).toEqual(['other.team']);
  await answerSystem('other.team');
  expect(await second).toEqual(ADDRESS);
});

it('asks the system for what stands in the hosts file, whatever else waits for it', async () => {
  fails('hooks.team');
  const waits = find('hooks.team');
  const found = find('HOOKS.inside');
  await asked();
  expect([...dns.system.keys()].sort()).toEqual(['HOOKS.inside', 'hooks.team']);
  await answerSystem('HOOKS.inside');
  expect(await found).toEqual(ADDRESS);
  await answerSystem('hooks.team');
  expect(await waits).toEqual(ADDRESS);
});
