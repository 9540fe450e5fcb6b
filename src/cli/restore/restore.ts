import { Command, Option } from '@commander-js/extra-typings';
import { UsageError } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';

/** `identity restore`: for whoever runs the service. Works on the database, with the service's own configuration. */
export function restoreGroup(terminal: Terminal) {
  return new Command('restore')
    .description('After a database was restored from a backup; run it where the service runs')
    .addCommand(finish(terminal))
    .addCommand(release(terminal))
    .addHelpText('after', examples('identity restore finish', 'identity restore release --discard'));
}

function finish(terminal: Terminal) {
  return new Command('finish')
    .summary('End sessions, tokens and codes that the backup has restored, before the API starts')
    .description(
      'Sessions, tokens and codes that were ended after the backup are valid again in the restored database. This command ends every session, ' +
        'grant and refresh token, deletes pending codes and links, replaces the keys of tokens, and holds back messages and jobs ' +
        'that were due at the time of the backup. It runs in one transaction and can be repeated. Run it where the service ' +
        'runs, with the environment of its API, while API and workers are stopped.',
    )
    .option(
      '--disable <what>',
      'also disable credentials that may have been revoked after the backup, separated by commas: tokens (personal access tokens), ' +
        'secrets (of applications and service users), keys (for their assertions)',
    )
    .addHelpText(
      'after',
      examples('identity restore finish', 'identity restore finish --disable tokens,secrets,keys'),
    )
    .action(async ({ disable }) => {
      terminal.exitCode = await terminal.runProgram('finish-restore', [
        'finish',
        ...(disable === undefined ? [] : ['--disable', disable]),
      ]);
    });
}

function release(terminal: Terminal) {
  return new Command('release')
    .summary('Release the messages and jobs that finish has held back')
    .description(
      'Most messages that were due at the time of the backup have been sent since: --discard drops them. --send sends ' +
        'them, some for the second time. Other jobs, such as those of imports, continue either way.',
    )
    .addOption(new Option('--send', 'send the messages').conflicts('discard'))
    .addOption(new Option('--discard', 'drop the messages').conflicts('send'))
    .addHelpText('after', examples('identity restore release --discard', 'identity restore release --send'))
    .action(async ({ send, discard }) => {
      if (send !== true && discard !== true)
        throw new UsageError('what becomes of the messages? give --discard or --send');
      terminal.exitCode = await terminal.runProgram('finish-restore', [
        'release',
        ...(send === true ? ['--send'] : []),
        ...(discard === true ? ['--discard'] : []),
      ]);
    });
}
