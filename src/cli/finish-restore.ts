import '../config/quiet-debug.js';
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { loadConfig } from '../config/config.js';
import { FinishRestore, type FinishedRestore } from '../domain/maintenance/finish-restore.js';
import { DISABLED_ON_REQUEST, type DisabledOnRequest } from '../domain/maintenance/restore.store.js';
import { messageForLog } from '../ops/error-for-log.js';
import { osUser } from './os-user.js';
import { withInstance } from './with-instance.js';

/**
 * `identity restore finish [--disable tokens,secrets,keys]` after a restore and before the API takes traffic, and then
 * `identity restore release --send | --discard`. It needs the service's own configuration. Exit codes: 0 done, 1 failed
 * or refused, 64 wrong arguments, 78 configuration at fault.
 */
const EX_USAGE = 64;
const USAGE =
  'usage: identity restore finish [--disable tokens,secrets,keys] | identity restore release --send | --discard';

type Asked =
  | { readonly what: 'finish'; readonly disable: readonly DisabledOnRequest[] }
  | { readonly what: 'release'; readonly messages: 'send' | 'discard' };

function readArguments(): Asked {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        disable: { type: 'string', default: '' },
        send: { type: 'boolean', default: false },
        discard: { type: 'boolean', default: false },
      },
    });
    const [what, ...others] = positionals;
    if (others.length > 0) throw new Error('one thing at a time');
    if (what === 'finish') return { what, disable: readDisabled(values.disable) };
    if (what === 'release' && values.send !== values.discard)
      return { what, messages: values.send ? 'send' : 'discard' };
    throw new Error('what is to be done?');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    process.exit(EX_USAGE);
  }
}

function readDisabled(text: string): readonly DisabledOnRequest[] {
  const names = text.split(',').filter((name) => name !== '');
  const known = DISABLED_ON_REQUEST.filter((name) => names.includes(name));
  if (known.length !== names.length)
    throw new Error(`--disable takes ${DISABLED_ON_REQUEST.join(', ')}, each once`);
  return known;
}

function linesOf({ sessions, grants, keys, disabled, held }: FinishedRestore): string[] {
  return [
    `Ended: ${sessions} session(s), ${grants} grant(s) with their tokens. Everybody signs in again.`,
    `New keys: ${keys}; the old ones are removed. Codes and links that were under way no longer work.`,
    ...Object.entries(disabled).map(([what, count]) => `Disabled ${what}: ${count}.`),
    `Held back: ${held.messages} message(s), ${held.others} other job(s).`,
    'Everything that was granted at the time of the backup is granted again, and what was removed since is back: ' +
      'docs/backup.md lists what to look for in the events of the lost database.',
    'Empty Redis before API and workers start (docs/backup.md says how), or take a new QUEUE_PREFIX: a Redis that was kept runs what is held back.',
    'Then, always: identity restore release --discard, or --send where messages were not sent after the backup. Until then imports, ' +
      'bulk actions, ends of sessions and erasures that were under way stand still as well.',
  ];
}

const asked = readArguments();
const config = loadConfig();
try {
  const work = async (app: INestApplicationContext): Promise<void> => {
    const restore = app.get(FinishRestore, { strict: false });
    if (asked.what === 'finish') {
      for (const line of linesOf(await restore.finish(asked.disable, osUser()))) console.log(line);
    } else {
      const { messages, others } = await restore.release(asked.messages, osUser());
      const fate = asked.messages === 'send' ? 'are sent' : 'are discarded';
      console.log(`${messages} message(s) ${fate}, ${others} other job(s) go on.`);
    }
  };
  await withInstance(config, work, 'none');
} catch (error) {
  console.error('Nothing was changed:', messageForLog(error));
  process.exit(1);
}
