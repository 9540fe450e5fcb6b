import { connect, connectionOptions } from '../api/connection.js';
import { KEYS, type Rotation } from '../api/keys.js';
import { command } from '../shell/command.js';
import { EXIT, UsageError } from '../shell/exit.js';
import { choice, flag } from '../shell/options.js';

export const keysRotate = command({
  name: 'rotate',
  summary: 'Publish the next key, which signs after the lead time',
  description:
    'Running it again changes nothing. With --emergency a new key signs at once: without --confirm the command only ' +
    'shows whom that affects. Tokens of the old key stay valid until you remove it: identity keys remove.',
  options: {
    algorithm: choice(['RS256', 'ES256', 'EdDSA', 'opaque'], 'which keys (default: those that sign)'),
    emergency: flag('changes the key at once, without the lead time'),
    confirm: flag('performs the change that --emergency describes'),
    ...connectionOptions,
  },
  examples: ['identity keys rotate', 'identity keys rotate --emergency --confirm'],
  async run({ options }, terminal) {
    const { algorithm, emergency, confirm } = options;
    if (confirm && !emergency) throw new UsageError('--confirm is for --emergency');
    const client = await connect(options, terminal);
    const body = { ...(algorithm !== undefined && { algorithm }), emergency, confirm };
    const rotation = await client.post<Rotation>(`${KEYS}/_rotate`, body);
    terminal.stdout.write(options.json ? `${JSON.stringify(rotation)}\n` : `${told(rotation, emergency)}\n`);
    return EXIT.ok;
  },
});

function told({ id, affected }: Rotation, emergency: boolean): string {
  const { grants = 0, applications = 0, keySetReaders = 0 } = affected ?? {};
  const touched = `${grants} active grants of ${applications} applications, and ${keySetReaders} addresses that have fetched the key set`;
  if (id === undefined)
    return `Nothing was changed. The change would affect ${touched}. To do it: --emergency --confirm`;
  return emergency
    ? `${id} signs now. Affected: ${touched}.`
    : `${id} is published and signs after the lead time.`;
}
