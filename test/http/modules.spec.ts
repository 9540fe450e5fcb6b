import { type DynamicModule, type Provider, type Type } from '@nestjs/common';
import {
  GLOBAL_MODULE_METADATA,
  MODULE_METADATA,
  OPTIONAL_DEPS_METADATA,
  PARAMTYPES_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';
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
    return this.list<Provider>(MODULE_METADATA.PROVIDERS, 'providers').map(tokenOf);
  }

  /** What whoever imports it can have: its own, and all of a module that it exports. */
  get exported(): string[] {
    const exported = this.list<Type | DynamicModule | Provider>(MODULE_METADATA.EXPORTS, 'exports');
    return exported.flatMap((one) => (isModule(one) ? new Described(one).exported : [tokenOf(one)]));
  }

  /** What has to be made, and of what. */
  get needs(): { readonly by: string; readonly token: string }[] {
    const controllers = this.list<Type>(MODULE_METADATA.CONTROLLERS, 'controllers');
    const providers = this.list<Provider>(MODULE_METADATA.PROVIDERS, 'providers');
    return [...controllers, ...providers].flatMap((one) =>
      dependenciesOf(one).map((token) => ({ by: tokenOf(one), token })),
    );
  }

  get isGlobal(): boolean {
    return Reflect.getMetadata(GLOBAL_MODULE_METADATA, this.type) === true;
  }

  private list<T>(key: string, given: 'imports' | 'providers' | 'exports' | 'controllers'): T[] {
    const decorated = (Reflect.getMetadata(key, this.type) ?? []) as T[];
    return [...decorated, ...((this.given[given] ?? []) as T[])];
  }
}

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String(token);
}

function tokenOf(provider: Type | DynamicModule | Provider | string | symbol): string {
  return nameOf(typeof provider === 'object' && 'provide' in provider ? provider.provide : provider);
}

function isModule(one: Type | DynamicModule | Provider): one is Type | DynamicModule {
  if (typeof one === 'object') return 'module' in one;
  return (
    Reflect.hasMetadata(MODULE_METADATA.PROVIDERS, one) || Reflect.hasMetadata(MODULE_METADATA.IMPORTS, one)
  );
}

/** Tokens without which Nest could not make it: those of its constructor, or of its factory. */
function dependenciesOf(provider: Type | Provider): string[] {
  if (typeof provider === 'object' && 'useFactory' in provider) {
    const inject = (provider.inject ?? []) as (Type | { token: unknown; optional: boolean })[];
    return inject.flatMap((one) =>
      typeof one === 'object' && 'token' in one ? (one.optional ? [] : [nameOf(one.token)]) : [nameOf(one)],
    );
  }
  const made = typeof provider === 'object' && 'useClass' in provider ? provider.useClass : provider;
  if (typeof made !== 'function') return [];
  const optional = (Reflect.getMetadata(OPTIONAL_DEPS_METADATA, made) ?? []) as number[];
  const named = (Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, made) ?? []) as {
    index: number;
    param: unknown;
  }[];
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, made) ?? []) as unknown[];
  return types.flatMap((type, at) =>
    optional.includes(at) ? [] : [nameOf(named.find(({ index }) => index === at)?.param ?? type)],
  );
}

/** What Nest itself has for every module, and what its module for BullMQ registers. */
const OF_NEST = [
  'BullRegistrar',
  'ModuleRef',
  'Reflector',
  'HttpAdapterHost',
  'ModulesContainer',
  'ApplicationConfig',
];

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

  // Nest says it when the process starts, which a deployment should not be the first to do
  it('have everything that their classes ask for', () => {
    const everywhere = modules.filter(({ isGlobal }) => isGlobal).flatMap(({ exported }) => exported);
    const missing = modules.flatMap((module) => {
      const imported = module.imports.flatMap(({ exported }) => exported);
      const known = new Set([...OF_NEST, ...everywhere, ...module.provided, ...imported]);
      return module.needs
        .filter(({ token }) => !known.has(token))
        .map(({ by, token }) => `${module.type.name}: ${by} asks for ${token}`);
    });
    expect(missing).toEqual([]);
    expect(modules.flatMap(({ needs }) => needs).length).toBeGreaterThan(200);
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
