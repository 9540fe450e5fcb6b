import { Gathered, incomplete, type SourceFault, textOf, TOO_LONG, unreadable } from './source-record.js';

/**
 * What a body of `dataOrgs` consists of (contract §2.1), in the order of the file:
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

export interface OrgMember {
  readonly org: number;
  readonly name: string;
  /** `dataOrgs.orgs[0].humanUsers[3]` */
  readonly path: string;
  readonly json?: string;
  readonly fault?: SourceFault;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

const DEEPEST = 64;
/** Of one object of the outer levels: twenty times what there is. */
const MOST_MEMBERS = 1_000;
const MOST_ORGANIZATIONS = 1_000_000;

/** The containers that are walked through; whatever else there is, is taken as a whole. */
type Frame =
  | {
      readonly role: 'file' | 'data' | 'org';
      readonly close: typeof CLOSE_OBJECT;
      /** Of the members so far, in lowerCamelCase. */
      readonly names: Set<string>;
    }
  | { readonly role: 'orgs' | 'items'; readonly close: typeof CLOSE_LIST };

type Expected =
  | 'value'
  /** After an opening bracket of a list. */
  | 'value-or-end'
  | 'name'
  /** After an opening brace. */
  | 'name-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'nothing';

/** What is gathered at the moment: the name of a member, or a whole value. */
type Gathering = 'name' | 'value' | undefined;

/**
 * Walks through the four outer levels of the file, and gathers each element within as text. `JSON.parse` judges that
 * text when the record is read; here it only must end somewhere. Nothing of the file is ever kept whole.
 */
export class DataOrgsScanner {
  private readonly frames: Frame[] = [];
  private expected: Expected = 'value';
  private gathering: Gathering;
  private readonly held = new Gathered();
  private inText = false;
  private escaped = false;
  private depth = 0;
  private tooDeep = false;
  private name = '';
  private list = '';
  private index = 0;
  private org = -1;
  private hasOrgs = false;
  private bytesBefore = 0;

  /** @throws SourceError where the file stops being such a body */
  write(piece: Buffer): readonly DataOrgsPart[] {
    const parts: DataOrgsPart[] = [];
    let at = 0;
    while (at < piece.length) {
      if (this.gathering !== undefined) {
        const end = this.endOfGathered(piece, at);
        this.held.add(end < 0 ? Buffer.from(piece.subarray(at)) : piece.subarray(at, end));
        if (end < 0) break;
        this.gathered(parts, at);
        at = end;
        continue;
      }
      const byte = piece[at] as number;
      if (!isBlank(byte) && this.step(byte, at, parts)) {
        // it is the first byte of what is gathered now
        continue;
      }
      at += 1;
    }
    this.bytesBefore += piece.length;
    return parts;
  }

  end(): readonly DataOrgsPart[] {
    if (this.expected === 'value' && this.frames.length === 0 && this.gathering === undefined) {
      throw unreadable('the file is empty');
    }
    if (this.expected !== 'nothing') throw incomplete('its JSON is not closed');
    if (!this.hasOrgs) throw unreadable('the file has no list dataOrgs.orgs');
    return [];
  }

  /** One byte between values. @returns whether a name or a value to be gathered begins with it */
  private step(byte: number, at: number, parts: DataOrgsPart[]): boolean {
    const frame = this.frames.at(-1);
    switch (this.expected) {
      case 'nothing':
        throw this.broken(at);
      case 'colon':
        if (byte !== COLON) throw this.broken(at);
        this.expected = 'value';
        return false;
      case 'comma-or-end':
        if (byte === frame?.close) this.close(parts);
        else if (byte === COMMA) this.expected = frame?.close === CLOSE_LIST ? 'value' : 'name';
        else throw this.broken(at);
        return false;
      case 'name-or-end':
      case 'name':
        if (byte === CLOSE_OBJECT && this.expected === 'name-or-end') {
          this.close(parts);
          return false;
        }
        if (byte !== QUOTE) throw this.broken(at);
        return this.gather('name');
      case 'value-or-end':
      case 'value':
        if (byte === CLOSE_LIST && this.expected === 'value-or-end') {
          this.close(parts);
          return false;
        }
        return this.value(byte, at, parts);
    }
  }

