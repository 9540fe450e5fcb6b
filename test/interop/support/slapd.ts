import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { run } from '../../../scripts/processes.mjs';
import { TestAuthority } from '../../conformance/support/certificate.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD } from '../../support/directory.js';

const SLAPD = '/usr/sbin/slapd';
const SLAPADD = '/usr/sbin/slapadd';
const SUFFIX = 'dc=acme,dc=test';

export interface Person {
  readonly uid: string;
  readonly givenName: string;
  readonly sn: string;
  readonly password: string;
}

/** OpenLDAP with these people, on ports of its own: one with TLS, and one that begins it when asked to. */
export class Slapd {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly version: string,
    /** PEM of who signed its certificate. */
    readonly authority: string,
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
    const configuration = file(
      'slapd.conf',
      [
        ...['core', 'cosine', 'inetorgperson'].map((schema) => `include /etc/ldap/schema/${schema}.schema`),
        'modulepath /usr/lib/ldap',
        'moduleload back_mdb',
        `pidfile ${folder}/slapd.pid`,
        `TLSCACertificateFile ${file('authority.pem', authority.cert)}`,
        `TLSCertificateFile ${file('cert.pem', cert)}`,
        `TLSCertificateKeyFile ${file('key.pem', key)}`,
        // a simple bind shows the password: it needs TLS
        'security simple_bind=112',
        'database mdb',
        `suffix "${SUFFIX}"`,
        `directory ${folder}`,
        'access to attrs=userPassword by anonymous auth by * none',
        'access to * by users read by * none',
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
    return new Slapd(child, folder, version, authority.cert, ldapUrl, ldapsUrl);
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

function entriesOf(people: readonly Person[]): string {
  const [bindName = ''] = BIND_DN.replace('cn=', '').split(',');
  const [unit = ''] = BASE_DN.replace('ou=', '').split(',');
  return [
    `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\no: Acme\ndc: acme`,
    `dn: ${BASE_DN}\nobjectClass: organizationalUnit\nou: ${unit}`,
    `dn: ${BIND_DN}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: ${bindName}\nuserPassword: ${BIND_PASSWORD}`,
    ...people.map(
      ({ uid, givenName, sn, password }) =>
        `dn: uid=${uid},${BASE_DN}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${givenName} ${sn}\ngivenName: ${givenName}\n` +
        `sn: ${sn}\nmail: ${uid}@acme.test\nuserPassword: ${password}`,
    ),
    '',
  ].join('\n\n');
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
