import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { Program } from '../browser/support/program.js';
import { HttpBrowser } from '../conformance/http-browser.js';
import { readCompose } from '../support/compose.js';
import { databaseUrl, emptyDatabase, runAsAdmin, type TestDatabase } from '../support/databases.js';
import { randomPrefix, redisUrl } from '../support/redis.js';

// docs/first-five-minutes.md, by the very commands that compose runs, on an empty database in production.

const ROOT = path.join(import.meta.dirname, '../..');
const DIST = process.env['TEST_DIST'] ?? path.join(ROOT, 'dist');
const MIGRATE_AND_BOOTSTRAP = 'node dist/src/cli/migrate.js && node dist/src/cli/bootstrap.js';
const PASSWORD = 'A-Password-0f-Their-Own';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let database: TestDatabase;
let role: string;
let sql: pg.Pool;
let folder: string;
let environment: Record<string, string>;

/** As the image runs it: the folder holds `dist`, and the shell gets the line. */
function shell(line: string, more: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const env = {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    ...environment,
    ...more,
  };
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd: folder, env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err });
    });
  });
}

async function rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await sql.query<Record<string, unknown>>(text, values)).rows;
}

const linkIn = (text: string): URL => new URL(/^ {2}(http\S+)$/m.exec(text)?.[1] ?? 'about:nothing');
const tokenFile = () => path.join(folder, 'secrets/token');

beforeAll(async () => {
  database = await emptyDatabase();
  // a database password that production takes
  role = `operator_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(24).toString('hex');
  const { adminUrl } = inject('services');
  await runAsAdmin(adminUrl, `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${password}'`);
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => undefined);
  folder = await mkdtemp(path.join(tmpdir(), 'identity-operator-'));
  await symlink(DIST, path.join(folder, 'dist'));
  const port = await anyFreePort();
  environment = {
    NODE_ENV: 'production',
    PUBLIC_URL: `http://localhost:${port}`,
    PORT: String(port),
    OPS_PORT: '0',
    DATABASE_URL: databaseUrl(url.href, new URL(database.url).pathname.slice(1)),
    REDIS_URL: redisUrl(),
    QUEUE_PREFIX: randomPrefix(),
    MASTER_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_PRIMARY_DOMAIN: 'acme.example',
    BOOTSTRAP_SERVICE_USER_TOKEN_FILE: tokenFile(),
  };
});
afterAll(async () => {
  await sql.end();
  await database.drop();
  await runAsAdmin(inject('services').adminUrl, `DROP ROLE ${role}`);
  await rm(folder, { recursive: true, force: true });
});

