import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig, readMigrationConfig, type AppConfig } from '../../src/config/config.js';
import { ROOT } from '../support/compose.js';

// Helm's own reading of the chart, and the schemas of Kubernetes, KEDA, the Prometheus Operator and the Gateway API for what
// it renders. Nothing needs a cluster. All of it is fetched once, at these versions: Go modules and a package of PyPI.

const HELM = 'v3.22.0';
const VALIDATE = '1.37.0';
/** The oldest Kubernetes that the chart says it runs on, and the newest whose schemas the package has. */
const KUBERNETES = ['1.29.0', '1.37.0'];
const DEFINITIONS = {
  'github.com/kedacore/keda/v2@v2.21.0': ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': [
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  ],
  'sigs.k8s.io/gateway-api@v1.4.0': ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
};

const FOLDER = path.join(ROOT, '.data/interop');
const CHART = path.join(ROOT, 'deploy/helm/identity-service');
const EXAMPLES = readdirSync(path.join(CHART, 'examples'));
const helm = path.join(FOLDER, `helm-${HELM}`);
const python = path.join(FOLDER, `kubernetes-validate-${VALIDATE}`);
const run = promisify(execFile);
let definitions: readonly string[] = [];

async function buildHelm(): Promise<void> {
  if (existsSync(helm)) return;
  const module = path.join(FOLDER, 'helm-module');
  mkdirSync(module, { recursive: true });
  writeFileSync(
    path.join(module, 'go.mod'),
    `module helm-check\n\ngo 1.24.0\n\nrequire helm.sh/helm/v3 ${HELM}\n`,
  );
  const tools = '//go:build tools\n\npackage tools\n\nimport _ "helm.sh/helm/v3/cmd/helm"\n';
  writeFileSync(path.join(module, 'tools.go'), tools);
  await run('go', ['mod', 'tidy'], { cwd: module, maxBuffer: 64 << 20 });
  const half = `${helm}.half`;
  await run('go', ['build', '-p', '2', '-o', half, 'helm.sh/helm/v3/cmd/helm'], { cwd: module });
  renameSync(half, helm);
}

async function installValidator(): Promise<void> {
  if (existsSync(path.join(python, 'bin/kubernetes-validate'))) return;
  await run('python3', ['-m', 'venv', python]);
  await run(path.join(python, 'bin/pip'), ['install', '--quiet', `kubernetes-validate==${VALIDATE}`]);
}

async function fetchDefinitions(): Promise<string[]> {
  const files: string[] = [];
  for (const [module, names] of Object.entries(DEFINITIONS)) {
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: FOLDER });
    const { Dir: folder } = JSON.parse(stdout) as { Dir: string };
    files.push(...names.map((name) => path.join(folder, name)));
  }
  return files;
}

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  await installValidator();
  definitions = await fetchDefinitions();
  await buildHelm();
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly replicas?: number;
    readonly egress?: readonly object[];
    readonly template?: { readonly spec: { readonly containers: readonly Container[] } };
    readonly triggers?: readonly { readonly type: string }[];
  };
}
interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

async function rendered(...args: readonly string[]): Promise<{ text: string; manifests: Manifest[] }> {
  // a helm that was not built for release takes Kubernetes for an old one
  const [oldest = ''] = KUBERNETES;
  const command = ['template', 'identity', CHART, '--kube-version', oldest, ...args];
  const { stdout } = await run(helm, command, { maxBuffer: 16 << 20 });
  return { text: stdout, manifests: parseAllDocuments(stdout).map((one) => one.toJS() as Manifest) };
}

function containersOf(manifests: readonly Manifest[]): Container[] {
  return manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
}

/** What is mounted of a Secret, as docs/kubernetes.md has it made. */
function mounted(file: string): string {
  const name = path.basename(file);
  if (name.startsWith('MASTER_KEY')) return randomBytes(32).toString('base64');
  return name === 'SMTP_URL' ? 'smtps://identity:q8Zr1fXw@mail.example.com' : randomBytes(24).toString('hex');
}

