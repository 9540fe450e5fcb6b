import { command } from '../shell/command.js';

export const adminRecover = command({
  name: 'recover',
  summary: 'Print a one-time link by which an administrator sets a new password',
  description:
    'Run it where the service runs, with the environment of its API (DATABASE_URL, MASTER_KEY, PUBLIC_URL): it asks the ' +
    'database, no token and no mail server. In a clone that npm start serves it finds these by itself. An administrator ' +
    'who is locked or deactivated is let in again. The audit log says that it was done, by which account of this ' +
    'machine. The password of before holds until the link is used; the new one ends every session and token of the user.',
  parameters: [
    {
      name: 'login name',
      meaning: 'which administrator (login name or e-mail address); not needed where there is one',
      required: false,
    },
  ],
  options: {},
  examples: ['identity admin recover', 'identity admin recover ada@acme.com'],
  run: async ({ arguments: names }, terminal) =>
    await terminal.runProgram('recover-administrator', ['--', ...names]),
});
