import type { CommandGroup } from '../shell/command.js';
import { adminRecover } from './admin-recover.js';

/** `identity admin`: for whoever runs the service. Works on the database, with the service's own configuration. */
export const adminGroup: CommandGroup = {
  name: 'admin',
  summary: 'Help an administrator of the instance back in, where the service runs',
  commands: [adminRecover],
  examples: ['identity admin recover'],
};