/** The process starts with what its pod has, or ends with 78. */
function startedAs({ name, env }: Container): Pick<AppConfig, 'postgres'> {
  const given = Object.fromEntries(env.map((one) => [one.name, one.value]));
  return (name === 'migrate' ? readMigrationConfig : readConfig)(given, mounted);
}

function valuesOf(example: string): string[] {
  return ['--values', path.join(CHART, 'examples', example)];
}

/** Lines that a program of Python writes, however it ends. */
async function told(program: string, args: readonly string[], input = ''): Promise<string[]> {
  const started = run(path.join(python, 'bin', program), args, { maxBuffer: 16 << 20 });
  started.child.stdin?.end(input);
  const { stdout, stderr } = await started.catch((error: unknown) => error as Awaited<typeof started>);
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
}

/** What each Kubernetes would not take, unknown fields among it. */
async function faultsOf(manifests: readonly Manifest[]): Promise<string[]> {
  const file = path.join(FOLDER, `helm-${randomUUID()}.yaml`);
  writeFileSync(file, manifests.map((one) => JSON.stringify(one)).join('\n---\n'));
  const faults = await Promise.all(
    KUBERNETES.map((version) => told('kubernetes-validate', ['--strict', '--quiet', '-k', version, file])),
  );
  rmSync(file);
  return faults.flat();
}

/** Faults of custom resources, and last how many were checked. */
async function customFaultsOf(text: string): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'support/validate_custom_resources.py');
  return await told('python', [script, ...definitions], text);
}

