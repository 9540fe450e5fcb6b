import type { ApiClient } from '../api/api-client.js';
import { hasEnded, importPath, recordsDone, type ImportJob } from '../api/imports.js';
import { OutputFile } from '../files/output-file.js';
import type { Replacing } from '../files/private-draft.js';
import { EXIT, type ExitCode } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';
import { duration, hasPace, number } from './progress.js';

/** An import in a few lines for people, or as JSON; both on standard output. */
export function printImport(job: ImportJob, json: boolean | undefined, terminal: Terminal): void {
  terminal.stdout.write(json ? `${JSON.stringify(job)}\n` : `${linesOf(job).join('\n')}\n`);
}

function linesOf(job: ImportJob): string[] {
  const { created, updated, skipped, failed, weak, held = 0, total } = job.counts;
  const done = recordsDone(job);
  const dryRun = job.dryRun ? ' (dry run: nothing was kept)' : '';
  const reason = job.reason === undefined ? '' : `: ${job.reason}`;
  const pace = [
    ...(job.rate === undefined || job.state === 'paused'
      ? []
      : [`${number(Math.round(job.rate))} records a second`]),
    ...(hasPace(job) ? [`${duration(job.etaSeconds)} left`] : []),
  ];
  return [
    `Import ${job.id} is ${job.state}${reason}${dryRun}`,
    `  ${number(done)}${total === undefined ? '' : ` of ${number(total)}`} records: ${number(created)} created, ` +
      `${number(updated)} updated, ${number(skipped)} skipped, ${number(failed)} failed`,
    ...(pace.length === 0 ? [] : [`  ${pace.join(', ')}`]),
    ...factorLines(job.counts),
    ...identityLines(job.counts),
    ...(held === 0 || !hasEnded(job) || job.undo !== undefined
      ? []
      : [
          `  ${number(held)} ${held === 1 ? 'message is' : 'messages are'} held; send with: identity import notify ${job.id}`,
        ]),
    ...(weak === 0 ? [] : [`  ${number(weak)} with a weak password hash, which the first sign-in replaces`]),
    ...(job.undo === undefined
      ? []
      : [
          `  undo ${job.undo.state}: ${number(job.undo.removed)} users removed, ${number(job.undo.kept)} kept`,
        ]),
    ...(failed > 0 && hasEnded(job)
      ? [`  to import the failed records again: identity import retry ${job.id}`]
      : []),
  ];
}

/** Kinds of factors that came in, in the words of `identity convert`. */
function factorLines(counts: ImportJob['counts']): string[] {
  const { totpSecrets = 0, recoveryCodes = 0, codeFactors = 0, passkeys = 0, foreignPasskeys = 0 } = counts;
  const kinds = [
    [totpSecrets, 'with a TOTP secret, whose code is asked for from the next sign-in on'],
    [codeFactors, 'with codes by e-mail or SMS, which are asked for from the next sign-in on'],
    [recoveryCodes, 'with recovery codes, each of which replaces a second factor once'],
    [passkeys, passkeys === 1 ? 'passkey came along' : 'passkeys came along'],
    [
      foreignPasskeys,
      foreignPasskeys === 1
        ? 'passkey is for another relying-party id and is left out'
        : 'passkeys are for another relying-party id and are left out',
    ],
  ] as const;
  return kinds.flatMap(([count, text]) => (count === 0 ? [] : [`  ${number(count)} ${text}`]));
}

/** Identities at providers, by what became of them. */
function identityLines(counts: ImportJob['counts']): string[] {
  const { identities = 0, knownIdentities = 0, refusedIdentities = 0 } = counts;
  const kinds = [
    [identities, 'linked'],
    [knownIdentities, 'linked already'],
    [refusedIdentities, 'not linked'],
  ] as const;
  return kinds.flatMap(([count, text]) =>
    count === 0
      ? []
      : [
          `  ${number(count)} ${count === 1 ? 'identity at a provider is' : 'identities at providers are'} ${text}`,
        ],
  );
}

/** 1 when the import, or one of its records, failed. */
export function exitCodeOf(job: ImportJob): ExitCode {
  const isWell = ['done', 'undone'].includes(job.state) && job.counts.failed === 0;
  return isWell || !hasEnded(job) ? EXIT.ok : EXIT.failed;
}

export const RESULTS_FORMATS = ['ndjson', 'csv'] as const;
type ResultsFormat = (typeof RESULTS_FORMATS)[number];

/** Writes what became of each record to a file, or to standard output for `-`. */
export async function saveResults(
  client: ApiClient,
  id: string,
  wanted: { readonly format: ResultsFormat; readonly outcome: string | undefined },
  target: { readonly path: string } & Replacing,
  terminal: Terminal,
): Promise<void> {
  const { path } = target;
  const { format, outcome } = wanted;
  const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const output = path === '-' ? OutputFile.on(terminal.stdout) : await OutputFile.at(path, target);
  const decoder = new TextDecoder();
  try {
    const chunks = await client.download(importPath(id, 'results'), { format, outcome }, accept);
    for await (const chunk of chunks) await output.write(decoder.decode(chunk, { stream: true }));
    await output.finish();
  } catch (error) {
    await output.abandon();
    throw error;
  }
}
