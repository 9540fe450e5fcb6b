import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, readMigrationConfig } from '../../../src/config/config.js';
import { environment, QUEUE_NAMES, SECRETS } from '../../../src/config/environment.js';
import { ROOT } from '../../support/compose.js';

// What the chart names exists, and every setting can be set there. The ring `interop` has Helm itself render it.

const CHART = path.join(ROOT, 'deploy/helm/identity-service');
const read = (file: string): string => readFileSync(path.join(CHART, file), 'utf8');
const templates = readdirSync(path.join(CHART, 'templates')).map((file) => read(`templates/${file}`));

interface Process {
  readonly settings: Readonly<Record<string, string | number>>;
  readonly secrets: Readonly<Record<string, { readonly secretName: string; readonly key: string }>>;
}
interface Values extends Process {
  readonly publicUrl: string;
  readonly migrate: Process;
  readonly workers: Readonly<Record<string, { readonly queues: readonly string[] }>>;
}
const values = parse(read('values.yaml')) as Values;
const { $defs: kinds } = JSON.parse(read('values.schema.json')) as {
  $defs: Record<'settings' | 'secrets', { propertyNames: { enum: string[] } }> & {
    worker: { properties: { queues: { items: { enum: string[] } } } };
  };
};

/** The chart says these itself. */
const DECIDED = ['NODE_ENV', 'PUBLIC_URL', 'HOST', 'PORT', 'OPS_HOST', 'OPS_PORT', 'WORKER_QUEUES'];
/** Secrets only where they hold a password. */
const URLS = new Set(['DATABASE_URL', 'REDIS_URL', 'SMTP_URL']);

