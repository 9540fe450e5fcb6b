import type { ImportJob } from '../api/imports.js';
import { bytesOf, readFailure } from '../files/bytes-of.js';
import { canAsk, confirm } from '../shell/confirm.js';
import { OperationFailed, UsageError } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';
import { MailCounter } from './count-mails.js';
import { number } from './progress.js';
import { formatOf, sizeOf } from './upload-file.js';

/** More of them than somebody means to send by the way. */
export const UNASKED_MAILS = 100;

/** Somebody who was asked, or could not be asked, did not say that these mails are meant. */
export class MailsNotMeant extends OperationFailed {
  constructor(message: string) {
    super(message);
    this.name = 'MailsNotMeant';
  }
}

interface Sending {
  readonly notify?: string;
  readonly yes?: boolean;
  readonly format?: string;
  readonly initialState?: string;
  readonly dryRun?: boolean;
}

/** Looks at what is sent on its way; ends the upload by throwing, and with it the import, of which then nothing stays. */
export type Watch = (piece: Buffer) => void;

/**
 * An import whose mails nobody counted has sent thousands: more than a hundred need a yes. A file is counted before any
 * of it is sent. Standard input can be read only once: it is counted on its way.
 *
 * @throws MailsNotMeant when the answer is no, UsageError where nobody is there to ask or nothing can be counted
 */
export async function requireMailsMeant(
  file: string,
  { notify = 'now', yes, format: named, initialState, dryRun }: Sending,
  terminal: Terminal,
): Promise<Watch | undefined> {
  if (notify !== 'now' || yes || dryRun) return undefined;
  const counter = new MailCounter(formatOf(file, named), initialState);
  if (!(await canReadTwice(file))) {
    return (piece) => {
      counter.add(piece);
      if (counter.mails > UNASKED_MAILS)
        throw new MailsNotMeant(`${warningOf('more than', UNASKED_MAILS)}. ${WAYS_OUT}`);
    };
  }
  for await (const piece of bytesOf(file, terminal.stdin)) counter.add(piece);
  counter.end();
  await requireYes(counter.mails, WAYS_OUT, terminal);
  return undefined;
}

/**
 * A retry without a file has the options of the first time: its records are on the service, and each may be a mail.
 *
 * @throws MailsNotMeant when the answer is no, UsageError where nobody is there to ask
 */
export async function requireRetryMeant(
  { notify = 'now', dryRun, counts }: ImportJob,
  terminal: Terminal,
): Promise<void> {
  if (notify === 'now' && !dryRun) await requireYes(counts.failed, RETRY_WAYS_OUT, terminal);
}

async function requireYes(mails: number, waysOut: string, terminal: Terminal): Promise<void> {
  if (mails <= UNASKED_MAILS) return;
  if (!canAsk(terminal)) throw new UsageError(`${warningOf('up to', mails)}. ${waysOut}`);
  if (await confirm(`${warningOf('up to', mails)}. Send them?`, terminal)) return;
  throw new MailsNotMeant(
    'nothing was sent. --notify deferred imports the users of a file and holds their mails',
  );
}

async function canReadTwice(file: string): Promise<boolean> {
  try {
    return (await sizeOf(file)) !== undefined;
  } catch (error) {
    throw readFailure(file, error);
  }
}

function warningOf(bound: string, mails: number): string {
  return `This import sends ${bound} ${number(mails)} mails, to users with an unverified address or without a password`;
}

const WAYS_OUT = 'Nothing was imported. Use --yes to send them, or --notify deferred to hold them.';
const RETRY_WAYS_OUT =
  'Nothing was imported. Use --yes to send them, or give the records as a file with --notify deferred to hold them.';
