import { Command } from '@commander-js/extra-typings';
import { bytesOf } from '../files/bytes-of.js';
import { UsageError } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';

/** More than any body of settings: metadata of a SAML provider is the largest part. */
const MOST_BYTES = 1_000_000;

/** Settings come from a file: secrets in arguments could be read off the processes. */
export const settingsOption = new Command().requiredOption(
  '--file <file>',
  'JSON with the settings, as the API reference describes them; - is standard input',
);

/** @throws UsageError where it is no JSON object; nothing of it is repeated, as secrets may stand in it */
export async function readSettings(file: string, { stdin }: Terminal): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytesOf(file, stdin)) {
    length += piece.length;
    if (length > MOST_BYTES) throw new UsageError(`${file} is larger than ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  let settings: unknown;
  try {
    settings = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    settings = undefined;
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new UsageError(`${file === '-' ? 'standard input' : file} is no JSON object`);
  return settings as Record<string, unknown>;
}

interface Replacement {
  readonly settings: Readonly<Record<string, unknown>>;
  /** The sequence in its `details`, where it has them. */
  readonly readAt: string | undefined;
}

/**
 * What a PUT replaces settings with. What `get` shows beside settings is left out, so that its answer can be edited and sent
 * back; where that has `details`, nobody else may have changed the thing since.
 */
export async function readReplacement(
  file: string,
  shownBeside: readonly string[],
  terminal: Terminal,
): Promise<Replacement> {
  const { details, ...given } = await readSettings(file, terminal);
  const settings = Object.fromEntries(Object.entries(given).filter(([name]) => !shownBeside.includes(name)));
  return { settings, readAt: sequenceOf(details) };
}

function sequenceOf(details: unknown): string | undefined {
  const { sequence } = (details ?? {}) as { readonly sequence?: unknown };
  return typeof sequence === 'string' && /^[0-9]+$/.test(sequence) ? sequence : undefined;
}
