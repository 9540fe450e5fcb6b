import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { run } from '../../../scripts/processes.mjs';
import { TestAuthority } from '../../conformance/support/certificate.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD } from '../../support/directory.js';

const SLAPD = '/usr/sbin/slapd';
const SLAPADD = '/usr/sbin/slapadd';
const SUFFIX = 'dc=acme,dc=test';
const ADMIN = { dn: `cn=admin,${SUFFIX}`, password: 'of-tests-alone' };
/** Shut out by an administrator until one lets them in again (draft-behera-ldap-password-policy §5.3.3). */
const LOCKED = '000001010000Z';

export interface Person {
  readonly uid: string;
  readonly givenName: string;
  readonly sn: string;
  readonly password: string;
  /** The part of their address before the `@`, where it is not `uid`. */
  readonly mailbox?: string;
  /** By an administrator, whatever they type. */
  readonly locked?: boolean;
}

/** OpenLDAP with these people, on ports of its own: one with TLS, and one that begins it when asked to. */
export class Slapd {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly version: string,
    /** PEM of who signed its certificate. */
    readonly authority: string,
    /** A file with it. */
    readonly authorityFile: string,
    readonly ldapUrl: string,
    readonly ldapsUrl: string,
  ) {}

  static async start(people: readonly Person[]): Promise<Slapd> {
    const version = await installed();
    const folder = mkdtempSync(path.join(tmpdir(), 'identity-slapd-'));
    const authority = new TestAuthority();
    const { cert, key } = authority.issue('localhost');
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(folder, name), text, { mode: 0o600 });
      return path.join(folder, name);
    };
    const authorityFile = file('authority.pem', authority.cert);
    const configuration = file(
      'slapd.conf',
      [
        ...['core', 'cosine', 'inetorgperson'].map((schema) => `include /etc/ldap/schema/${schema}.schema`),
        'modulepath /usr/lib/ldap',
        'moduleload back_mdb',
        'moduleload ppolicy',
        `pidfile ${folder}/slapd.pid`,
        `TLSCACertificateFile ${authorityFile}`,
        `TLSCertificateFile ${file('cert.pem', cert)}`,
        `TLSCertificateKeyFile ${file('key.pem', key)}`,
        // a simple bind shows the password: it needs TLS
        'security simple_bind=112',
        'database mdb',
        `suffix "${SUFFIX}"`,
        `rootdn "${ADMIN.dn}"`,
        `rootpw ${ADMIN.password}`,
        `directory ${folder}`,
        'access to attrs=userPassword by anonymous auth by * none',
        'access to * by users read by * none',
        'overlay ppolicy',
        `ppolicy_default "cn=policy,${SUFFIX}"`,
        '',
      ].join('\n'),
    );
    const added = await run(SLAPADD, ['-f', configuration, '-l', file('people.ldif', entriesOf(people))]);
    if (added.code !== 0) throw new Error(added.output);
    const [plain, secure] = [await anyFreePort(), await anyFreePort()];
    const urls = `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`;
    const child = spawn(SLAPD, ['-h', urls, '-f', configuration, '-d', '0'], { stdio: 'ignore' });
    await listens(secure);
    const [ldapUrl, ldapsUrl] = [`ldap://localhost:${plain}`, `ldaps://localhost:${secure}`];
    return new Slapd(child, folder, version, authority.cert, authorityFile, ldapUrl, ldapsUrl);
  }

  async setPassword(dn: string, password: string): Promise<void> {
    await this.replace(dn, 'userPassword', [password]);
  }

  async unlock(dn: string): Promise<void> {
    await this.replace(dn, 'pwdAccountLockedTime', []);
  }

  /** An entry goes elsewhere in the tree, and stays the one that it is. */
  async move(from: string, to: string): Promise<void> {
    await this.asAdmin(async (client) => await client.modifyDN(from, to));
  }

  private async replace(dn: string, type: string, values: string[]): Promise<void> {
    const modification = new Attribute({ type, values });
    await this.asAdmin(
      async (client) => await client.modify(dn, new Change({ operation: 'replace', modification })),
    );
  }

  private async asAdmin(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ url: this.ldapsUrl, tlsOptions: { ca: [this.authority] } });
    await client.bind(ADMIN.dn, ADMIN.password);
    try {
      await work(client);
    } finally {
      await client.unbind();
    }
  }

  async stop(): Promise<void> {
    const over = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill();
    await over;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Debian's package; its own service is not started. */
async function installed(): Promise<string> {
  const version = async () => /slapd (\d[\d.]*)/.exec((await run(SLAPD, ['-VV'])).output)?.[1];
  const found = await version().catch(() => undefined);
  if (found !== undefined) return found;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = ['install', '-y', '-q', '--no-install-recommends', 'slapd'];
  let result = await run('apt-get', install, { env, timeoutMs: 300_000 });
  if (result.code !== 0) {
    await run('apt-get', ['update', '-q'], { env, timeoutMs: 300_000 });
    result = await run('apt-get', install, { env, timeoutMs: 300_000 });
  }
  const now = await version();
  if (now === undefined) throw new Error(`slapd cannot be installed: ${result.output}`);
  return now;
}

/** Where somebody's entry is, unless it has moved. */
export function entryOf(uid: string, unit = BASE_DN): string {
  return `uid=${uid},${unit}`;
}

/** A part of the people's own. */
export const OTHER_UNIT = `ou=berlin,${BASE_DN}`;

function entriesOf(people: readonly Person[]): string {
  const [bindName = ''] = BIND_DN.replace('cn=', '').split(',');
  const unit = (dn: string) =>
    entry(dn, [
      ['objectClass', 'organizationalUnit'],
      ['ou', dn.slice('ou='.length, dn.indexOf(','))],
    ]);
  return [
    entry(SUFFIX, [
      ['objectClass', 'dcObject'],
      ['objectClass', 'organization'],
      ['o', 'Acme'],
      ['dc', 'acme'],
    ]),
    unit(BASE_DN),
    unit(OTHER_UNIT),
    entry(BIND_DN, [
      ['objectClass', 'organizationalRole'],
      ['objectClass', 'simpleSecurityObject'],
      ['cn', bindName],
      ['userPassword', BIND_PASSWORD],
    ]),
    entry(`cn=policy,${SUFFIX}`, [
      ['objectClass', 'device'],
      ['objectClass', 'pwdPolicy'],
      ['cn', 'policy'],
      ['pwdAttribute', 'userPassword'],
      // it looks whether somebody is locked
      ['pwdLockout', 'TRUE'],
    ]),
    ...people.map(({ uid, givenName, sn, password, mailbox = uid, locked = false }) =>
      entry(entryOf(uid), [
        ['objectClass', 'inetOrgPerson'],
        ['uid', uid],
        ['cn', `${givenName} ${sn}`],
        ['givenName', givenName],
        ['sn', sn],
        ['mail', `${mailbox}@acme.test`],
        ['userPassword', password],
        ...(locked ? [['pwdAccountLockedTime', LOCKED] as const] : []),
      ]),
    ),
    '',
  ].join('\n\n');
}

/** LDIF takes no text but ASCII as it stands (RFC 2849). */
function entry(dn: string, attributes: readonly (readonly [string, string])[]): string {
  return [['dn', dn] as const, ...attributes]
    .map(([name, value]) => `${name}:: ${Buffer.from(value).toString('base64')}`)
    .join('\n');
}

async function listens(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const stands = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (stands) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('slapd does not listen');
}
