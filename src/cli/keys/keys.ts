import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { keysActivate, keysRemove } from './keys-change.js';
import { keysAffected, keysList, keysReaders } from './keys-list.js';
import { keysRotate } from './keys-rotate.js';

/** `identity keys`: the keys that sign tokens and seal opaque ones, for an administrator of the instance. */
export function keysGroup(terminal: Terminal) {
  return new Command('keys')
    .summary('Show and change the keys that sign tokens')
    .description(
      'Keys rotate automatically on the schedule of the service. These commands are for changes that cannot wait. They need a ' +
        'token of an administrator of the instance.',
    )
    .addCommand(keysList(terminal))
    .addCommand(keysReaders(terminal))
    .addCommand(keysAffected(terminal))
    .addCommand(keysRotate(terminal))
    .addCommand(keysActivate(terminal))
    .addCommand(keysRemove(terminal))
    .addHelpText(
      'after',
      examples('identity keys list', 'identity keys rotate', 'identity keys rotate --emergency'),
    );
}
