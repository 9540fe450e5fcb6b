import { Command, Option } from '@commander-js/extra-typings';
import { connect, connectionOptions } from '../api/connection.js';
import { KEYS, type Rotation } from '../api/keys.js';
import { EXIT, UsageError } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';

export function keysRotate(terminal: Terminal) {
  const command = new Command('rotate')
    .summary('Publish the next key, which signs after the lead time')
    .description(
      'Running it again changes nothing. With --emergency new keys sign at once, of every algorithm unless one is named: without ' +
        '--confirm the command only shows whom that affects. Tokens of the old keys stay valid until you remove each: identity keys remove. ' +
        'Keys that could not be replaced are listed, and the exit code is then 1.',
    )
    .addOption(
      new Option(
        '--algorithm <algorithm>',
        'which keys (default: those that sign, with --emergency all)',
      ).choices(['RS256', 'PS256', 'ES256', 'EdDSA', 'opaque', 'all']),
    )
    .option('--emergency', 'changes the key at once, without the lead time')
    .option('--confirm', 'performs the change that --emergency describes');
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples('identity keys rotate', 'identity keys rotate --emergency --confirm'))
    .action(async ({ algorithm, emergency = false, confirm = false, ...options }) => {
      if (confirm && !emergency) throw new UsageError('--confirm is for --emergency');
      const client = await connect(options, terminal);
      // whoever copied one key has mostly copied all
      const chosen = algorithm ?? (emergency ? 'all' : undefined);
      const body = { ...(chosen !== undefined && { algorithm: chosen }), emergency, confirm };
      const rotation = await client.post<Rotation>(`${KEYS}/_rotate`, body);
      terminal.stdout.write(
        options.json ? `${JSON.stringify(rotation)}\n` : `${told(rotation, emergency)}\n`,
      );
      const { skipped = [] } = rotation;
      for (const left of skipped) terminal.stderr.write(`${toldOfSkipped(left)}\n`);
      if (skipped.length > 0) terminal.exitCode = EXIT.failed;
    });
}

function told({ id, ids, waiting = [], affected }: Rotation, emergency: boolean): string {
  const { grants = 0, applications = 0, keySetReaders = 0 } = affected ?? {};
  const atLeast = (isMore: boolean | undefined) => (isMore === true ? 'at least ' : '');
  const granted = `${atLeast(affected?.hasMoreGrants)}${grants} active grants of ${applications} applications`;
  const read = `${atLeast(affected?.hasMoreKeySetReaders)}${keySetReaders} addresses that have fetched the key set`;
  const touched = `${granted}, and ${read}`;
  if (id === undefined && ids === undefined)
    return `Nothing was changed. The change would affect ${touched}. To do it: --emergency --confirm`;
  if (ids !== undefined) {
    return [
      ...(ids.length > 0 ? [toldOfAll(ids, touched, emergency)] : []),
      ...waiting.map(
        (key) => `${key.id} (${key.algorithm}) leads up anew, and signs from ${key.activatesAt}.`,
      ),
    ].join('\n');
  }
  return emergency
    ? `${id} signs now. Affected: ${touched}. What the old key signed stays valid until "identity keys remove" removes it.`
    : `${id} is published and signs after the lead time.`;
}

function toldOfAll(ids: readonly string[], touched: string, emergency: boolean): string {
  const keys = ids.join(', ');
  return emergency
    ? `Sign now: ${keys}. Affected: ${touched}. What the old keys signed stays valid until "identity keys remove" removes each of them.`
    : `Published, and sign after the lead time: ${keys}.`;
}

function toldOfSkipped({ algorithm, retryAfterSeconds }: NonNullable<Rotation['skipped']>[number]): string {
  return retryAfterSeconds === undefined
    ? `Not replaced: ${algorithm}. There is no room for another key: remove one that signs no longer ("identity keys remove"), then run this again with --algorithm ${algorithm}.`
    : `Not replaced: ${algorithm}. Its key was replaced less than a minute ago: this is possible again in ${retryAfterSeconds} seconds.`;
}
