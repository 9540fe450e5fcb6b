import '../config/quiet-debug.js';
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config/config.js';
import {
  RecoverAdministrator,
  type RecoveredAdministrator,
} from '../domain/bootstrap/recover-administrator.js';
import { messageForLog } from '../ops/error-for-log.js';
import { osUser } from './os-user.js';
import { withInstance } from './with-instance.js';

/**
 * `identity admin recover [--reset-factors] [LOGIN_NAME]`: prints a one-time link by which an administrator of the instance sets a new
 * password. It needs the service's own configuration: who runs it may change the database anyway. Exit codes: 0 done,
 * 1 failed or refused, 64 wrong arguments, 78 configuration at fault.
 */
const EX_USAGE = 64;

function readArguments(): { readonly name: string | undefined; readonly resetFactors: boolean } {
  try {
    const options = { 'reset-factors': { type: 'boolean', default: false } } as const;
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    if (positionals.length > 1) throw new Error('one administrator at a time');
    return { name: positionals[0], resetFactors: values['reset-factors'] };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('usage: identity admin recover [--reset-factors] [LOGIN_NAME]');
    process.exit(EX_USAGE);
  }
}

function linesOf({ loginName, link, was, factorsGone }: RecoveredAdministrator): string[] {
  return [
    ...(was === undefined ? [] : [`${loginName} was ${was} and is active again.`]),
    ...(factorsGone
      ? [`The second factors of ${loginName} are removed, and every session and token has ended.`]
      : []),
    `${loginName} sets a new password here. It works once, until ${link.expiresAt.toISOString()}.`,
    `  ${link.url}`,
    'Until then nothing else changes. The new password ends every session and token of this user.',
  ];
}

const { name, resetFactors } = readArguments();
const config = loadConfig();
try {
  const recovered = await withInstance(config, (app) =>
    app.get(RecoverAdministrator).execute(name, { osUser: osUser(), resetFactors }),
  );
  for (const line of linesOf(recovered)) console.log(line);
} catch (error) {
  console.error('Nothing was changed:', messageForLog(error));
  process.exit(1);
}
