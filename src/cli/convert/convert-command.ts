import { Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { readGoDuration } from '../../domain/imports/formats/go-duration.js';
import { bytesOf } from '../files/bytes-of.js';
import { OutputFile, outputOptions, requireWritable } from '../files/output-file.js';
import { EXIT, UsageError, type ExitCode } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import { printable } from '../shell/printable.js';
import { StatusLine } from '../shell/status-line.js';
import type { Terminal } from '../shell/terminal.js';
import { runConversion, type ConversionCounts } from './run-conversion.js';
import type { Source } from './source.js';
import { DataOrgsFormat } from './writing/data-orgs-format.js';
import { formatDuration } from './writing/go-duration.js';
import { NdjsonFormat } from './writing/ndjson-format.js';
import type { OutputFormat } from './writing/output-format.js';
import { RejectsReport } from './writing/rejects-report.js';

const shared = withOptions(
  new Command()
    .addOption(
      new Option('--format <format>', 'output: one record per line, or the dataOrgs document')
        .choices(['ndjson', 'dataorgs'])
        .default('ndjson' as const),
    )
    .option('--org <id>', 'organization to create the users in; required by --format dataorgs')
    .option('--timeout <duration>', '`timeout` of the dataOrgs document: how long the server may take', '30m')
    .option('--output <file>', 'where to write; - is standard output', '-')
    .option('--multiline', 'writes the dataOrgs document indented, over many lines')
    .option(
      '--rejects <file>',
      'report of the records that cannot be converted, as NDJSON (default <output>.rejects)',
    )
    .option(
      '--keep-user-names',
      'keeps user names that are e-mail addresses other than the user’s own; without it, such records are rejected (except from okta and csv)',
    )
    .option('--lenient', 'exits with 0 even if records were rejected')
    .option(
      '--json',
      'writes the summary as JSON: to standard output if --output is a file, else to standard error',
    ),
  outputOptions,
);

type Shared = ReturnType<typeof shared.opts>;

/** The command that converts one source: its own options and those that all share. */
export function convertCommand(source: Source, terminal: Terminal) {
  const command = new Command(source.name).summary(source.summary).description(source.description);
  const required = source.options.options.filter((option) => option.mandatory).map((option) => option.flags);
  return withOptions(withOptions(command, source.options), shared)
    .usage([...required, '[options]'].join(' '))
    .addHelpText('after', examples(...source.examples))
    .action(async (given) => {
      terminal.exitCode = await convert(source, given, terminal);
    });
}

async function convert(source: Source, given: OptionValues & Shared, terminal: Terminal): Promise<ExitCode> {
  const timeout = readGoDuration(given.timeout);
  if (timeout === undefined) throw new UsageError('--timeout is a duration such as 30m, 90s or 1h30m');
  if (given.format === 'dataorgs' && given.org === undefined && source.namesOrganizations !== true)
    throw new UsageError('--format dataorgs needs --org');
  const notes = new Map<string, number>();
  const note = (text: string) => notes.set(text, (notes.get(text) ?? 0) + 1);

  const startedAt = performance.now();
  const status = new StatusLine(terminal.stderr);
  const path = given.output;
  const replacing = { replace: given.force ?? false };
  const rejects = given.rejects ?? (path === '-' ? undefined : `${path}.rejects`);
  if (rejects !== undefined) await requireWritable(rejects, replacing);
  if (path !== '-') await requireWritable(path, replacing);
  const conversion = await source.open(given, (name) => bytesOf(name, terminal.stdin));
  const output = await (path === '-'
    ? OutputFile.on(terminal.stdout)
    : OutputFile.at(path, replacing).catch(async (error: unknown) => {
        await conversion.close?.();
        throw error;
      }));
  const report = new RejectsReport(rejects, replacing, terminal.stderr);
  const format: OutputFormat =
    given.format === 'dataorgs'
      ? new DataOrgsFormat(output, {
          orgId: given.org,
          timeout: formatDuration(timeout),
          multiline: given.multiline ?? false,
          note,
        })
      : new NdjsonFormat(output, given.org);
  try {
    const counts = await runConversion(conversion, format, report, {
      source: source.name,
      keepsUserNames: given.keepUserNames ?? false,
      note,
      onRead: (records) => {
        if (records % TOLD_RECORDS === 0)
          status.show(`${records.toLocaleString('en-US')} records read`, stepOf(records));
      },
    });
    status.clear();
    await format.end();
    await output.finish();
    const written = await report.finish();
    const seconds = (performance.now() - startedAt) / 1000;
    printSummary(terminal, given, {
      ...counts,
      notes: Object.fromEntries(notes),
      remarks: conversion.remarks?.() ?? [],
      seconds,
      rejects: written,
    });
    return counts.rejected > 0 && !given.lenient ? EXIT.failed : EXIT.ok;
  } catch (error) {
    status.clear();
    await output.abandon();
    await report.abandon();
    throw error;
  } finally {
    await format.close();
    await conversion.close?.();
  }
}

/** How often a terminal is updated; a log gets a line every hundred thousand. */
const TOLD_RECORDS = 1000;

function stepOf(records: number): string {
  return String(Math.floor(records / 100_000));
}

interface Summary extends ConversionCounts {
  /** What users do not bring along, by the number of users. */
  readonly notes: Readonly<Record<string, number>>;
  /** About the export as a whole. */
  readonly remarks: readonly string[];
  readonly seconds: number;
  readonly rejects: string | undefined;
}

function printSummary(terminal: Terminal, given: Shared, summary: Summary): void {
  if (given.json) {
    const target = given.output === '-' ? terminal.stderr : terminal.stdout;
    target.write(`${JSON.stringify({ ...summary, seconds: Math.round(summary.seconds * 1000) / 1000 })}\n`);
    return;
  }
  const { read, converted, withPassword, rejected, skipped, rejects, notes, remarks, seconds } = summary;
  const lines = [
    `Read ${count(read, 'record')} in ${seconds.toFixed(1)} s: ${converted} converted (${withPassword} with a password), ` +
      `${rejected} rejected, ${skipped} skipped.`,
    ...keptLines(summary),
    ...Object.entries(notes).map(([text, users]) => `  ${count(users, 'user')}: ${text}`),
    ...remarks,
    ...(rejects === undefined ? [] : [`What was not converted, and why, is in ${rejects}.`]),
  ];
  terminal.stderr.write(`${lines.map(printable).join('\n')}\n`);
}

/** What an import keeps: from the next sign-in on it is asked for, or is a way in. */
function keptLines({ totpSecrets, recoveryCodes, codeFactors, linked }: ConversionCounts): string[] {
  const kinds = [
    [totpSecrets, 'a TOTP secret, whose code is asked for from the next sign-in on'],
    [codeFactors, 'codes by e-mail or SMS, which are asked for from the next sign-in on'],
    [recoveryCodes, 'recovery codes, each of which replaces a second factor once'],
    [linked, 'links to providers, by which they go on to sign in'],
  ] as const;
  return kinds.flatMap(([users, text]) => (users === 0 ? [] : [`  ${count(users, 'user')}: ${text}`]));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
