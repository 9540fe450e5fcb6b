import { connect, connectionOptions } from '../api/connection.js';
import { type ImportJob, importPath } from '../api/imports.js';
import { requireWritable } from '../files/output-file.js';
import { command } from '../shell/command.js';
import { EXIT } from '../shell/exit.js';
import { followAndSave, sendAndFollow, uploadOptions } from './import-file.js';
import { tellImport } from './tell-import.js';

export const importRetry = command({
  name: 'retry',
  summary: 'Import the failed records of an import again',
  description:
    'Without a file as they were, for what has been put right elsewhere; with one, the corrected records, under the ' +
    'options that are given now.',
  parameters: [
    { name: 'id', meaning: 'of the import', required: true },
    { name: 'file', meaning: 'the corrected records; - is standard input', required: false },
  ],
  options: { ...uploadOptions, ...connectionOptions },
  examples: [
    'identity import retry 8Jq2vZ1xT0aB4cD6eF8gHi',
    'identity import retry 8Jq2vZ1xT0aB4cD6eF8gHi fixed.ndjson',
  ],
  async run({ arguments: [id = '', file], options }, terminal) {
    const client = await connect(options, terminal);
    const path = importPath(id, '_retry');
    if (file !== undefined) return sendAndFollow(client, path, file, options, terminal);
    const { results, force: replace, detach } = options;
    if (results !== undefined && !detach) await requireWritable(results, { replace });
    const job = await client.post<ImportJob>(path);
    if (!options.detach) return followAndSave(client, job, '-', options, terminal);
    tellImport(job, options.json, terminal);
    return EXIT.ok;
  },
});
