import type { CommandGroup } from '../shell/command.js';
import { userChanges } from './user-changes.js';
import { userGet } from './user-get.js';
import { userList } from './user-list.js';
import { userRemove } from './user-remove.js';

/** `identity users`: looks at the users of an organization, and changes what people on call have to change. */
export const usersGroup: CommandGroup = {
  name: 'users',
  summary: 'Look at users, lock, deactivate and remove them',
  description: 'In the organization that --org names, else in that of the token.',
  commands: [userList, userGet, ...userChanges, userRemove],
  examples: [
    'identity users list --email @acme.example --state locked',
    'identity users get ada@acme.example --json',
    'identity users lock ada@acme.example',
  ],
};
