import { camelCase } from '../records/read-fields.js';
import { JsonScanner, type JsonVisitor, type TakenValue } from './json-scanner.js';
import { incomplete, NOT_TEXT, textOf, TOO_LONG, unreadable, type SourceFault } from './source-record.js';

/**
 * What a body of `dataOrgs` consists of (protocol §2.1), in the order of the file:
 * `{"dataOrgs": {"orgs": [{"orgId": …, "humanUsers": […], …}]}, "timeout": "30m"}`.
 */
export type DataOrgsPart =
  /** A member beside `dataOrgs`, or within it beside `orgs`; `json` unless it is too large to matter. */
  | { readonly kind: 'member'; readonly path: string; readonly name: string; readonly json?: string }
  | { readonly kind: 'org'; readonly org: number; readonly fault?: SourceFault }
  /** A member of an organization that is no list. */
  | ({ readonly kind: 'field' } & OrgMember)
  /** One element of a list of an organization. */
  | ({ readonly kind: 'item'; readonly index: number } & OrgMember)
  | { readonly kind: 'org-end'; readonly org: number };

interface OrgMember {
  readonly org: number;
  readonly name: string;
  /** `dataOrgs.orgs[0].humanUsers[3]` */
  readonly path: string;
  readonly json?: string;
  readonly fault?: SourceFault;
}

const DEEPEST = 64;
/** Of one object of the outer levels: twenty times what there is. */
const MOST_MEMBERS = 1_000;
const MOST_ORGANIZATIONS = 1_000_000;

/** The containers that are walked through; whatever else there is, is taken as a whole. */
type Role = 'file' | 'data' | 'orgs' | 'org' | 'items';

/** Walks through the four outer levels of the file, and takes each element within as text. */
export class DataOrgsScanner implements JsonVisitor<Role> {
  private readonly scanner = new JsonScanner<Role>(this);
  private parts: DataOrgsPart[] = [];
  /** Of the members so far of each object around, in lowerCamelCase. */
  private readonly names: Set<string>[] = [];
  private name = '';
  private list = '';
  private index = 0;
  private org = -1;
  private hasOrgs = false;

  /** @throws SourceError where the file stops being such a body */
  write(piece: Buffer): readonly DataOrgsPart[] {
    this.parts = [];
    this.scanner.write(piece);
    return this.parts;
  }

  end(): readonly DataOrgsPart[] {
    if (this.scanner.isEmpty) throw unreadable('the file is empty');
    if (!this.scanner.isClosed) throw incomplete('its JSON is not closed');
    if (!this.hasOrgs) throw unreadable('the file has no list dataOrgs.orgs');
    return [];
  }

  enter(kind: 'object' | 'list' | 'scalar', within: Role | undefined, name: string): Role | undefined {
    const role = this.roleOf(kind, within, name);
    if (role === undefined) return undefined;
    if (role === 'orgs') this.hasOrgs = true;
    else if (role === 'items') {
      this.list = name;
      this.index = 0;
    } else this.names.push(new Set());
    if (role === 'org') {
      this.org += 1;
      if (this.org >= MOST_ORGANIZATIONS) throw unreadable('the file has too many organizations');
      this.parts.push({ kind: 'org', org: this.org });
    }
    return role;
  }

  private roleOf(kind: string, within: Role | undefined, name: string): Role | undefined {
    switch (within) {
      case undefined:
        if (kind !== 'object') throw unreadable('the file must be a JSON object with dataOrgs');
        return 'file';
      case 'file':
        return kind === 'object' && isDataOrgs(name) ? 'data' : undefined;
      case 'data':
        return kind === 'list' && name === 'orgs' ? 'orgs' : undefined;
      case 'orgs':
        return kind === 'object' ? 'org' : undefined;
      case 'org':
        return kind === 'list' ? 'items' : undefined;
      case 'items':
        return undefined;
    }
  }

  left(role: Role): void {
    if (role === 'org') this.parts.push({ kind: 'org-end', org: this.org });
    if (role !== 'orgs' && role !== 'items') this.names.pop();
  }

  /**
   * A member that is there twice means two things, in both spellings as well (`humanUsers`, `human_users`). Records are
   * looked into when they are read, and fail alone; here nobody could say which of two lists is meant.
   */
  named(within: Role, given: string): void {
    this.name = given;
    const names = this.names.at(-1) ?? new Set();
    const name = within === 'file' && isDataOrgs(given) ? 'dataOrgs' : camelCase(given);
    const place = within === 'file' ? '' : within === 'data' ? 'dataOrgs.' : `dataOrgs.orgs[${this.org}].`;
    if (names.has(name)) throw unreadable(`field "${place}${readable(given)}" is given twice`);
    if (names.size >= MOST_MEMBERS) throw unreadable(`${place}* has more than ${MOST_MEMBERS} members`);
    names.add(name);
  }

  taken(within: Role | undefined, value: TakenValue): void {
    this.parts.push(this.part(within, textOrFault(value)));
  }

  private part(
    within: Role | undefined,
    text: { readonly json?: string; readonly fault?: SourceFault },
  ): DataOrgsPart {
    const { org, name } = this;
    const member = text.json === undefined ? {} : { json: text.json };
    const inOrg = `dataOrgs.orgs[${org}]`;
    switch (within) {
      case 'items': {
        const index = this.index;
        this.index += 1;
        const path = `${inOrg}.${readable(this.list)}[${index}]`;
        return { kind: 'item', org, name: this.list, index, path, ...text };
      }
      case 'org':
        return { kind: 'field', org, name, path: `${inOrg}.${readable(name)}`, ...text };
      case 'orgs':
        this.org += 1;
        return {
          kind: 'org',
          org: this.org,
          fault: {
            code: 'malformed',
            path: `dataOrgs.orgs[${this.org}]`,
            message: 'an organization must be a JSON object',
          },
        };
      case 'data':
        return { kind: 'member', path: `dataOrgs.${readable(name)}`, name, ...member };
      case 'file':
      case undefined:
        return { kind: 'member', path: readable(name), name, ...member };
    }
  }
}

function isDataOrgs(name: string): boolean {
  return /^(dataOrgs|data_orgs|dataOrgsv1|data_orgsv1)$/.test(name);
}

function textOrFault({ bytes, depth }: TakenValue): { readonly json?: string; readonly fault?: SourceFault } {
  if (bytes === undefined) return { fault: TOO_LONG };
  if (depth > DEEPEST) {
    return {
      fault: { code: 'malformed', message: `the record is nested deeper than ${DEEPEST} levels` },
    };
  }
  const json = textOf(bytes);
  return json === undefined ? { fault: NOT_TEXT } : { json };
}

/** Names of members stand in what we report. */
function readable(name: string): string {
  return name.slice(0, 60).replace(/[^\w-]/g, '?') || '?';
}