describe('the chart for Kubernetes', () => {
  it('lets every setting be set: as a setting, as a secret, or by what the chart is for', () => {
    const secrets = new Set<string>(SECRETS);
    const asSetting = Object.keys(environment.shape).filter(
      (name) => !DECIDED.includes(name) && (!secrets.has(name) || URLS.has(name)),
    );
    expect(kinds.settings.propertyNames.enum).toEqual(asSetting.toSorted());
    expect(kinds.secrets.propertyNames.enum).toEqual([...SECRETS].toSorted());
    const helpers = read('templates/_helpers.tpl') + read('templates/workers.yaml');
    for (const name of DECIDED) expect(helpers, name).toContain(`"${name}"`);
  });

  it('has one worker for each queue', () => {
    const worked = Object.values(values.workers).flatMap(({ queues }) => queues);
    expect(worked.toSorted()).toEqual([...QUEUE_NAMES].toSorted());
    expect(kinds.worker.properties.queues.items.enum).toEqual([...QUEUE_NAMES]);
    for (const queue of QUEUE_NAMES) expect(read('templates/workers.yaml')).toContain(`"${queue}"`);
  });

  it('starts programs that there are, and is of the version of this package', () => {
    const programs = templates.flatMap((text) =>
      [...text.matchAll(/command: \[node, dist\/(\S+)\.js\]/g)].map(([, program = '']) => program),
    );
    expect(programs.toSorted()).toEqual([
      'src/cli/bootstrap',
      'src/cli/finish-restore',
      'src/cli/migrate',
      'src/main',
      'workers/main',
    ]);
    for (const program of programs) expect(existsSync(path.join(ROOT, `${program}.ts`)), program).toBe(true);
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it.each(readdirSync(path.join(CHART, 'examples')))('starts API, workers and migrate with %s', (example) => {
    const shown = parse(read(`examples/${example}`)) as Values;
    const given = (...from: (Process | undefined)[]): Record<string, string> => ({
      NODE_ENV: 'production',
      PUBLIC_URL: shown.publicUrl,
      ...Object.fromEntries(
        from
          .flatMap((one) => Object.entries(one?.settings ?? {}))
          .map(([name, value]) => [name, String(value)] as const)
          .filter(([, value]) => value !== ''),
      ),
      ...Object.fromEntries(
        from.flatMap((one) => Object.keys(one?.secrets ?? {}).map((name) => [`${name}_FILE`, name])),
      ),
    });
    const file = (name: string) =>
      name === 'SMTP_URL' ? 'smtps://mail.example.com' : randomBytes(32).toString('base64');
    const { postgres } = readConfig(given(values, shown), file);
    expect(postgres.serviceRole).toBeUndefined();
    const owner = readMigrationConfig(given(values, values.migrate, shown, shown.migrate), file);
    expect(owner.postgres.serviceRole?.name).toBe(new URL(postgres.url).username);
  });

  it('has killed only what a restart mends: /livez, in the image, too', () => {
    const probe = (name: string) =>
      new RegExp(String.raw`^${name}Probe:\n {2}httpGet: \{ path: (\S+), port: ops \}`, 'm').exec(
        read('templates/_helpers.tpl'),
      )?.[1];
    expect(['startup', 'liveness', 'readiness'].map(probe)).toEqual(['/livez', '/livez', '/readyz']);
    expect(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')).toMatch(/^HEALTHCHECK .*\\\n.*GET \/livez /m);
  });

  it('hands no secret over by value', () => {
    expect(
      Object.keys(values.settings).filter((name) => (SECRETS as readonly string[]).includes(name)),
    ).toEqual(['DATABASE_URL']);
    for (const file of readdirSync(path.join(CHART, 'examples'))) {
      expect(read(`examples/${file}`), file).not.toMatch(/:\/\/[^/@\s]*:[^/@\s]*@/);
    }
  });

  it('has examples that let nobody in who is believed by chance (S422)', () => {
    for (const file of readdirSync(path.join(CHART, 'examples'))) {
      const shown = parse(read(`examples/${file}`)) as {
        settings: { TRUSTED_PROXIES: string };
        networkPolicy?: { ingressFrom?: object[] };
      };
      expect(shown.networkPolicy?.ingressFrom, file).toHaveLength(1);
      expect(Number(shown.settings.TRUSTED_PROXIES.split('/')[1]), file).toBeGreaterThanOrEqual(16);
    }
    expect(read('templates/access.yaml')).toContain('include "identity.requireKnownProxies" .');
  });

  it('takes no name under networkPolicy that the policies do not read (S460)', () => {
    const { properties } = JSON.parse(read('values.schema.json')) as {
      properties: { networkPolicy: { additionalProperties: boolean; properties: object } };
    };
    const { networkPolicy } = parse(read('values.yaml')) as { networkPolicy: object };
    expect(properties.networkPolicy.additionalProperties).toBe(false);
    expect(Object.keys(properties.networkPolicy.properties)).toEqual(Object.keys(networkPolicy));
    const used = read('templates/access.yaml') + read('templates/_helpers.tpl');
    for (const name of Object.keys(networkPolicy)) expect(used, name).toContain(`.${name}`);
  });

  it('alerts on and draws metrics that processes tell', () => {
    const source = ['src', 'workers'].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8')),
    );
    const told = new Set(source.flatMap((text) => text.match(/identity_[a-z_]+/g) ?? []));
    const texts = [read('alerts.yaml'), ...templates];
    for (const file of readdirSync(path.join(CHART, 'dashboards'))) texts.push(read(`dashboards/${file}`));
    const named = new Set(
      texts
        .flatMap((text) => text.match(/\bidentity_[a-z_]+/g) ?? [])
        .map((name) => name.replace(/_(bucket|count|sum)$/, '')),
    );
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((name) => !told.has(name))).toEqual([]);
  });

  it('alerts on what docs/monitoring.md names, but for what docs/kubernetes.md leaves out', () => {
    const page = (name: string) => readFileSync(path.join(ROOT, 'docs', name), 'utf8');
    const names = (text: string) =>
      new Set(
        (text.match(/\bidentity_[a-z_]+\b(?!\.)/g) ?? []).map((name) =>
          name.replace(/_(bucket|count|sum)$/, ''),
        ),
      );
    const [, toAlertOn = ''] = /^Metrics to alert on:\n\n(.*?)\n\n/ms.exec(page('monitoring.md')) ?? [];
    const [, leftOut = ''] =
      /The\s+rules\s+alert\s+on\s+the\s+metrics\s+listed\s+in\s+\S+\s+except\s+for (.*?)\n\n/s.exec(
        `${page('kubernetes.md')}\n\n`,
      ) ?? [];
    const excepted = names(leftOut);
    expect(excepted.size).toBe(2);
    const wanted = [...names(toAlertOn)].filter((name) => !excepted.has(name));
    expect([...excepted].filter((name) => !names(toAlertOn).has(name))).toEqual([]);
    expect([...names(read('alerts.yaml'))].toSorted()).toEqual(wanted.toSorted());
  });
});
