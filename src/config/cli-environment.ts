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
}

export function readCliEnvironment(env: NodeJS.ProcessEnv = process.env): CliEnvironment {
  const named = env['IDENTITY_CONFIG'] || undefined;
  const directory = env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config');
  return {
    url: env['IDENTITY_URL'] || undefined,
    token: env['IDENTITY_TOKEN'] || undefined,
    tokenFile: env['IDENTITY_TOKEN_FILE'] || undefined,
    org: env['IDENTITY_ORG'] || undefined,
    configFile: named ?? path.join(directory, 'identity', 'config.json'),
    isConfigNamed: named !== undefined,
  };
}
