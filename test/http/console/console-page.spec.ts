import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { InstanceStore } from '../../../src/domain/organizations/instance.store.js';
import { ensureConsole } from '../../support/console.js';
import { eventTypesOf } from '../../support/events.js';
import { useWorld } from '../../support/world.js';

// The console as a browser gets it: one page for all of its addresses, held to a policy under which no script of anybody else
// runs, and files that are kept for ever. What it shows comes by the APIs.

const { api, world } = useWorld();

async function get(url: string) {
  return await api.app.inject({ method: 'GET', url, headers: { 'accept-language': 'de' } });
}

async function bootstrapConsole(publicUrl?: string): Promise<void> {
  // the instance is there once its first organization is
  expect(world.orgId).not.toBe('');
  await ensureConsole(api, publicUrl);
}

describe('the page', () => {
  beforeEach(async () => await bootstrapConsole());

  it.each(['/console', '/console/', '/console/orgs/1/users?search=a', '/console/callback?code=x&state=y'])(
    'is sent for %s, in the language of its visitor',
    async (url) => {
      const answer = await get(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      expect(answer.body).toContain('<html lang="de">');
      const client = await api.app.get(InstanceStore).findConsoleClient();
      expect(answer.body).toContain(`<meta name="console-client" content="${client}"`);
      expect(answer.body).toContain('<meta name="console-issuer" content="https://id.test"');
    },
  );

  it('runs its own scripts alone, and stands in no frame', async () => {
    const answer = await get('/console');
    const policy = String(answer.headers['content-security-policy']);
    const [, nonce = ''] = /script-src 'nonce-([^']+)' 'strict-dynamic'/.exec(policy) ?? [];
    expect(nonce).not.toBe('');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    const scripts = [...answer.body.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toHaveLength(1);
    expect(scripts[0]).toContain(`nonce="${nonce}"`);
    const again = await get('/console');
    expect(again.headers['content-security-policy']).not.toContain(nonce);
  });

  it('refers to files that are there and never change', async () => {
    const { body } = await get('/console');
    const files = [...body.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, file = '']) => file,
    );
    expect(files.length).toBeGreaterThanOrEqual(1);
    for (const file of files) {
      const answer = await get(file);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-type']).toMatch(/javascript|css/);
    }
  });

  it.each([
    '/console/assets/nothing.js',
    '/console/assets/..%2Fmanifest.json',
    '/console/assets/..%2F..%2Fsrc%2Fmain.js',
    '/console/assets/manifest.json',
  ])('gives no other file: %s', async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['cache-control']).not.toContain('immutable');
  });
});

/** Bytes of these modules and of all that they import, compressed. */
async function sizeOf(modules: readonly string[]): Promise<number> {
  const folder = path.resolve('dist/console');
  const chunks = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as Record<
    string,
    { readonly file: string; readonly imports?: readonly string[] }
  >;
  const needed = new Set<string>();
  function take(name: string): void {
    if (needed.has(name)) return;
    needed.add(name);
    for (const other of chunks[name]?.imports ?? []) take(other);
  }
  for (const name of modules) take(name);
  const sizes = [...needed].map(
    (name) => gzipSync(readFileSync(path.join(folder, chunks[name]?.file ?? name))).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the first page', () => {
  const ENTRY = 'src/main.ts';

  it('takes at most 220 kB of scripts, compressed', async () => {
    expect(await sizeOf([ENTRY, 'src/app/root.tsx', 'src/home/home-page.tsx'])).toBeLessThanOrEqual(220_000);
  });

  it('takes at most 230 kB with all that comes by itself; charts come to whoever scrolls to them', async () => {
    const later = ['src/home/first-steps.tsx', 'src/home/health.tsx'];
    const all = [ENTRY, 'src/app/root.tsx', 'src/home/home-page.tsx', ...later];
    expect(await sizeOf(all)).toBeLessThanOrEqual(230_000);
  });

  it('takes at most 15 kB before its visitor is sent to sign in', async () => {
    expect(await sizeOf([ENTRY])).toBeLessThanOrEqual(15_000);
  });
});

describe('the application behind it', () => {
  it('is made once, and its addresses follow PUBLIC_URL', async () => {
    const { app, sql } = api;
    await bootstrapConsole();
    const first = await app.get(InstanceStore).findConsoleClient();
    await bootstrapConsole();
    // what somebody else has set stays
    await sql.query('UPDATE applications SET clock_skew_seconds = 1 WHERE client_id = $1', [first]);
    await bootstrapConsole('https://new.test');
    expect(await app.get(InstanceStore).findConsoleClient()).toBe(first);
    const { rows } = await sql.query(
      `SELECT a.redirect_uris, a.auth_method, a.first_party, a.management_access, a.clock_skew_seconds, e.fields
        FROM applications a JOIN events e ON e.aggregate_id = a.id
        WHERE a.client_id = $1 AND e.type = 'application.oidc.changed' ORDER BY e.position DESC LIMIT 1`,
      [first],
    );
    expect(rows).toEqual([
      {
        clock_skew_seconds: 1,
        fields: ['postLogoutRedirectUris', 'redirectUris'],
        redirect_uris: ['https://new.test/console/callback'],
        auth_method: 'none',
        first_party: true,
        management_access: 'instance',
      },
    ]);
    await bootstrapConsole();
  });

  it('is brought back by bootstrap where it was shut or changed until nobody could sign in', async () => {
    const { sql } = api;
    const client = await ensureConsole(api);
    const find = async () =>
      (
        await sql.query<{ id: string }>(
          `SELECT id, state, auth_method, grant_types, client_secret_hash, management_access, first_party,
             access_given_by, require_pushed_authorization_requests, clock_skew_seconds
           FROM applications WHERE client_id = $1`,
          [client],
        )
      ).rows[0];
    const before = await find();
    await sql.query(
      `UPDATE applications SET state = 'inactive', auth_method = 'client_secret_basic', grant_types = '{implicit}',
         client_secret_hash = sha256('limpet'), management_access = 'none', first_party = false,
         require_pushed_authorization_requests = true
       WHERE client_id = $1`,
      [client],
    );
    await ensureConsole(api);
    expect(await find()).toEqual(before);
    const types = await eventTypesOf(api, before?.id);
    expect(types.slice(-3)).toEqual([
      'application.reactivated',
      'application.management_access.changed',
      'application.oidc.changed',
    ]);
    // and nothing more is to be done
    await ensureConsole(api);
    expect(await eventTypesOf(api, before?.id)).toEqual(types);
  });

  it('is made again after somebody removed it', async () => {
    const { app, sql } = api;
    await bootstrapConsole();
    const first = await app.get(InstanceStore).findConsoleClient();
    await sql.query('DELETE FROM applications WHERE client_id = $1', [first]);
    await bootstrapConsole();
    const second = await app.get(InstanceStore).findConsoleClient();
    expect(second).not.toBe(first);
    expect((await get('/console')).statusCode).toBe(200);
  });
});
