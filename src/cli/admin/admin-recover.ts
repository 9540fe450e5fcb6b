import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';

export function adminRecover(terminal: Terminal) {
  return new Command('recover')
    .summary('Print a one-time link by which an administrator sets a new password')
    .description(
      'Run it where the service runs, with the environment of its API (DATABASE_URL, MASTER_KEY, PUBLIC_URL): it needs the ' +
        'database, but no token and no mail server. In a clone that npm start serves it finds these by itself. A locked ' +
        'or deactivated administrator becomes active again. The audit log records the call and the account of this ' +
        'machine. The current password works until the link is used; the new one ends every session and token of the user.',
    )
    .argument(
      '[login name]',
      'which administrator (login name or e-mail address); not needed where there is one',
    )
    .option(
      '--reset-factors',
      'also remove the second factors and recovery codes, for an administrator who has lost them',
    )
    .addHelpText(
      'after',
      examples(
        'identity admin recover',
        'identity admin recover ada@acme.com',
        'identity admin recover --reset-factors ada@acme.com',
      ),
    )
    .action(async (name, { resetFactors }) => {
      terminal.exitCode = await terminal.runProgram('recover-administrator', [
        ...(resetFactors === true ? ['--reset-factors'] : []),
        '--',
        ...(name === undefined ? [] : [name]),
      ]);
    });
}
