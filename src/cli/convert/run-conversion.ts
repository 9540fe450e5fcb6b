import { ApiError } from '../../domain/shared/errors.js';
import { isEmailAddress } from '../../domain/users/email-address.js';
import { canonicalName } from '../../domain/users/names/canonical-name.js';
import { NotAPerson, Unconvertible, type ConvertedHuman, type Note } from './converted-human.js';
import { productCheck } from './foreign-product.js';
import { requireImportable } from './require-importable.js';
import type { Conversion } from './source.js';
import type { OutputFormat } from './writing/output-format.js';
import type { RejectsReport } from './writing/rejects-report.js';

export interface ConversionCounts {
  read: number;
  converted: number;
  rejected: number;
  skipped: number;
  withPassword: number;
  /** Kept by the import, and asked for from the next sign-in on. */
  totpSecrets: number;
  /** Users who have some; the mapping of a CSV file can name them. */
  recoveryCodes: number;
  codeFactors: number;
  /** Users who keep a link to a provider, and sign in by it. */
  linked: number;
}

/** Options and report of a run, besides its records. */
interface ConversionRun {
  /** The name of the source. */
  readonly source: string;
  /** Whether a user name may be an e-mail address other than the user's own. */
  readonly keepsUserNames: boolean;
  readonly note: Note;
  /** After each record. */
  readonly onRead: (records: number) => void;
}

/** Reads, converts, checks and writes one record after the other: memory does not depend on how many there are. */
export async function runConversion(
  conversion: Conversion,
  output: OutputFormat,
  report: RejectsReport,
  { source, keepsUserNames, note, onRead }: ConversionRun,
): Promise<ConversionCounts> {
  const counts: ConversionCounts = {
    read: 0,
    converted: 0,
    rejected: 0,
    skipped: 0,
    withPassword: 0,
    totpSecrets: 0,
    recoveryCodes: 0,
    codeFactors: 0,
    linked: 0,
  };
  const requireProduct = productCheck(source);
  for await (const { place, ...record } of conversion.records()) {
    counts.read += 1;
    onRead(counts.read);
    if ('fault' in record) {
      counts.rejected += 1;
      await report.add({ ...place, outcome: 'rejected', reason: record.fault });
      continue;
    }
    // notes of a rejected record are replaced by the reason
    const notes: string[] = [];
    let human: ConvertedHuman | undefined;
    try {
      requireProduct(record.value);
      const noteOnce = (text: string) => notes.push(text);
      human = conversion.convert(record.value, noteOnce);
      if (!keepsUserNames && conversion.givesUserNames !== true) requireOwnName(human);
      requireImportable(human, conversion.strict === true ? undefined : noteOnce);
      await output.write(human);
      counts.converted += 1;
      if (human.hashedPassword !== undefined || human.password !== undefined) counts.withPassword += 1;
      if (human.totpSecret !== undefined) counts.totpSecrets += 1;
      if ((human.recoveryCodes ?? []).length > 0) counts.recoveryCodes += 1;
      if ((human.codeFactors ?? []).length > 0) counts.codeFactors += 1;
      if ((human.idps ?? []).length > 0) counts.linked += 1;
      for (const text of new Set(notes)) note(text);
    } catch (error) {
      const outcome = error instanceof NotAPerson ? 'skipped' : 'rejected';
      const id = human?.userId === undefined ? {} : { id: human.userId };
      await report.add({ ...place, ...id, outcome, reason: reasonOf(error) });
      counts[outcome] += 1;
    }
  }
  return counts;
}

/** Whoever could choose a user name there could choose somebody's address, and be found by it in their place. */
function requireOwnName({ userName, email }: ConvertedHuman): void {
  // what is missing is refused by the reader of records
  const name = canonicalName(userName);
  // by its canonical form, which is what people are found by: another spelling of an address is that address
  if (name === canonicalName(email.email) || !isEmailAddress(name)) return;
  throw new Unconvertible(
    'the user name is an e-mail address other than its own: --keep-user-names keeps it, where users could not choose it',
  );
}

/** Unknown errors are ours, or the disk's: they end the run. */
function reasonOf(error: unknown): string {
  if (error instanceof Unconvertible || error instanceof NotAPerson) return error.reason;
  if (error instanceof ApiError) return error.message;
  throw error;
}
