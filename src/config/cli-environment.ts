import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** What the command line takes from its environment; its options win over it, its configuration file does not. */
export interface CliEnvironment {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly org: string | undefined;
  /** Where the configuration file is looked for when nobody names one. */
  readonly configFile: string;
  /** Whether somebody named it: then it must be there. */
  readonly isConfigNamed: boolean;
  /** Whether it is the one that `npm start` wrote for this clone: of its own service, and no other. */
  readonly isConfigLocal: boolean;
}

export function readCliEnvironment(env: NodeJS.ProcessEnv = process.env): CliEnvironment {
  const named = env['IDENTITY_CONFIG'] || undefined;
  const directory = env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config');
  const own = path.join(directory, 'identity', 'config.json');
  const local = dataFile('cli.json');
  // somebody's own settings first: they may be about another service than the one of this clone
  const isConfigLocal = named === undefined && !existsSync(own) && existsSync(local);
  return {
    url: env['IDENTITY_URL'] || undefined,
    token: env['IDENTITY_TOKEN'] || undefined,
    tokenFile: env['IDENTITY_TOKEN_FILE'] || undefined,
    org: env['IDENTITY_ORG'] || undefined,
    configFile: named ?? (isConfigLocal ? local : own),
    isConfigNamed: named !== undefined,
    isConfigLocal,
  };
}

/**
 * The settings that `npm start` chose for this clone, beside what the environment says. Undefined where there are none,
 * and where the environment has a master key: then it is about another installation.
 */
export function localSettingsFile(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env['MASTER_KEY'] || env['MASTER_KEY_FILE']) return undefined;
  const file = dataFile('local.env');
  return existsSync(file) ? file : undefined;
}

/**
 * A file of `npm start`, in the clone that this program was built in. Never in the working folder: a stranger's folder
 * would then say where a token is sent.
 */
function dataFile(name: string): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json')) && path.dirname(folder) !== folder) {
    folder = path.dirname(folder);
  }
  return path.join(folder, '.data', name);
}
