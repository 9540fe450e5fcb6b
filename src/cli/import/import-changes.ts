import { connect, connectionOptions } from '../api/connection.js';
import { type ImportJob, importPath } from '../api/imports.js';
import { command, type Command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { flag } from '../shell/options.js';
import { followImport } from './follow-import.js';
import { Progress } from './progress.js';
import { tellImport } from './tell-import.js';

/** `identity import pause|resume|cancel|undo|notify <id>`: one call each, and the import as it then is. */
export const importChanges: readonly Command[] = [
  change('pause', 'Pause an import; what is at work is finished first'),
  change('resume', 'Let a paused import go on'),
  change('cancel', 'Cancel an import; users that it has brought in stay'),
  change('undo', 'Take out again whom an import created and who has not signed in since'),
  change('notify', 'Send the mails that an import has deferred'),
];

function change(name: string, summary: string): Command {
  return command({
    name,
    summary,
    parameters: [{ name: 'id', meaning: 'of the import', required: true }],
    options: { watch: flag('follows the import until nothing changes any more'), ...connectionOptions },
    examples: [`identity import ${name} 8Jq2vZ1xT0aB4cD6eF8gHi`],
    async run({ arguments: [id = ''], options }, terminal) {
      const client = await connect(options, terminal);
      let job = await client.post<ImportJob>(importPath(id, `_${name}`));
      if (options.watch) job = await followImport(client, job, new Progress(terminal.stderr), terminal);
      tellImport(job, options.json, terminal);
      return EXIT.ok;
    },
  });
}
