import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILES, FOLDERS } from '../../../scripts/build.mjs';
import { readMigrationConfig } from '../../../src/config/config.js';
import { environment, QUEUE_NAMES, SECRETS } from '../../../src/config/environment.js';
import { environmentOf, interpolate, readCompose, readEnvFile, ROOT } from '../../support/compose.js';

// What compose, .env.example and the Dockerfile name exists, and what docs/configuration.md promises can be set there.

const compose = readCompose();
const proxy = readCompose('deploy/docker-compose.proxy.yml');
const { services } = compose;
const caddyfile = readFileSync(path.join(ROOT, 'deploy/Caddyfile'), 'utf8');
const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
const example = readFileSync(path.join(ROOT, '.env.example'), 'utf8');
const SETTINGS = new Set(Object.keys(environment.shape));
const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`);
/** Read by Compose itself, or by its `${…}` in the files above. */
const OF_COMPOSE = [
  'API_BIND',
  'API_PORT',
  'COMPOSE_PROFILES',
  'DATABASE_OWNER_URL',
  'SECRETS_DIR',
  'PROXY_ADDRESS',
  'PROXY_POOL',
  'PROXY_SUBNET',
];
/** Read by Node.js and the C library. */
const OF_THE_PROCESS = ['NODE_OPTIONS', 'MALLOC_ARENA_MAX'];
/** Where bootstrap writes; not a setting of the serving processes. */
const OF_BOOTSTRAP = ['BOOTSTRAP_SERVICE_USER_TOKEN_FILE'];
/** Compose decides these: where a process stands in its container, and what each worker is there for. */
const FIXED = ['NODE_ENV', 'HOST', 'PORT', 'OPS_HOST', 'OPS_PORT', 'WORKER_QUEUES'];

const own = Object.entries(services).filter(([, { image }]) => image === 'identity-service:local');

function fileOf(command: readonly string[]): string {
  return path.join(ROOT, (command[1] ?? '').replace(/^dist\//, '').replace(/\.js$/, '.ts'));
}

describe('the Dockerfile', () => {
  it('copies everything that a build is made of', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied).toEqual(expect.arrayContaining([...FOLDERS, ...FILES]));
  });
});

describe('docker-compose.yml', () => {
  it.each(own)('%s: its variables, its program and its secrets exist', (_, service) => {
    const known = new Set([...SETTINGS, ...SECRET_FILES]);
    expect(Object.keys(service.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
    const [program, ...rest] = service.command ?? ['node', 'dist/src/main.js'];
    expect(program).toBe('node');
    expect(existsSync(fileOf(['node', ...rest]))).toBe(true);
    const named = Object.entries(service.environment ?? {}).filter(([name]) => name.endsWith('_FILE'));
    const mounted = new Set((service.secrets ?? []).map((name) => `/run/secrets/${name}`));
    for (const [name, file] of named) expect(mounted, name).toContain(file);
    for (const name of service.secrets ?? []) expect(Object.keys(compose.secrets ?? {})).toContain(name);
  });

  it('has every setting of the service take effect from .env, but for those that it decides', () => {
    const marked = [...SETTINGS].map((name) => `${name}=set-in-env`).join('\n');
    for (const [name, service] of own) {
      const seen = environmentOf(service, marked);
      const decided = name === 'migrate' ? [...FIXED, 'DATABASE_URL'] : FIXED;
      const lost = [...SETTINGS].filter(
        (setting) => seen[setting] !== 'set-in-env' && !decided.includes(setting),
      );
      expect(lost, name).toEqual([]);
    }
  });

  it('hands every secret over as a file, and none by value', () => {
    const asFiles = own.flatMap(([, { environment: given = {} }]) => Object.keys(given));
    // these two hold passwords only if an operator writes them there
    const urls = ['DATABASE_URL', 'REDIS_URL'];
    for (const name of SECRETS) if (!urls.includes(name)) expect(asFiles).toContain(`${name}_FILE`);
    for (const [, { environment: given = {} }] of own) {
      for (const name of SECRETS) if (!urls.includes(name)) expect(given[name]).toBeUndefined();
      for (const name of urls) expect(interpolate(String(given[name]), {})).not.toMatch(/:[^/@]*@/);
    }
  });

  it('depends on, mounts, joins and publishes what there is', () => {
    for (const [name, service] of [...Object.entries(services), ...Object.entries(proxy.services)]) {
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(Object.keys(services), name).toContain(other);
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(path.join(ROOT, source)), volume).toBe(true);
        else expect(Object.keys({ ...compose.volumes, ...proxy.volumes })).toContain(source);
      }
      const joined = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
      const networks = ['default', ...Object.keys({ ...compose.networks, ...proxy.networks })];
      for (const network of joined) expect(networks).toContain(network);
    }
    const [published] = services['api']?.ports ?? [];
    expect(published?.endsWith(`:${services['api']?.environment?.['PORT']}`)).toBe(true);
    expect(readdirSync(path.join(ROOT, 'deploy/redis')).toSorted()).toEqual(['start.sh', 'users.acl']);
  });

  it('has one worker for each queue, and bounds what every service takes', () => {
    const worked = own.flatMap(([, { environment: given = {} }]) => given['WORKER_QUEUES'] ?? []);
    expect(worked.toSorted()).toEqual([...QUEUE_NAMES].toSorted());
    for (const [name, { deploy }] of [
      ...Object.entries(services),
      ['proxy', proxy.services['proxy']] as const,
    ].filter((entry): entry is [string, (typeof services)[string]] => entry[1] !== undefined)) {
      expect(Object.keys(deploy?.resources.limits ?? {}).toSorted(), name).toEqual([
        'cpus',
        'memory',
        'pids',
      ]);
    }
  });

  it('hands the password of the owner to migrate, and with it no secret that it can do without (S423)', () => {
    const { environment: given = {}, secrets = [] } = services['migrate'] ?? {};
    expect(secrets).toEqual(['postgres_password', 'database_password']);
    expect(Object.keys(given).filter((name) => name.endsWith('_FILE'))).toEqual([
      'DATABASE_PASSWORD_FILE',
      'DATABASE_SERVICE_PASSWORD_FILE',
    ]);
    const others = own.filter(([name]) => name !== 'migrate');
    for (const [name, service] of others) expect(service.secrets, name).not.toContain('postgres_password');
    // that is enough for it, beside an .env with everything that is no secret
    const env = environmentOf(
      services['migrate']!,
      'PUBLIC_URL=https://id.example.com\nTWILIO_ACCOUNT_SID=AC1',
    );
    const config = readMigrationConfig(env, () => 'q8Zr-5dKx-91');
    expect(config.postgres.url).toBe('postgres://identity:q8Zr-5dKx-91@postgres:5432/identity');
    expect(config.postgres.serviceRole).toEqual({ name: 'identity_service', password: 'q8Zr-5dKx-91' });
    expect(() =>
      readMigrationConfig({ ...env, DATABASE_PASSWORD_FILE: '', DATABASE_PASSWORD: 'identity' }, () => ''),
    ).toThrow('everybody tries');
  });

  it('takes from every container what it can do without (S424)', () => {
    const all = { ...services, proxy: proxy.services['proxy']! };
    for (const [name, service] of Object.entries(all)) {
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
    }
  });

  it('has PostgreSQL count as healthy no sooner than others can reach it', () => {
    // the image sets a new database up with a server that answers on its socket alone
    expect(services['postgres']?.healthcheck?.test).toContain('--host=127.0.0.1');
  });

  it('lets whoever runs as root in a container read the mounted files of a clone that is its owner’s alone', () => {
    const all = [...Object.entries(services), ...Object.entries(proxy.services)];
    const mounting = all.filter(([, { volumes = [] }]) => volumes.some((volume) => volume.startsWith('.')));
    expect(mounting.map(([name]) => name)).toEqual(['redis', 'proxy']);
    for (const [name, { cap_add: added }] of mounting) expect(added, name).toContain('DAC_OVERRIDE');
  });

  it('delivers mail nowhere but where it is told: the mailbox is for development', () => {
    expect(services['mailpit']?.profiles).toEqual(['dev']);
    for (const [, service] of own) expect(environmentOf(service, example)['SMTP_URL'] ?? '').toBe('');
  });

  it('trusts the one address that its proxy has', () => {
    const trusted = interpolate(proxy.services['api']?.environment?.['TRUSTED_PROXIES'] ?? '', {});
    const { networks } = proxy.services['proxy'] ?? {};
    const { front } = networks as { front: { ipv4_address: string } };
    expect(trusted).toBe(interpolate(front.ipv4_address, {}));
    expect(caddyfile).toContain('name {$API_HOST:api}');
  });

  it('gives the address that is trusted to nobody but the proxy (S419)', () => {
    const { front } = proxy.networks as unknown as {
      front: { ipam: { config: { subnet: string; ip_range?: string }[] } };
    };
    const [{ subnet, ip_range: pool = '' } = { subnet: '' }] = front.ipam.config;
    const within = (network: string, address: string): boolean => {
      const [base = '', bits = ''] = interpolate(network, {}).split('/');
      const list = new BlockList();
      list.addSubnet(base, Number(bits), 'ipv4');
      return list.check(address, 'ipv4');
    };
    const fixed = interpolate('${PROXY_ADDRESS:-172.30.91.2}', {});
    const [first = ''] = interpolate(pool, {}).split('/');
    expect(within(subnet, fixed)).toBe(true);
    expect(within(subnet, first)).toBe(true);
    expect(within(pool, fixed)).toBe(false);
    // what the example names in its place is the same
    for (const name of ['PROXY_SUBNET', 'PROXY_ADDRESS', 'PROXY_POOL']) {
      const [, shown = ''] = new RegExp(`^# ${name}=(.*)$`, 'm').exec(example) ?? [];
      const compose = readFileSync(path.join(ROOT, 'deploy/docker-compose.proxy.yml'), 'utf8');
      expect(compose).toContain(`\${${name}:-${shown}}`);
    }
  });

  it('has the proxy remove the header of certificates that the API believes, whatever its name', () => {
    const removed = (env: string) => environmentOf(proxy.services['proxy']!, env)['MTLS_CERTIFICATE_HEADER'];
    expect(caddyfile).toContain('header_up -{$MTLS_CERTIFICATE_HEADER:Client-Cert}\n');
    expect(environmentOf(services['api']!, 'MTLS_CERTIFICATE_HEADER=X-SSL-Cert')).toMatchObject({
      MTLS_CERTIFICATE_HEADER: 'X-SSL-Cert',
    });
    expect(removed('MTLS_CERTIFICATE_HEADER=X-SSL-Cert')).toBe('X-SSL-Cert');
    // Caddy takes its own default only where a variable is not set at all
    expect(removed('MTLS_CERTIFICATE_HEADER=')).toBe('Client-Cert');
    expect(removed('')).toBe('Client-Cert');
  });

  it('has nothing in the Caddyfile that the proxy is not handed, but for what it has by default', () => {
    const given = new Set(Object.keys(proxy.services['proxy']?.environment ?? {}));
    const read = [...caddyfile.matchAll(/\{\$([A-Z_]+)(?::[^}]*)?\}/g)].map(([, name = '']) => name);
    // names of the API within the network of Compose, which no file changes
    const fixed = ['API_HOST', 'API_PORT'];
    expect(read.filter((name) => !given.has(name)).toSorted()).toEqual(fixed);
  });
});

