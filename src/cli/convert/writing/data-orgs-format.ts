import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OutputFile } from '../../files/output-file.js';
import { RECORD_PROFILE_FIELDS, Unconvertible, type ConvertedHuman, type Note } from '../converted-human.js';
import type { OutputFormat } from './output-format.js';

const STATES = {
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
} as const;

/** How notes about such fields begin. */
const NO_PLACE = 'the format dataorgs has no place for';

interface DataOrgsSettings {
  /** Organization of the records that name none. */
  readonly orgId: string | undefined;
  /** Go duration (protocol §2.3). */
  readonly timeout: string;
  readonly multiline: boolean;
  readonly note: Note;
}

/**
 * The bulk-import format of the specification: `{"dataOrgs":{"orgs":[{"orgId","humanUsers":[…]}]},"timeout"}`. An
 * organization's metadata stands after its users (protocol §2.1), so that it waits in a file until they are written.
 * Records of another organization than the one before begin a new element: nothing is sorted and nothing held.
 */
export class DataOrgsFormat implements OutputFormat {
  private readonly spoolPath = path.join(tmpdir(), `identity-convert-${randomUUID()}`);
  private spool: OutputFile | undefined;
  private orgId: string | undefined;
  private isFirst = true;

  constructor(
    private readonly output: OutputFile,
    private readonly settings: DataOrgsSettings,
  ) {}

  async write(human: ConvertedHuman): Promise<void> {
    const orgId = human.orgId ?? this.settings.orgId;
    if (orgId === undefined)
      throw new Unconvertible('the record names no organization, and --org is not given');
    if (orgId !== this.orgId) await this.open(orgId);
    await this.output.write(`${this.isFirst ? '' : ','}${this.written(this.element(human), 5)}`);
    this.isFirst = false;
    for (const [key, text] of Object.entries(human.metadata ?? {})) {
      if (human.userId === undefined) {
        this.settings.note(`${NO_PLACE} metadata of a user without an id`);
        break;
      }
      // bytes of protojson are base64
      const value = Buffer.from(text, 'utf8').toString('base64');
      await this.keep(this.written({ id: human.userId, key, value }, 5));
    }
  }

  async end(): Promise<void> {
    if (this.orgId === undefined) await this.output.write('{"dataOrgs":{"orgs":[');
    await this.closeOrg();
    await this.output.write(
      `${this.line(2)}]},${this.line(1)}"timeout":${JSON.stringify(this.settings.timeout)}`,
    );
    await this.output.write(`${this.line(0)}}\n`);
  }

  async close(): Promise<void> {
    await this.spool?.abandon();
    await rm(this.spoolPath, { force: true });
  }

  private async open(orgId: string): Promise<void> {
    if (this.orgId === undefined)
      await this.output.write(`{${this.line(1)}"dataOrgs":{${this.line(2)}"orgs":[`);
    await this.closeOrg();
    const comma = this.orgId === undefined ? '' : ',';
    this.orgId = orgId;
    this.isFirst = true;
    await this.output.write(
      `${comma}${this.line(3)}{${this.line(4)}"orgId":${JSON.stringify(orgId)},${this.line(4)}"humanUsers":[`,
    );
  }

  private async closeOrg(): Promise<void> {
    if (this.orgId === undefined) return;
    await this.output.write(`${this.line(4)}]`);
    if (this.spool !== undefined) {
      await this.spool.finish();
      this.spool = undefined;
      await this.output.write(`,${this.line(4)}"userMetadata":[`);
      for await (const text of createReadStream(this.spoolPath, 'utf8'))
        await this.output.write(text as string);
      await rm(this.spoolPath);
      await this.output.write(`${this.line(4)}]`);
    }
    await this.output.write(`${this.line(3)}}`);
  }

  private async keep(text: string): Promise<void> {
    const comma = this.spool === undefined ? '' : ',';
    this.spool ??= await OutputFile.at(this.spoolPath, { replace: false });
    await this.spool.write(comma + text);
  }

  /** Values without a field in the specification's record are reported, not dropped silently; zero values are left out. */
  private element(human: ConvertedHuman): unknown {
    const {
      userId,
      orgId: _orgId,
      state,
      createdAt,
      totpSecret,
      metadata: _metadata,
      profile,
      ...record
    } = human;
    const { note } = this.settings;
    if (createdAt !== undefined) note(`${NO_PLACE} createdAt`);
    const known = Object.entries(profile).filter(([name]) => RECORD_FIELDS.has(name));
    for (const name of Object.keys(profile))
      if (!RECORD_FIELDS.has(name)) note(`${NO_PLACE} profile.${name}`);
    const { userName, email, ...others } = record;
    return {
      ...(userId !== undefined && { userId }),
      user: {
        userName,
        profile: Object.fromEntries(known),
        email,
        ...others,
        ...(totpSecret !== undefined && { otpCode: totpSecret }),
      },
      ...(state !== undefined && { state: STATES[state] }),
    };
  }

  private written(value: unknown, depth: number): string {
    if (!this.settings.multiline) return JSON.stringify(value);
    return this.line(depth) + JSON.stringify(value, undefined, 2).replaceAll('\n', this.line(depth));
  }

  private line(depth: number): string {
    return this.settings.multiline ? `\n${'  '.repeat(depth)}` : '';
  }
}

const RECORD_FIELDS: ReadonlySet<string> = new Set(RECORD_PROFILE_FIELDS);
