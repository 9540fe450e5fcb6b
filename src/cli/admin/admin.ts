import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { adminRecover } from './admin-recover.js';

/** `identity admin`: for whoever runs the service. Works on the database, with the service's own configuration. */
export function adminGroup(terminal: Terminal) {
  return new Command('admin')
    .description('Restore access for an administrator; run it where the service runs')
    .addCommand(adminRecover(terminal))
    .addHelpText('after', examples('identity admin recover'));
}
