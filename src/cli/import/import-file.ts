import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { IMPORT_MODES, IMPORT_NOTIFY, IMPORTED_STATES } from '../../domain/imports/import-job.js';
import { ApiRefusal, type ApiClient, type Query } from '../api/api-client.js';
import type { ImportJob } from '../api/imports.js';
import { outputOptions, requireWritable } from '../files/output-file.js';
import { isFree, type Replacing } from '../files/private-draft.js';
import { EXIT, OperationFailed, UsageError, type ExitCode } from '../shell/exit.js';
import { interruptible } from '../shell/interruptible.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { followImport } from './follow-import.js';
import { MailsNotMeant, requireMailsMeant, UNASKED_MAILS } from './mails-meant.js';
import { exitCodeOf, printImport, saveResults } from './print-import.js';
import { Progress } from './progress.js';
import { openUpload } from './upload-file.js';

/** Options of everything that sends a file. */
export const uploadOptions = withOptions(
  new Command()
    .addOption(
      new Option('--format <format>', 'format of the file (default: by the end of its name)').choices([
        'ndjson',
        'csv',
        'dataorgs',
      ]),
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'existing users: report an error, skip them, or update them (default insert)',
      ).choices(IMPORT_MODES),
    )
    .option(
      '--update-passwords',
      'with --mode upsert: replaces their passwords, too, and ends their sessions',
    )
    .option('--dry-run', 'runs the whole import but keeps only its results')
    .addOption(
      new Option(
        '--notify <when>',
        'when to mail users with an unverified address or without a password (default now)',
      ).choices(IMPORT_NOTIFY),
    )
    .addOption(
      new Option('--initial-state <state>', 'state for records that name none').choices(IMPORTED_STATES),
    )
    .option(
      '--results <file>',
      'file for the outcome of each record: CSV if it ends in .csv, else NDJSON (default ' +
        '<file>.results.ndjson; a name that is taken gets a number: <file>.results-2.ndjson)',
    )
    .option('--yes', `sends the mails without asking (asks if there are more than ${UNASKED_MAILS})`)
    .option('--detach', 'exits once the file is uploaded; the import continues in the service')
    .option(
      '--idempotency-key <key>',
      'after an interrupted upload: the key that it printed, so that nothing is imported twice',
    ),
  outputOptions,
);

export type UploadOptions = ReturnType<typeof uploadOptions.opts> & { readonly json?: boolean };

/** Sends a file and, by default, follows the import to its end and saves the results of its records. */
export async function sendAndFollow(
  client: ApiClient,
  path: string,
  file: string,
  given: UploadOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (given.updatePasswords && given.mode !== 'upsert') {
    throw new UsageError('--update-passwords is for --mode upsert');
  }
  const watch = await requireMailsMeant(file, given, terminal);
  if (given.results !== undefined && !given.detach) {
    await requireWritable(given.results, { replace: given.force ?? false });
  }
  const progress = new Progress(terminal.stderr);
  const upload = await openUpload(file, given.format, progress, terminal, watch);
  const key = given.idempotencyKey ?? randomUUID();
  let job: ImportJob;
  try {
    const told = `the upload was broken off; to try again: --idempotency-key ${key}`;
    job = await interruptible(terminal, told, (signal) =>
      client.upload<ImportJob>(path, queryOf(file, given), upload, key, signal),
    );
  } catch (error) {
    progress.clear();
    if (!(error instanceof OperationFailed) || error instanceof ApiRefusal || error instanceof MailsNotMeant)
      throw error;
    // the service may have the file and only the answer is lost
    throw new OperationFailed(`${error.message}; to try again: --idempotency-key ${key}`, { cause: error });
  }
  progress.say(`Import ${job.id} has the file.`);
  return given.detach
    ? printAndEnd(job, given.json, terminal)
    : followAndSave(client, job, file, given, terminal);
}

function printAndEnd(job: ImportJob, json: boolean | undefined, terminal: Terminal): ExitCode {
  printImport(job, json, terminal);
  return EXIT.ok;
}

export async function followAndSave(
  client: ApiClient,
  started: ImportJob,
  file: string,
  given: ResultsOptions & { readonly json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const progress = new Progress(terminal.stderr);
  const job = await followImport(client, started, progress, terminal);
  printImport(job, given.json, terminal);
  const target = await resultsOf(file, given);
  if (target !== undefined) {
    const format = target.path.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson';
    await saveResults(client, job.id, { format, outcome: undefined }, target, terminal);
    progress.say(`The outcome of each record is in ${target.path}.`);
  }
  return exitCodeOf(job);
}

interface ResultsOptions {
  readonly results?: string;
  readonly force?: boolean;
}

/** Where results go. Under a name that is ours to choose, the results of another run are never replaced. */
async function resultsOf(
  file: string,
  { results, force = false }: ResultsOptions,
): Promise<({ readonly path: string } & Replacing) | undefined> {
  if (results !== undefined) return { path: results, replace: force };
  if (file === '-') return undefined;
  for (let run = 1; ; run++) {
    const path = `${file}.results${run === 1 ? '' : `-${run}`}.ndjson`;
    if (force || (await isFree(path))) return { path, replace: force };
  }
}

function queryOf(file: string, given: UploadOptions): Query {
  return {
    mode: given.mode,
    notify: given.notify,
    initialState: given.initialState,
    dryRun: given.dryRun ? 'true' : undefined,
    updatePasswords: given.updatePasswords ? 'true' : undefined,
    fileName: file === '-' ? undefined : path.basename(file),
  };
}
