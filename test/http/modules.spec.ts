import { type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { GLOBAL_MODULE_METADATA, MODULE_METADATA } from '@nestjs/common/constants.js';
import { describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/api.module.js';
import { InstanceModule } from '../../src/cli/instance.module.js';
import { readConfig } from '../../src/config/config.js';
import { PinoLog } from '../../src/ops/pino-log.js';
import { WorkersModule } from '../../workers/workers.module.js';

const config = readConfig({
  NODE_ENV: 'test',
  PUBLIC_URL: 'https://id.test',
  DATABASE_URL: 'postgres://nobody@localhost/nothing',
  REDIS_URL: 'redis://localhost',
});
const log = new PinoLog({ level: 'silent', process: 'api' });

/** A module as its decorator or the call that made it describes it. */
class Described {
  readonly type: Type;
  private readonly given: Partial<DynamicModule>;

  constructor(module: Type | DynamicModule) {
    this.given = typeof module === 'function' ? {} : module;
    this.type = typeof module === 'function' ? module : module.module;
  }

  get imports(): Described[] {
    return this.list<Type | DynamicModule>(MODULE_METADATA.IMPORTS, 'imports').map(
      (one) => new Described(one),
    );
  }

  get provided(): string[] {
    return this.list<Provider>(MODULE_METADATA.PROVIDERS, 'providers').map((provider) =>
      nameOf(typeof provider === 'function' ? provider : provider.provide),
    );
  }

  get isGlobal(): boolean {
    return Reflect.getMetadata(GLOBAL_MODULE_METADATA, this.type) === true;
  }

  private list<T>(key: string, given: 'imports' | 'providers'): T[] {
    const decorated = (Reflect.getMetadata(key, this.type) ?? []) as T[];
    return [...decorated, ...((this.given[given] ?? []) as T[])];
  }
}

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String(token);
}

/** Every module of ours that a root imports, directly or not. */
function modulesOf(root: DynamicModule): Described[] {
  const found = new Map<Type, Described>();
  const visit = (module: Described): void => {
    if (found.has(module.type) || module.type.name === 'BullModule') return;
    found.set(module.type, module);
    module.imports.forEach(visit);
  };
  visit(new Described(root));
  return [...found.values()];
}

describe.each([
  ['API', ApiModule.with(config, log)],
  ['worker', WorkersModule.with(config, log)],
  ['instance commands', InstanceModule.with(config, log)],
])('the modules of the %s', (_, root) => {
  const modules = modulesOf(root);

  it('provide nothing twice', () => {
    const provided = modules.flatMap((module) => module.provided);
    expect(provided.filter((name, index) => provided.indexOf(name) !== index)).toEqual([]);
    expect(provided.length).toBeGreaterThan(100);
  });

  it('are global only where they bind what the domain cannot import', () => {
    const bindings = [
      'BreachedPasswordsModule',
      'ClientDocumentsModule',
      'ConfigModule',
      'MailsModule',
      'MetricsModule',
      'OutboundModule',
      'QueuesModule',
      'RedisModule',
      'StorageModule',
    ];
    const global = modules.filter(({ isGlobal }) => isGlobal).map(({ type }) => type.name);
    expect(bindings).toEqual(expect.arrayContaining(global));
    expect(global).toContain('StorageModule');
  });
});

it('the readers of the key set are counted in the API alone', () => {
  const reading = (root: DynamicModule) =>
    modulesOf(root).some((one) => one.provided.includes('KeySetReaders'));
  expect(reading(ApiModule.with(config, log))).toBe(true);
  expect(reading(WorkersModule.with(config, log))).toBe(false);
});
