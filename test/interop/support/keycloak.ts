import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { run } from '../../../scripts/processes.mjs';

const VERSION = '26.0.8';
const ADMIN = { username: 'admin', password: 'of-tests-alone' };
const FETCHED = path.resolve('.data/interop/keycloak');
const HOME = path.join(FETCHED, `keycloak-${VERSION}`);
/** It puts itself together anew at its start, on two cores that others use as well. */
const MOST_START_MS = 240_000;
const REALM = 'acme';

/** Keycloak with a realm of its own, in memory, on plain http. */
export class Keycloak {
  readonly version = VERSION;
  private token = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {}

  /** @param authorities files of PEM with those whom it trusts besides the usual ones */
  static async start(authorities: readonly string[] = []): Promise<Keycloak> {
    await fetchDistribution();
    const port = await anyFreePort();
    const child = spawn(
      'sh',
      [
        'bin/kc.sh',
        'start-dev',
        `--http-port=${port}`,
        '--http-host=127.0.0.1',
        '--db=dev-mem',
        '--log-level=warn',
        ...(authorities.length === 0 ? [] : [`--truststore-paths=${authorities.join(',')}`]),
      ],
      {
        cwd: HOME,
        stdio: 'ignore',
        detached: true,
        // oxlint-disable-next-line node/no-process-env -- Java is found by it
        env: {
          ...process.env,
          KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
          KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
          JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
        },
      },
    );
    const keycloak = new Keycloak(child, `http://localhost:${port}`);
    try {
      await keycloak.answers();
      await keycloak.call('POST', '', { realm: REALM, enabled: true, sslRequired: 'none' });
      return keycloak;
    } catch (error) {
      await keycloak.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const over = new Promise((resolve) => this.child.once('exit', resolve));
    // the shell and the Java that it started
    if (this.child.pid !== undefined) process.kill(-this.child.pid);
    await over;
  }

  get issuer(): string {
    return `${this.origin}/realms/${REALM}`;
  }

  async addUser(username: string, password: string): Promise<string> {
    const created = await this.call('POST', `/${REALM}/users`, {
      username,
      enabled: true,
      email: `${username}@acme.test`,
      emailVerified: true,
      firstName: username,
      lastName: 'Byron',
      credentials: [{ type: 'password', value: password, temporary: false }],
    });
    return created.headers.get('location')?.split('/').at(-1) ?? '';
  }

  /**
   * Its users are those of a directory from then on, whom it asks about each time. Names come from the attributes that are
   * `inetOrgPerson`'s for them.
   */
  async federate(directory: Readonly<Record<string, string>>): Promise<void> {
    const { id } = (await (await this.call('GET', `/${REALM}`)).json()) as { id: string };
    const settings = {
      enabled: 'true',
      vendor: 'other',
      authType: 'simple',
      editMode: 'READ_ONLY',
      cachePolicy: 'NO_CACHE',
      trustEmail: 'true',
      useTruststoreSpi: 'always',
      usernameLDAPAttribute: 'uid',
      rdnLDAPAttribute: 'uid',
      uuidLDAPAttribute: 'entryUUID',
      userObjectClasses: 'inetOrgPerson',
      searchScope: '2',
      ...directory,
    };
    const component = (name: string, provider: readonly [string, string], parentId: string, of: object) => ({
      name,
      providerId: provider[0],
      providerType: `org.keycloak.storage.${provider[1]}`,
      parentId,
      config: Object.fromEntries(Object.entries(of).map(([key, value]) => [key, [value]])),
    });
    const created = await this.call(
      'POST',
      `/${REALM}/components`,
      component('directory', ['ldap', 'UserStorageProvider'], id, settings),
    );
    const storage = created.headers.get('location')?.split('/').at(-1) ?? '';
    const listed = await this.call('GET', `/${REALM}/components?parent=${storage}&name=first%20name`);
    for (const { id: mapper } of (await listed.json()) as readonly { id: string }[]) {
      await this.call('DELETE', `/${REALM}/components/${mapper}`);
    }
    await this.call(
      'POST',
      `/${REALM}/components`,
      component('given name', ['user-attribute-ldap-mapper', 'ldap.mappers.LDAPStorageMapper'], storage, {
        'ldap.attribute': 'givenName',
        'user.model.attribute': 'firstName',
        'read.only': 'true',
        'always.read.value.from.ldap': 'true',
        'is.mandatory.in.ldap': 'false',
      }),
    );
  }

  async addClient(client: object): Promise<string> {
    const created = await this.call('POST', `/${REALM}/clients`, client);
    return created.headers.get('location')?.split('/').at(-1) ?? '';
  }

  async changeClient(id: string, changes: object): Promise<void> {
    const found = (await (await this.call('GET', `/${REALM}/clients/${id}`)).json()) as object;
    await this.call('PUT', `/${REALM}/clients/${id}`, { ...found, ...changes });
  }

  /** What it makes of the metadata of a service provider. */
  async readMetadata(xml: string): Promise<Record<string, unknown>> {
    const read = await this.call('POST', `/${REALM}/client-description-converter`, xml);
    return (await read.json()) as Record<string, unknown>;
  }

  /** By an administrator: all sessions of somebody end. */
  async signOut(userId: string): Promise<void> {
    await this.call('POST', `/${REALM}/users/${userId}/logout`, {});
  }

  /** How many sessions somebody has there. */
  async sessionsOf(userId: string): Promise<number> {
    const listed = await this.call('GET', `/${REALM}/users/${userId}/sessions`);
    return ((await listed.json()) as readonly unknown[]).length;
  }

  private async call(method: string, to: string, body?: unknown): Promise<Response> {
    // for a minute each
    await this.signInAsAdmin();
    const response = await fetch(`${this.origin}/admin/realms${to}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': typeof body === 'string' ? 'application/xml' : 'application/json',
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`keycloak ${to}: ${response.status} ${await response.text()}`);
    return response;
  }

  private async signInAsAdmin(): Promise<void> {
    const response = await fetch(`${this.origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN }),
    });
    if (!response.ok) throw new Error(`keycloak: ${response.status} ${await response.text()}`);
    ({ access_token: this.token } = (await response.json()) as { access_token: string });
  }

  private async answers(): Promise<void> {
    const deadline = Date.now() + MOST_START_MS;
    for (;;) {
      if (this.child.exitCode !== null) throw new Error(`keycloak ended with ${this.child.exitCode}`);
      const isUp = await this.signInAsAdmin().then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (Date.now() > deadline) throw new Error('keycloak does not answer');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** Once; a machine that cannot fetch it fails the test. */
async function fetchDistribution(): Promise<void> {
  if (existsSync(path.join(HOME, 'bin/kc.sh'))) return;
  await mkdir(FETCHED, { recursive: true });
  const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  const steps: readonly (readonly [string, ...string[]])[] = [
    ['mvn', '-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${FETCHED}`],
    ['unzip', '-q', '-o', `keycloak-quarkus-dist-${VERSION}.zip`],
  ];
  for (const [command, ...args] of steps) {
    const { code, output } = await run(command, args, { cwd: FETCHED, timeoutMs: 15 * 60_000, group: true });
    if (code !== 0) throw new Error(`could not fetch keycloak: ${output.slice(-2000)}`);
  }
}
