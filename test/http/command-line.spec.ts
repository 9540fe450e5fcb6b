import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aRegistered } from '../support/client-registration.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { identity } from '../unit/cli/support/run-cli.js';

// What the commands send is what the API takes; how they print is told by test/unit/cli/resources.spec.ts.

describe('identity projects|applications|registration-tokens|providers|login-policy|users|migration|scim-tokens|webhooks → API', () => {
  const { api, world } = useWorld({ CLIENT_REGISTRATION: 'token' });
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
  let around: { url: string; token: string; fetch: typeof globalThis.fetch };
  let directory: string;
  let projectId: string;

  beforeAll(async () => {
    await api.app.listen(0, '127.0.0.1');
    const { port } = api.app.getHttpServer().address() as AddressInfo;
    around = { url: `http://127.0.0.1:${port}`, token: owner.pat, fetch };
    const answer = await fetch(`${around.url}/management/v1/projects`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${owner.pat}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Shop' }),
    });
    projectId = ((await answer.json()) as { id: string }).id;
  });
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'identity-cli-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  afterAll(async () => {
    await api.app.close();
  });

  /** @throws Error with what the command complained of */
  async function run(...args: string[]): Promise<string> {
    const { code, out, err } = await identity(args, '', around);
    if (code !== 0) throw new Error(`${code}: ${err}${out}`);
    return out;
  }

  async function runJson<Answer>(...args: string[]): Promise<Answer> {
    return JSON.parse(await run(...args, '--json')) as Answer;
  }

  async function fileOf(settings: object): Promise<string> {
    const file = path.join(directory, 'settings.json');
    await writeFile(file, JSON.stringify(settings));
    return file;
  }

  it('keeps a webhook from its creation to its removal', async () => {
    const settings = { name: 'Directory sync', url: 'https://hooks.example.com/', eventTypes: ['user.*'] };
    const secretFile = path.join(directory, 'secret');
    const created = await runJson<{ id: string; secret?: string }>(
      'webhooks',
      'create',
      '--file',
      await fileOf(settings),
      '--secret-file',
      secretFile,
    );
    expect(created.secret).toBeUndefined();
    expect((await readFile(secretFile, 'utf8')).length).toBeGreaterThan(20);
    expect((await stat(secretFile)).mode & 0o077).toBe(0);
    const { id } = created;

    expect(await run('webhooks', 'list')).toContain(`${id}  STATE_ACTIVE  Directory sync`);
    await run('webhooks', 'update', id, '--file', await fileOf({ ...settings, name: 'Audit' }));
    const shown = await runJson<object>('webhooks', 'get', id);
    expect(shown).toMatchObject({ id, name: 'Audit', url: settings.url });
    await run('webhooks', 'update', id, '--file', await fileOf({ ...shown, name: 'Audit log' }));
    await run('webhooks', 'deactivate', id);
    await run('webhooks', 'activate', id);
    expect(await run('webhooks', 'change-secret', id)).toContain('Shown this once: ');
    await run('webhooks', 'replay', id, '--from', '1h');
    expect(await run('webhooks', 'dead-letters', id)).toBe('There are no dead letters.\n');
    await run('webhooks', 'replay-dead-letters', id);
    await expect(run('webhooks', 'remove', id)).rejects.toThrow('confirm with --yes');
    await run('webhooks', 'remove', id, '--yes');
    expect(await run('webhooks', 'list')).toBe('There are no webhooks.\n');
  });

  it('makes a project whose resource applications ask tokens for, and changes it', async () => {
    const settings = { name: 'Maps', resourceUri: 'https://api.example/maps', openResource: true };
    const { id } = await runJson<{ id: string }>('projects', 'create', '--file', await fileOf(settings));
    expect(await runJson('projects', 'get', id)).toMatchObject({ id, ...settings });
    expect(await run('projects', 'list')).toContain(
      `${id}  PROJECT_STATE_ACTIVE  Maps  ${settings.resourceUri}`,
    );
    await run('projects', 'update', id, '--file', await fileOf({ name: 'Charts' }));
    const changed = await runJson('projects', 'get', id);
    expect(changed).toMatchObject({ name: 'Charts' });
    expect(changed).not.toHaveProperty('resourceUri');
    const shown = await runJson<object>('projects', 'get', id);
    const file = await fileOf({ ...shown, name: 'Atlas', projectRoleCheck: true });
    await run('projects', 'update', id, '--file', file);
    expect(await runJson('projects', 'get', id)).toMatchObject({ name: 'Atlas', projectRoleCheck: true });
    // the file is of the time before that
    await expect(run('projects', 'update', id, '--file', file)).rejects.toThrow(/1: .*412/);
    const unfit = await fileOf({ name: 'Charts', openResource: true });
    await expect(run('projects', 'update', id, '--file', unfit)).rejects.toThrow('needs a resourceUri');
  });

  it('keeps the webhook of claims', async () => {
    expect(await run('claims-webhook', 'get')).toBe('There is none.\n');
    const file = await fileOf({ url: 'https://hooks.example.com/claims', onFailure: 'refuse' });
    expect(await run('claims-webhook', 'set', '--file', file)).toContain('Shown this once: ');
    expect(await run('claims-webhook', 'set', '--file', file)).not.toContain('Shown this once: ');
    expect(await runJson('claims-webhook', 'get')).toMatchObject({ onFailure: 'refuse' });
    await run('claims-webhook', 'change-secret', '--overlap', '60s');
    await run('claims-webhook', 'remove', '--yes');
  });

  it('keeps applications, and secrets out of sight', async () => {
    const place = ['--project', projectId];
    const file = await fileOf({
      name: 'Web',
      redirectUris: ['https://app.example.com/callback'],
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
    });
    const created = await run('applications', 'create', ...place, '--file', file);
    const [, id = ''] = /Created the application (\S+) with the client id/.exec(created) ?? [];
    expect(created).toContain('Shown this once: ');
    expect(await run('applications', 'list', ...place)).toContain(id);
    const { oidcConfig } = await runJson<{ oidcConfig: { redirectUris: string[] } }>(
      'applications',
      'get',
      id,
      ...place,
    );
    expect(oidcConfig.redirectUris).toEqual(['https://app.example.com/callback']);
    const changed = await fileOf({
      redirectUris: ['https://app.example.com/other'],
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
    });
    await run('applications', 'configure', id, ...place, '--file', changed);
    expect(await run('applications', 'generate-secret', id, ...place)).toContain('Shown this once: ');
    await run('applications', 'deactivate', id, ...place);
    await run('applications', 'reactivate', id, ...place);
    await run('applications', 'remove', id, ...place, '--yes');

    const api = await fileOf({ name: 'Orders' });
    expect(await run('applications', 'create', ...place, '--type', 'api', '--file', api)).toContain(
      'Created',
    );
  });

  it('makes, lists and removes tokens of directories and of registrations', async () => {
    const scim = await runJson<{ tokenId: string; token: string }>(
      'scim-tokens',
      'create',
      '--name',
      'Entra ID',
      '--trusts-emails',
      '--project',
      projectId,
    );
    expect(scim.token.length).toBeGreaterThan(20);
    expect(await run('scim-tokens', 'list')).toContain('never used');
    await run('scim-tokens', 'remove', scim.tokenId, '--yes');
    const initial = await runJson<{ tokenId: string; token: string }>(
      'registration-tokens',
      'create',
      '--name',
      'Previews',
      '--uses',
      '5',
      '--project',
      projectId,
      '--expires',
      '2030-01-31T12:00:00Z',
    );
    const { client_id } = await aRegistered(api, initial.token);
    const place = ['--project', projectId];
    const [, id = ''] =
      new RegExp(`^(\\S+) .*${client_id}`, 'm').exec(await run('applications', 'list', ...place)) ?? [];
    expect(await run('applications', 'generate-registration-token', id, ...place)).toContain(
      'Shown this once: reg_',
    );
    expect(await run('applications', 'end-registration-token', id, ...place)).toContain('has ended');
    expect(await run('registration-tokens', 'list')).toMatch(/Previews {2}until 2030-01-31.* {2}1 of 5 uses/);
    await run('registration-tokens', 'remove', initial.tokenId, '--yes');
  });

  it('keeps identity providers, and the migration of users', async () => {
    const settings = {
      kind: 'google',
      name: 'Google',
      clientId: 'not-a-real-client',
      clientSecret: 'not-a-real-secret',
    };
    const created = await run('providers', 'create', '--file', await fileOf(settings));
    expect(created).toContain('Register at the provider: ');
    const [, id = ''] = /Created the identity provider (\S+)\./.exec(created) ?? [];
    expect(await run('providers', 'list')).toContain(`${id}  STATE_INACTIVE  google  Google`);
    await run('providers', 'activate', id);
    const { clientSecret: _, ...withoutSecret } = settings;
    const file = await fileOf({ ...withoutSecret, name: 'Google Workspace' });
    await run('providers', 'update', id, '--file', file);
    const shown = await runJson<object>('providers', 'get', id);
    await run('providers', 'update', id, '--file', await fileOf({ ...shown, name: 'Google' }));
    await run('providers', 'deactivate', id);
    await run('providers', 'remove', id, '--yes');

    const endsAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const migration = await fileOf({ kind: 'webhook', url: 'https://old.example.com/check', endsAt });
    expect(await run('migration', 'set', '--file', migration)).toContain('Shown this once: ');
    expect(await runJson('migration', 'get')).toMatchObject({ kind: 'webhook', isActive: false });
    expect(await run('migration', 'rotate-secret')).toContain('Shown this once: ');
    await run('migration', 'remove', '--yes');
  });

  it('keeps the identities of a user', async () => {
    const settings = {
      kind: 'google',
      name: 'Google',
      clientId: 'a-client',
      clientSecret: 'not-a-real-secret',
    };
    const { id: provider } = await runJson<{ id: string }>(
      'providers',
      'create',
      '--file',
      await fileOf(settings),
    );
    const { loginName } = await aUser(world);
    const identities = ['users', 'identities'];
    expect(await run(...identities, 'list', loginName)).toBe(`${loginName} has no identities.\n`);
    const wanted = [
      '--provider',
      provider,
      '--external-id',
      '00u1a2b3c4',
      '--display-name',
      'ada@acme.example',
    ];
    const { id } = await runJson<{ id: string }>(...identities, 'add', loginName, ...wanted);
    expect(await run(...identities, 'list', loginName)).toBe(
      `${id}  Google  00u1a2b3c4  ada@acme.example  never used\n`,
    );
    await expect(run(...identities, 'remove', loginName, id)).rejects.toThrow('confirm with --yes');
    await run(...identities, 'remove', loginName, id, '--yes');
    expect(await run(...identities, 'list', loginName)).toBe(`${loginName} has no identities.\n`);
    await run('providers', 'remove', provider, '--yes');
  });

  it('keeps the login policy from its default to its reset', async () => {
    const usual = await runJson<object>('login-policy', 'get');
    expect(usual).toMatchObject({ allowExternalIdps: true, isDefault: true, details: { sequence: '0' } });
    const file = await fileOf({ ...usual, allowExternalIdps: false });
    await run('login-policy', 'set', '--file', file);
    const held = await runJson<object>('login-policy', 'get');
    expect(held).toMatchObject({ allowExternalIdps: false, instanceIdps: [], isDefault: false });
    await expect(run('login-policy', 'set', '--file', file)).rejects.toThrow(/1: .*412/);
    await run('login-policy', 'set', '--file', await fileOf({ ...held, allowAccountDeletion: true }));
    expect(await runJson('login-policy', 'get')).toMatchObject({
      allowExternalIdps: false,
      allowAccountDeletion: true,
    });
    await expect(run('login-policy', 'reset')).rejects.toThrow('confirm with --yes');
    await run('login-policy', 'reset', '--yes');
    expect(await runJson('login-policy', 'get')).toMatchObject(usual);
    // what was reset counts as never set
    await run('login-policy', 'set', '--file', await fileOf(usual));
    await run('login-policy', 'reset', '--yes');
  });

  it('says what the API refuses', async () => {
    const file = await fileOf({ name: 'Nobody', url: 'https://hooks.example.com/', eventTypes: [] });
    await expect(run('webhooks', 'create', '--file', file)).rejects.toThrow(/1: .*eventTypes/);
    await expect(run('webhooks', 'create', '--file', file, '--instance')).rejects.toThrow(/403/);
  });
});
