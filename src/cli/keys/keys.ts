import type { CommandGroup } from '../shell/command.js';
import { keysActivate, keysRemove } from './keys-change.js';
import { keysAffected, keysList, keysReaders } from './keys-list.js';
import { keysRotate } from './keys-rotate.js';

/** `identity keys`: the keys that sign tokens and seal opaque ones, for an administrator of the instance. */
export const keysGroup: CommandGroup = {
  name: 'keys',
  summary: 'Show and change the keys that sign tokens',
  description:
    'Keys rotate automatically on the schedule of the service. These commands are for changes that cannot wait. They need a ' +
    'token of an administrator of the instance.',
  commands: [keysList, keysReaders, keysAffected, keysRotate, keysActivate, keysRemove],
  examples: ['identity keys list', 'identity keys rotate', 'identity keys rotate --emergency'],
};
