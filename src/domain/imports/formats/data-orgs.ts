import { isId } from '../../shared/ids.js';
import type { ImportPass } from '../records/passes.js';
import { DataOrgsScanner, type DataOrgsPart } from './data-orgs-scanner.js';
import { readGoDuration } from './go-duration.js';
import { unreadable, type SourceFault, type SourceReader, type SourceRecord } from './source-record.js';

export type DataOrgsRecord =
  /** `orgAhead`: the organization has not been named yet, and what it is comes with `org`. */
  | { readonly kind: 'record'; readonly record: SourceRecord; readonly orgAhead: boolean }
  /** Of the records before that had it ahead; undefined when the file never names it. */
  | { readonly kind: 'org'; readonly orgId: string | undefined };

const USERS: ReadonlyMap<string, 'humanUser' | 'machineUser'> = new Map([
  ['humanUsers', 'humanUser'],
  ['human_users', 'humanUser'],
  ['machineUsers', 'machineUser'],
  ['machine_users', 'machineUser'],
]);

/** An item that is not a user, as it is passed on: an object like those around users, or its error. */
export interface KeptRecord {
  readonly pass: ImportPass;
  readonly json?: string;
  readonly fault?: SourceFault;
}

/**
 * Says what becomes of a part that is no user. Undefined for what has no place: it ends as a failed record that says
 * so, rather than to go missing.
 */
type KeepPart = (part: DataOrgsPart) => readonly KeptRecord[] | undefined;

/** Empty values need no result. */
export const EMPTY = /^(null|""|\{\s*\}|\[\s*\]|false|0)$/;

/**
 * The people and service users of a `dataOrgs` file (protocol §2.1, §2.3), and what else stands in it as far as somebody
 * keeps it.
 */
export class DataOrgsReader implements SourceReader<DataOrgsRecord> {
  private readonly scanner = new DataOrgsScanner();
  private position = 0;
  private orgId: string | undefined;
  private ahead = false;

  constructor(private readonly keep: KeepPart) {}

  write(piece: Buffer): readonly DataOrgsRecord[] {
    return this.scanner.write(piece).flatMap((part) => this.read(part));
  }

  end(): readonly DataOrgsRecord[] {
    return this.scanner.end().flatMap((part) => this.read(part));
  }

  private read(part: DataOrgsPart): readonly DataOrgsRecord[] {
    const wrapper = part.kind === 'item' ? USERS.get(part.name) : undefined;
    if (wrapper !== undefined && part.kind === 'item') {
      if (part.json === undefined) return [this.record({ ...(part.fault && { fault: part.fault }) })];
      return [this.user(wrapper, part.json)];
    }
    const kept = this.keep(part)?.map((one) => this.keptRecord(one));
    switch (part.kind) {
      case 'member':
        if (part.path === 'timeout') {
          readTimeout(part.json);
          return [];
        }
        return kept ?? this.notImported(part.path, part.json);
      case 'org':
        return part.fault === undefined ? (kept ?? []) : [this.record({ fault: part.fault })];
      case 'org-end': {
        const told: readonly DataOrgsRecord[] = this.ahead ? [{ kind: 'org', orgId: undefined }] : [];
        this.orgId = undefined;
        this.ahead = false;
        return [...told, ...(kept ?? [])];
      }
      case 'field':
        return part.name === 'orgId' || part.name === 'org_id'
          ? this.named(readOrgId(part.json, part.path))
          : (kept ?? this.notImported(part.path, part.json));
      case 'item':
        return kept ?? this.notImported(part.path, part.json);
    }
  }

  private named(orgId: string | undefined): readonly DataOrgsRecord[] {
    if (orgId === undefined) return [];
    this.orgId = orgId;
    if (!this.ahead) return [];
    this.ahead = false;
    return [{ kind: 'org', orgId }];
  }

  private user(wrapper: string, element: string): DataOrgsRecord {
    return this.inOrganization({ json: `{"${wrapper}":${element}}` });
  }

  private keptRecord(kept: KeptRecord): DataOrgsRecord {
    return kept.json === undefined ? this.record(kept) : this.inOrganization({ ...kept, json: kept.json });
  }

  private inOrganization(content: Omit<SourceRecord, 'line'> & { readonly json: string }): DataOrgsRecord {
    if (this.orgId !== undefined) {
      return this.record({ ...content, json: withOrgId(content.json, this.orgId) });
    }
    this.ahead = true;
    return { ...this.record(content), orgAhead: true };
  }

  private notImported(path: string, json: string | undefined): readonly DataOrgsRecord[] {
    if (json !== undefined && EMPTY.test(json)) return [];
    return [this.record({ fault: notImported(path) })];
  }

  private record(content: Omit<SourceRecord, 'line'>): DataOrgsRecord & { kind: 'record' } {
    this.position += 1;
    return { kind: 'record', record: { line: this.position, ...content }, orgAhead: false };
  }
}

function notImported(path: string): SourceFault {
  return {
    code: 'invalid',
    path,
    message: `${path} is neither a human nor a service user, and was not imported`,
  };
}

/** The JSON text of a record whose organization became known after it. */
export function withOrgId(json: string, orgId: string): string {
  return `{"orgId":${JSON.stringify(orgId)},${json.slice(1)}`;
}

export function readOrgId(json: string | undefined, path: string): string | undefined {
  const value = valueOf(json);
  if (value === null || value === '') return undefined;
  if (typeof value === 'string' && isId(value)) return value;
  throw unreadable(`${path} must be a text of 1 to 200 printable ASCII characters without blanks`);
}

/** Hours that nobody waits; also what stops `9999999h`. */
const LONGEST_IMPORT_WAIT_MS = 24 * 3_600_000;

/** @returns milliseconds, undefined for a timeout that is not there. @throws SourceError for one that is malformed */
export function readTimeout(json: string | undefined): number | undefined {
  const value = valueOf(json);
  if (value === null || value === '') return undefined;
  const milliseconds = typeof value === 'string' ? readGoDuration(value) : undefined;
  if (milliseconds === undefined) throw unreadable('timeout must be a duration such as 30m, 90s or 1h30m');
  return Math.min(milliseconds, LONGEST_IMPORT_WAIT_MS);
}

function valueOf(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}