  private value(byte: number, at: number, parts: DataOrgsPart[]): boolean {
    const role = this.frames.at(-1)?.role;
    if (role === undefined) {
      if (byte !== OPEN_OBJECT) throw unreadable('the file must be a JSON object with dataOrgs');
      return this.open({ role: 'file', close: CLOSE_OBJECT, names: new Set() });
    }
    if (role === 'file' && byte === OPEN_OBJECT && isDataOrgs(this.name)) {
      return this.open({ role: 'data', close: CLOSE_OBJECT, names: new Set() });
    }
    if (role === 'data' && byte === OPEN_LIST && this.name === 'orgs') {
      this.hasOrgs = true;
      return this.open({ role: 'orgs', close: CLOSE_LIST });
    }
    if (role === 'orgs' && byte === OPEN_OBJECT) {
      this.org += 1;
      if (this.org >= MOST_ORGANIZATIONS) throw unreadable('the file has too many organizations');
      parts.push({ kind: 'org', org: this.org });
      return this.open({ role: 'org', close: CLOSE_OBJECT, names: new Set() });
    }
    if (role === 'org' && byte === OPEN_LIST) {
      this.list = this.name;
      this.index = 0;
      return this.open({ role: 'items', close: CLOSE_LIST });
    }
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COMMA || byte === COLON)
      throw this.broken(at);
    return this.gather('value');
  }

  private gather(what: 'name' | 'value'): boolean {
    this.gathering = what;
    this.inText = false;
    this.escaped = false;
    this.depth = 0;
    this.tooDeep = false;
    return true;
  }

  private open(frame: Frame): boolean {
    this.frames.push(frame);
    this.expected = frame.close === CLOSE_LIST ? 'value-or-end' : 'name-or-end';
    return false;
  }

  private close(parts: DataOrgsPart[]): void {
    const frame = this.frames.pop();
    if (frame?.role === 'org') parts.push({ kind: 'org-end', org: this.org });
    this.expected = this.frames.length === 0 ? 'nothing' : 'comma-or-end';
  }

  /** Index after the last byte of the name or value; -1 while it goes on. */
  private endOfGathered(piece: Buffer, from: number): number {
    let { inText, escaped, depth } = this;
    let end = -1;
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inText = false;
          if (depth === 0) end = at + 1;
        }
      } else if (byte === QUOTE) {
        inText = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth += 1;
        if (depth > DEEPEST) this.tooDeep = true;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        // or the bracket of what stands around a number or a word
        if (depth === 0) end = at;
        else {
          depth -= 1;
          if (depth === 0) end = at + 1;
        }
      } else if (depth === 0 && (byte === COMMA || isBlank(byte))) end = at;
      if (end >= 0) break;
    }
    this.inText = inText;
    this.escaped = escaped;
    this.depth = depth;
    return end;
  }

  private gathered(parts: DataOrgsPart[], at: number): void {
    const { gathering, tooDeep } = this;
    const { tooLong } = this.held;
    const bytes = this.held.take();
    this.gathering = undefined;
    if (gathering === 'name') {
      this.name = tooLong ? '' : this.readName(bytes, at);
      this.noteName();
      this.expected = 'colon';
      return;
    }
    this.expected = 'comma-or-end';
    const json = tooLong || tooDeep ? undefined : textOf(bytes);
    parts.push(this.part(json, faultOf(tooLong, tooDeep, json)));
  }

  /**
   * A member that is there twice means two things, in both spellings as well (`humanUsers`, `human_users`). Records are
   * looked into when they are read, and fail alone; here nobody could say which of two lists is meant.
   */
  private noteName(): void {
    const frame = this.frames.at(-1);
    if (frame?.close !== CLOSE_OBJECT) return;
    const { role, names } = frame;
    const name = role === 'file' && isDataOrgs(this.name) ? 'dataOrgs' : camelCase(this.name);
    const place = { file: '', data: 'dataOrgs.', org: `dataOrgs.orgs[${this.org}].` }[role];
    if (names.has(name)) throw unreadable(`field "${place}${readable(this.name)}" is given twice`);
    if (names.size >= MOST_MEMBERS) throw unreadable(`${place}* has more than ${MOST_MEMBERS} members`);
    names.add(name);
  }

  private part(json: string | undefined, fault: SourceFault | undefined): DataOrgsPart {
    const role = this.frames.at(-1)?.role;
    const text = { ...(json !== undefined && { json }), ...(fault && { fault }) };
    const { org, name } = this;
    const inOrg = `dataOrgs.orgs[${org}]`;
    switch (role) {
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
        return {
          kind: 'member',
          path: `dataOrgs.${readable(name)}`,
          name,
          ...(json !== undefined && { json }),
        };
      case 'file':
      case undefined:
        return { kind: 'member', path: readable(name), name, ...(json !== undefined && { json }) };
    }
  }

  private readName(bytes: Buffer, at: number): string {
    try {
      return JSON.parse(textOf(bytes) ?? '') as string;
    } catch {
      throw this.broken(at);
    }
  }

  private broken(at: number): Error {
    return unreadable(`the file is not valid JSON at byte ${this.bytesBefore + at + 1}`);
  }
}

export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isDataOrgs(name: string): boolean {
  return /^(dataOrgs|data_orgs|dataOrgsv1|data_orgsv1)$/.test(name);
}

function faultOf(tooLong: boolean, tooDeep: boolean, json: string | undefined): SourceFault | undefined {
  if (tooLong) return TOO_LONG;
  if (tooDeep) return { code: 'malformed', message: `the record is nested deeper than ${DEEPEST} levels` };
  return json === undefined ? { code: 'malformed', message: 'the record is not UTF-8' } : undefined;
}

/** RFC 8259 §2 */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Names of members stand in what we report. */
function readable(name: string): string {
  return name.slice(0, 60).replace(/[^\w-]/g, '?') || '?';
}