describe('an operator’s first five minutes', () => {
  let api: Program;
  let issuer: string;
  let link: URL;

  beforeAll(async () => {
    issuer = environment['PUBLIC_URL'] ?? '';
    const first = await shell(MIGRATE_AND_BOOTSTRAP);
    if (first.code !== 0) throw new Error(first.err);
    link = linkIn(first.out);
    api = Program.start('src/main', environment);
    await api.untilReady();
  });
  afterAll(() => api.stop());

  async function signIn(browser: HttpBrowser, password: string): Promise<string> {
    const seen = await browser.open(new URL('/login', issuer));
    if (!('page' in seen)) throw new Error('no sign-in page');
    const after = await browser.fillIn(seen.page, { loginName: 'admin@acme.example', password });
    return 'page' in after ? after.page : after.left.href;
  }

  async function setPassword(at: URL, password: string): Promise<string> {
    const browser = new HttpBrowser(issuer);
    const seen = await browser.open(at);
    if (!('page' in seen)) throw new Error('no page');
    const after = await browser.fillIn(seen.page, { newPassword: password, repeatPassword: password });
    return 'page' in after ? after.page : '';
  }

  it('the commands are those of compose', async () => {
    const { services } = readCompose();
    const composed = ['migrate', 'bootstrap'].map((name) => services[name]?.command?.join(' '));
    expect(composed.join(' && ')).toBe(MIGRATE_AND_BOOTSTRAP);
    expect(await readFile(path.join(ROOT, 'docs/first-five-minutes.md'), 'utf8')).toContain(
      MIGRATE_AND_BOOTSTRAP,
    );
  });

  it('nothing was made for development', async () => {
    // the service's own: whoever it signs in is shown what their roles allow
    expect(await rows('SELECT name, dev_mode FROM applications')).toEqual([
      { name: 'Console', dev_mode: !issuer.startsWith('https:') },
    ]);
    expect(await rows('SELECT name FROM projects')).toEqual([{ name: 'Identity Service' }]);
    expect(await rows('SELECT user_name, state FROM users ORDER BY user_name')).toEqual([
      { user_name: 'admin', state: 'initial' },
      { user_name: 'admin-service-user', state: 'active' },
    ]);
    const refused = await shell('node dist/src/cli/bootstrap.js --credentials credentials.json');
    expect(refused.code).toBe(64);
    expect(refused.err).toContain('--credentials is for development');
  });

  it('the printed link sets the administrator’s password, once, and they sign in', async () => {
    expect(link.href.startsWith(`${issuer}/password/init?id=`)).toBe(true);
    const done = await setPassword(link, PASSWORD);
    expect(done).toContain('Your password is set');
    // it was printed, not sent: it proves no address
    expect(done).not.toContain('verified');
    expect(await rows('SELECT DISTINCT proven FROM login_identifiers')).toEqual([{ proven: false }]);
    const again = await new HttpBrowser(issuer).open(link);
    expect('page' in again && again.page).not.toContain('newPassword');
    expect(await signIn(new HttpBrowser(issuer), PASSWORD)).toContain('admin@acme.example');
  });

  it('the token of the file makes the first call', async () => {
    expect((await stat(tokenFile())).mode & 0o777).toBe(0o600);
    const authorization = `Bearer ${(await readFile(tokenFile(), 'utf8')).trim()}`;
    const answer = await fetch(`${issuer}/admin/v1/orgs/_search`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
  });

  it('S208: the commands of the next release change nothing, and print no secret', async () => {
    const stored = await rows('SELECT hash FROM user_passwords');
    const token = await readFile(tokenFile(), 'utf8');
    const changes = await rows('SELECT position FROM events ORDER BY position');
    const { code, out, err } = await shell(MIGRATE_AND_BOOTSTRAP, {
      BOOTSTRAP_ADMIN_PASSWORD: 'Another-Password-1',
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('The schema is up to date.');
    expect(out).not.toMatch(/http|pat_/);
    expect(await rows('SELECT hash FROM user_passwords')).toEqual(stored);
    expect(await readFile(tokenFile(), 'utf8')).toBe(token);
    expect(await rows('SELECT position FROM events ORDER BY position')).toEqual(changes);
  });

  it('a signing algorithm that is chosen later says when it takes effect', async () => {
    const chosen = { SIGNING_ALG: 'PS256' };
    const before = await shell(MIGRATE_AND_BOOTSTRAP, chosen);
    expect(before.out).toMatch(
      /^SIGNING_ALG=PS256 signs about 24 h after an API first starts with it; until then RS256 does\.$/m,
    );
    expect(api.log).not.toContain('SIGNING_ALG');
    const other = Program.start('src/main', { ...environment, ...chosen, PORT: String(await anyFreePort()) });
    try {
      await other.untilReady();
      expect(other.log).toMatch(
        /"algorithm":"PS256","signing":"RS256","takesEffectAt":"\d{4}-[^"]+","msg":"SIGNING_ALG takes effect later"/,
      );
    } finally {
      await other.stop();
    }
    const after = await shell(MIGRATE_AND_BOOTSTRAP, chosen);
    expect(after.out).toMatch(/^SIGNING_ALG=PS256 signs from \d{4}-\S+Z on; until then RS256 does\.$/m);
  });

  describe('S209: identity admin recover', () => {
    const recover = (name = '') => shell(`node dist/src/cli/identity.js admin recover ${name}`);

    it('refuses a name that is no owner’s, and changes nothing', async () => {
      const changes = await rows('SELECT position FROM events ORDER BY position');
      for (const name of ['nobody@acme.example', 'admin-service-user']) {
        const { code, out, err } = await recover(name);
        expect({ code, out }).toEqual({ code: 1, out: '' });
        expect(err).toContain(`"${name}" is no owner of this instance`);
        expect(err).toContain('admin@acme.example');
      }
      expect((await recover('one two')).code).toBe(2);
      expect(await rows('SELECT position FROM events ORDER BY position')).toEqual(changes);
    });

    it('lets a locked administrator set a new password, which ends what the old one let in', async () => {
      const signedIn = new HttpBrowser(issuer);
      expect(await signIn(signedIn, PASSWORD)).toContain('admin@acme.example');
      await sql.query(`UPDATE users SET state = 'locked' WHERE kind = 'human'`);
      const { code, out, err } = await recover('ADMIN@acme.example');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('admin@acme.example was locked and is active again.');
      const events = await rows(
        `SELECT type, actor_id, data ? 'osUser' AS named FROM events ORDER BY position DESC LIMIT 2`,
      );
      expect(events).toEqual([
        {
          type: 'user.human.password.recovery_started',
          actor_id: 'operator at the command line',
          named: true,
        },
        { type: 'user.unlocked', actor_id: 'operator at the command line', named: false },
      ]);
      expect(linkIn(out).pathname).toBe('/password/reset');
      // the old one holds until the link is used
      expect(await signIn(new HttpBrowser(issuer), PASSWORD)).toContain('You are signed in');

      const done = await setPassword(linkIn(out), 'The-Next-0ne-Of-Theirs');
      expect(done).toContain('Your password is set');
      expect(done).not.toContain('verified');
      const home = await signedIn.open(new URL('/', issuer));
      expect('page' in home && home.page).not.toContain('You are signed in');
      expect(await signIn(new HttpBrowser(issuer), 'The-Next-0ne-Of-Theirs')).toContain('You are signed in');
      const used = await new HttpBrowser(issuer).open(linkIn(out));
      expect('page' in used && used.page).not.toContain('newPassword');
    });

    it('takes away second factors as well, where it is told to', async () => {
      await sql.query(
        `INSERT INTO user_code_factors (user_id, org_id, kind) SELECT id, org_id, 'email' FROM users WHERE kind = 'human'`,
      );
      const { out: kept } = await recover();
      expect(kept).not.toContain('second factors');
      expect(await rows('SELECT kind FROM user_code_factors')).toEqual([{ kind: 'email' }]);
      const { code, out, err } = await recover('--reset-factors admin@acme.example');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('The second factors of admin@acme.example are removed');
      expect(linkIn(out).pathname).toBe('/password/reset');
      expect(await rows('SELECT kind FROM user_code_factors')).toEqual([]);
      expect(await rows(`SELECT actor_id FROM events WHERE type = 'user.human.factors.reset'`)).toEqual([
        { actor_id: 'operator at the command line' },
      ]);
    });

    it('hands out a link that nobody ends by asking for a mail', async () => {
      const { out } = await recover();
      const browser = new HttpBrowser(issuer);
      await sql.query(`UPDATE verification_codes SET created_at = created_at - interval '2 minutes'`);
      const form = await browser.open(new URL('/password/forgotten', issuer));
      if (!('page' in form)) throw new Error('no page');
      await browser.fillIn(form.page, { loginName: 'admin@acme.example' });
      const opened = await new HttpBrowser(issuer).open(linkIn(out));
      expect('page' in opened && opened.page).toContain('newPassword');
    });
  });
});

describe('S210: a bootstrap that dies before its commit', () => {
  it('leaves a token that the next one makes true, and nothing else', async () => {
    const own = await emptyDatabase();
    const file = path.join(folder, 'cut-short/token');
    const onOwn = {
      NODE_ENV: 'test',
      DATABASE_URL: own.url,
      BOOTSTRAP_SERVICE_USER_TOKEN_FILE: file,
      BOOTSTRAP_ADMIN_LINK_FILE: path.join(folder, 'cut-short/link'),
    };
    try {
      expect(
        (await shell(MIGRATE_AND_BOOTSTRAP, { ...onOwn, CRASH_AT: 'bootstrap-before-commit' })).code,
      ).not.toBe(0);
      const token = await readFile(file, 'utf8');
      const untrue = await readFile(onOwn.BOOTSTRAP_ADMIN_LINK_FILE, 'utf8');
      const { code, out, err } = await shell(MIGRATE_AND_BOOTSTRAP, onOwn);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`The token of the service user admin-service-user in ${file} is valid.`);
      expect(out).not.toContain('/password/init');
      expect(await readFile(file, 'utf8')).toBe(token);
      const link = await readFile(onOwn.BOOTSTRAP_ADMIN_LINK_FILE, 'utf8');
      expect(link).toMatch(/^http\S+\/password\/init\?id=\S+\n$/);
      expect(link).not.toBe(untrue);
      expect((await stat(onOwn.BOOTSTRAP_ADMIN_LINK_FILE)).mode & 0o777).toBe(0o600);
    } finally {
      await own.drop();
    }
  });
});