describe('.env.example', () => {
  it('names settings that exist, none of them a secret', () => {
    const named = [...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
    const known = new Set([...SETTINGS, ...OF_COMPOSE, ...OF_BOOTSTRAP]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(
      Object.keys(readEnvFile(example)).filter((name) => (SECRETS as readonly string[]).includes(name)),
    ).toEqual([]);
  });
});

describe('.env.example, with every line in use', () => {
  const inUse = readEnvFile(example.replaceAll(/^# (?=[A-Z][A-Z0-9_]+=)/gm, ''));

  it('has values alone, without a remark beside them: not everybody who reads such a file cuts those off', () => {
    expect(Object.keys(inUse).length).toBeGreaterThan(35);
    const told = Object.entries(inUse).filter(([, value]) => /\s{2,}|#/.test(value));
    expect(told).toEqual([]);
    expect(inUse).toMatchObject({
      DATABASE_URL: 'postgres://identity_service@host:5432/identity',
      DATABASE_SERVICE_ROLE: 'identity_service',
      REDIS_URL: 'redis://identity@host:6379',
      QUEUE_BACKEND: 'redis',
      QUEUE_PREFIX: 'identity',
    });
  });

  it('has values that the service takes', () => {
    const refused = Object.entries(environment.shape).filter(([name, schema]) => {
      const value = inUse[name];
      return value !== undefined && value !== '' && !schema.safeParse(value).success;
    });
    expect(refused.map(([name]) => name)).toEqual([]);
  });
});

describe('docs/first-five-minutes.md, with compose', () => {
  const page = readFileSync(path.join(ROOT, 'docs/first-five-minutes.md'), 'utf8');
  const [, section = ''] = /^## With compose\n(.*?)^## /ms.exec(page) ?? [];
  const lines = [...section.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line !== '');
  const [folder] = (services['bootstrap']?.volumes ?? []).map((volume) => volume.split(':')[1] ?? '');
  const file = `${folder}/service-user.pat`;

  it('has bootstrap write the token into a folder that is its own and stays', () => {
    const asked = `BOOTSTRAP_SERVICE_USER_TOKEN_FILE=${file}`;
    expect(section).toContain(`\n${asked}\n`);
    expect(example.trimEnd().split('\n').at(-1)).toBe(`# ${asked}`);
    expect(dockerfile).toContain(`mkdir ${folder} && chown 1000:1000 ${folder}`);
    expect(services['bootstrap']?.volumes).toEqual([`bootstrap-files:${folder}`]);
    const others = own.filter(([name]) => name !== 'bootstrap');
    for (const [, { volumes }] of others) expect(volumes).toBeUndefined();
  });

  it('names scripts, files, services and programs that there are', () => {
    expect(lines).toContain('docker compose up --build --detach');
    expect(lines).toContain('docker compose logs bootstrap');
    expect(lines).toContain('sh deploy/make-secrets.sh');
    for (const [, name = ''] of section.matchAll(/\b(deploy\/\S+\.sh|\.env\.example)\b/g)) {
      expect(existsSync(path.join(ROOT, name)), name).toBe(true);
    }
    const runs = lines.flatMap((line) => {
      const [, service = '', command = ''] =
        /docker compose run --rm --no-deps(?: -T)? (\S+) +([^)]+)/.exec(line) ?? [];
      return service === '' ? [] : [{ service, command: command.trim().split(/ +/) }];
    });
    expect(runs.map(({ command }) => command[0])).toEqual(['node', 'cat', 'rm']);
    for (const { service, command } of runs) {
      // the volume is mounted nowhere else
      expect(service).toBe('bootstrap');
      expect(command).toContain(file);
      if (command[0] === 'node') expect(existsSync(fileOf(command)), command[1]).toBe(true);
    }
  });

  it('makes its first calls where the API listens', () => {
    const port = services['api']?.environment?.['PORT'];
    const call = lines.find((line) => line.includes('identity.js users list'));
    expect(call).toContain(` --url http://api:${port} --allow-http `);
    const joined = (name: string) => services[name]?.networks;
    expect(joined('bootstrap')).toEqual(joined('api'));
    const published = interpolate(services['api']?.ports?.[0] ?? '', readEnvFile(example)).split(':')[1];
    expect(section).toContain(` http://localhost:${published}/admin/v1/orgs/_search`);
  });
});

describe('docs/backup.md, with Compose', () => {
  const page = readFileSync(path.join(ROOT, 'docs/backup.md'), 'utf8');
  const [, section = ''] = /^### With Compose\n(.*?)^### /ms.exec(page) ?? [];

  it('names services, volumes, programs and the role that there are', () => {
    const named = [...section.matchAll(/docker compose (?:up|exec|run)(?: -[-\w]+)* ([a-z]+)\b/g)].map(
      ([, name = '']) => name,
    );
    expect(named).toEqual(['postgres', 'postgres', 'postgres', 'migrate', 'bootstrap', 'api']);
    for (const name of named) expect(Object.keys(services)).toContain(name);
    for (const [, volume = ''] of section.matchAll(/volume rm identity_(\S+)/g))
      expect(Object.keys(compose.volumes ?? {})).toContain(volume);
    for (const [, program = ''] of section.matchAll(/ node (\S+) /g))
      expect(existsSync(fileOf(['node', program])), program).toBe(true);
    const [, role] = /CREATE ROLE (\S+) /.exec(section) ?? [];
    expect(role).toBe(interpolate(services['migrate']?.environment?.['DATABASE_SERVICE_ROLE'] ?? '', {}));
  });

  it('starts neither API nor worker before `restore finish`', () => {
    const before = section.slice(0, section.indexOf('restore finish'));
    expect(before).not.toMatch(/^docker compose up(?! --detach --wait postgres$)/m);
    // whatever migrate needs, `run` starts
    expect(Object.keys(services['migrate']?.depends_on ?? {})).toEqual(['postgres']);
  });
});

describe('the Dockerfile', () => {
  it('copies and starts what there is', () => {
    for (const [, sources = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const source of sources.split(' ')) expect(existsSync(path.join(ROOT, source)), source).toBe(true);
    }
    const [, json = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect(existsSync(fileOf(JSON.parse(json) as string[]))).toBe(true);
  });

  it('takes nothing from the clone as it is, whose files perhaps only their owner can read', () => {
    const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(image).toContain('\nUSER 1000:1000\n');
    expect(image.match(/^(?:COPY|ADD) (?!--from=)/gm)).toBeNull();
    const copied = [...image.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' ').map((name) => path.relative('/app', name)),
    );
    const [, opened = ''] = /^RUN npm run build && chmod -R a\+rX (.+)$/m.exec(dockerfile) ?? [];
    expect(opened.split(' ').toSorted()).toEqual(copied.toSorted());
  });

  it('sets variables that somebody reads, and exposes the ports that they name', () => {
    const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
    const set = Object.fromEntries(
      [...block.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const known = new Set([...SETTINGS, ...OF_THE_PROCESS]);
    expect(Object.keys(set).filter((name) => !known.has(name))).toEqual([]);
    expect(dockerfile).toContain(`EXPOSE ${set['PORT']} ${set['OPS_PORT']}`);
    expect(services['api']?.environment).toMatchObject({ PORT: set['PORT'], OPS_PORT: set['OPS_PORT'] });
  });
});

describe('deploy/redis/users.acl', () => {
  it('lets the service use every command that BullMQ sends from its scripts', () => {
    const acl = readFileSync(path.join(ROOT, 'deploy/redis/users.acl'), 'utf8');
    const scripts = path.join(ROOT, 'node_modules/bullmq/dist/esm/scripts');
    const called = new Set(
      readdirSync(scripts)
        .filter((file) => file.endsWith('.js'))
        .flatMap((file) => [
          ...readFileSync(path.join(scripts, file), 'utf8').matchAll(
            /(?:rcall|redis\.call)\(["']([A-Za-z]+)["']/g,
          ),
        ])
        .map(([, command = '']) => command.toLowerCase()),
    );
    expect(called.size).toBeGreaterThan(30);
    expect(
      [...called].filter((command) => !acl.includes(` +${command} `) && !acl.includes(` +${command}\n`)),
    ).toEqual([]);
  });
});