describe('helm', () => {
  it.each(EXAMPLES)('lints the chart with %s', async (example) => {
    const { stdout } = await run(helm, ['lint', '--strict', CHART, ...valuesOf(example)]);
    expect(stdout).toContain('0 chart(s) failed');
  });

  it.each(EXAMPLES)('renders with %s what Kubernetes takes', async (example) => {
    const { text, manifests } = await rendered(...valuesOf(example));
    expect(manifests.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Deployment', 'Service', 'Job', 'NetworkPolicy', 'PodDisruptionBudget']),
    );
    const own = manifests.filter(
      ({ kind }) => !['ScaledObject', 'ServiceMonitor', 'PrometheusRule', 'HTTPRoute'].includes(kind),
    );
    expect(await faultsOf(own)).toEqual([]);
    expect(await customFaultsOf(text)).toEqual([String(manifests.length - own.length)]);
  });

  it.each(EXAMPLES)('gives each process of %s what it starts with', async (example) => {
    const { manifests } = await rendered(...valuesOf(example));
    const containers = containersOf(manifests);
    expect(containers).toHaveLength(7);
    for (const container of containers) {
      const { postgres } = startedAs(container);
      // all but migrate sign in as the role that it makes
      const owner = container.name === 'migrate';
      expect(new URL(postgres.url).username).toBe(owner ? 'identity' : 'identity_service');
      expect(postgres.serviceRole?.name).toBe(owner ? 'identity_service' : undefined);
    }
  });

  it('finishes a restore while nothing else runs, with the environment of the API', async () => {
    const { text, manifests } = await rendered(
      ...valuesOf('cloudnativepg.yaml'),
      '--set',
      'restore.enabled=true,restore.disable={tokens,keys}',
    );
    const kinds = manifests.map(({ kind }) => kind);
    expect(kinds.filter((kind) => ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind))).toEqual([]);
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ spec }) => spec?.replicas)).toEqual([0, 0, 0, 0, 0]);
    const jobs = containersOf(manifests.filter(({ kind }) => kind === 'Job'));
    expect(jobs.map(({ name }) => name)).toEqual(['migrate', 'restore']);
    const [, restore] = jobs;
    expect(restore?.command).toEqual(['node', 'dist/src/cli/finish-restore.js']);
    expect(restore?.args).toEqual(['finish', '--disable', 'tokens,keys']);
    expect(restore?.env).toEqual(containersOf(manifests).find(({ name }) => name === 'api')?.env);
    const known = manifests.filter(
      ({ kind }) => !['ServiceMonitor', 'PrometheusRule', 'HTTPRoute'].includes(kind),
    );
    expect(await faultsOf(known)).toEqual([]);
    expect(text).not.toContain('finish-restore.js finish');
  });

  it('would be told of a field that nobody knows', async () => {
    const { text, manifests } = await rendered(...valuesOf('cloudnativepg.yaml'));
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    const misspelt = JSON.parse(
      JSON.stringify(deployment).replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem'),
    ) as Manifest;
    expect(await faultsOf([misspelt])).toHaveLength(KUBERNETES.length);
    const [fault] = await customFaultsOf(text.replace('maxReplicaCount', 'mostReplicas'));
    expect(fault).toContain('mostReplicas');
  });

  it('says every large number of a values file whole, and no secret', async () => {
    const { text, manifests } = await rendered(...valuesOf('managed-redis.yaml'));
    const pods = containersOf(manifests);
    expect(pods).toHaveLength(7);
    for (const { env } of pods) {
      expect(env).toContainEqual({ name: 'IMPORT_MAX_BYTES', value: '34359738368' });
      expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
    }
    const files = pods.map(({ env }) => env.map(({ name }) => name).filter((name) => name.endsWith('_FILE')));
    const withKey = files.filter((names) => names.includes('MASTER_KEY_FILE'));
    expect(withKey).toHaveLength(6);
    // migrate, as the owner of the tables (S423)
    expect(files.filter((names) => !names.includes('MASTER_KEY_FILE'))).toEqual([
      ['DATABASE_PASSWORD_FILE', 'DATABASE_SERVICE_PASSWORD_FILE'],
    ]);
    expect(text.match(/key: database_owner_password/g)).toHaveLength(1);
  });

  it('lets out what is said besides, as Kubernetes takes it', async () => {
    const extra =
      '[{"ports":[{"port":636}],"to":[{"ipBlock":{"cidr":"10.0.20.0/24"}}]},{"ports":[{"port":4318}]}]';
    const { manifests } = await rendered(
      ...valuesOf('minimal.yaml'),
      '--set-json',
      `networkPolicy.extraEgress=${extra}`,
    );
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.flatMap(({ spec }) => spec?.egress ?? []).slice(-2)).toEqual(JSON.parse(extra));
    expect(await faultsOf(policies)).toEqual([]);
  });

  it('says numbers as they stand in a values file, decimals and zeros among them', async () => {
    const file = path.join(FOLDER, `values-${randomUUID()}.yaml`);
    const numbers = {
      SMS_SPEND_CAP: 0.5,
      OTEL_TRACES_SAMPLER_ARG: 0.05,
      IMPORT_MAX_BYTES: 34_359_738_368,
      RATE_LIMIT_KEYS: 1_234_567,
      SMS_CAP_USER: 5,
    };
    const own = { SMS_CAP_USER: 0, SMS_SPEND_CAP: 1_234_567.5 };
    writeFileSync(file, JSON.stringify({ settings: numbers, api: { settings: own } }));
    const { manifests } = await rendered(...valuesOf('minimal.yaml'), '--values', file);
    rmSync(file);
    const saidBy = (wanted: string): Record<string, string> => {
      const { env = [] } = containersOf(manifests).find(({ name }) => name === wanted) ?? {};
      return Object.fromEntries(env.flatMap(({ name, value }) => (name in numbers ? [[name, value]] : [])));
    };
    const words = (of: Record<string, number>) =>
      Object.fromEntries(Object.entries(of).map(([name, value]) => [name, String(value)]));
    expect(saidBy('worker')).toEqual(words(numbers));
    expect(saidBy('api')).toEqual(words({ ...numbers, ...own }));
  });

  it('scales each worker by its own queues, by Prometheus or by Redis', async () => {
    const triggersOf = async (example: string): Promise<Record<string, number>> => {
      const { manifests } = await rendered(...valuesOf(example));
      const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject');
      return Object.fromEntries(
        scaled.map(({ metadata, spec }) => [metadata.name, spec?.triggers?.length ?? 0]),
      );
    };
    const each = {
      'identity-identity-service-worker-imports': 2,
      'identity-identity-service-worker-notifications': 2,
      'identity-identity-service-worker-notifications-bulk': 2,
    };
    expect(await triggersOf('cloudnativepg.yaml')).toEqual(each);
    expect(await triggersOf('managed-redis.yaml')).toEqual(each);
    expect(await triggersOf('minimal.yaml')).toEqual({});
  });

  it.each([
    ['an issuer that is not https', ['--set', 'publicUrl=http://id.example.com'], 'publicUrl'],
    ['an unknown setting', ['--set', 'settings.DATABSE_URL=x'], 'DATABSE_URL'],
    ['a secret among the settings', ['--set', 'settings.MASTER_KEY=x'], 'MASTER_KEY'],
    ['a queue that nobody consumes', ['--set', 'workers.upkeep=null'], 'no worker consumes the queue keys'],
    [
      'a setting in two places',
      ['--set', 'secrets.REDIS_URL.secretName=a,secrets.REDIS_URL.key=b'],
      'REDIS_URL stands in settings and in secrets',
    ],
    [
      'the role that migrate makes for all processes',
      ['--set', 'settings.DATABASE_SERVICE_ROLE=identity_service'],
      'DATABASE_SERVICE_ROLE is for migrate alone',
    ],
    [
      'its password for one that signs in as it',
      [
        '--set',
        'api.secrets.DATABASE_SERVICE_PASSWORD.secretName=a,api.secrets.DATABASE_SERVICE_PASSWORD.key=b',
      ],
      'DATABASE_SERVICE_PASSWORD is for migrate alone',
    ],
    [
      'a misspelt list of who is let in (S460)',
      ['--set', 'networkPolicy.ingresFrom[0].podSelector.matchLabels.app=proxy'],
      'ingresFrom',
    ],
    ['no database', ['--set', 'settings.DATABASE_URL='], 'DATABASE_URL is required'],
    [
      'every pod among the proxies, and all of them let in (S422)',
      ['--set', 'networkPolicy.ingressFrom=null'],
      'TRUSTED_PROXIES has 10.244.0.0/16, which is more than the pods of one node',
    ],
    [
      'a network of the API alone',
      [
        '--set',
        'networkPolicy.ingressFrom=null,settings.TRUSTED_PROXIES=,api.settings.TRUSTED_PROXIES=fd00::/48',
      ],
      'TRUSTED_PROXIES has fd00::/48',
    ],
    [
      'whole private networks by their name',
      ['--set', 'networkPolicy.ingressFrom=null,settings.TRUSTED_PROXIES=uniquelocal'],
      'TRUSTED_PROXIES has uniquelocal',
    ],
    [
      'a network of IPv4 written as one of IPv6',
      ['--set', 'networkPolicy.ingressFrom=null,settings.TRUSTED_PROXIES=0:0:0:0:0:FFFF:10.0.0.0/104'],
      'TRUSTED_PROXIES has 0:0:0:0:0:FFFF:10.0.0.0/104',
    ],
    [
      'every pod without a policy',
      ['--set', 'networkPolicy.enabled=false'],
      'TRUSTED_PROXIES has 10.244.0.0/16',
    ],
    [
      'certificates on the word of whoever comes',
      [
        '--set',
        'networkPolicy.ingressFrom=null,settings.TRUSTED_PROXIES=10.0.12.7,settings.MTLS_CERTIFICATE_HEADER=Client-Cert',
      ],
      'MTLS_CERTIFICATE_HEADER: networkPolicy.ingressFrom',
    ],
  ])('refuses %s', async (_, args, words) => {
    await expect(rendered(...valuesOf('minimal.yaml'), ...args)).rejects.toThrow(words);
  });

  it.each([
    ['everybody, when that is said', 'networkPolicy.ingressFrom=null,networkPolicy.ingressFromAnybody=true'],
    [
      'the pods of one node, and single addresses',
      'networkPolicy.ingressFrom=null,settings.TRUSTED_PROXIES=10.244.7.0/24\\,10.0.12.7',
    ],
    ['no proxy at all', 'networkPolicy.ingressFrom=null,settings.TRUSTED_PROXIES='],
  ])('lets %s be trusted (S422)', async (_, set) => {
    const { manifests } = await rendered(...valuesOf('minimal.yaml'), '--set', set);
    expect(manifests.length).toBeGreaterThan(5);
  });
});
