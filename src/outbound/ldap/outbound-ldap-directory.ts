import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  AndFilter,
  BusyError,
  EqualityFilter,
  FilterParser,
  NotFilter,
  OrFilter,
  ResultCodeError,
  UnavailableError,
  type Client,
  type Entry,
  type Filter,
} from 'ldapts';
import { Config } from '../../config/config.js';
import {
  LdapDirectory,
  type DirectoryAccess,
  type DirectoryAnswer,
  type DirectoryCredentials,
} from '../../domain/identity-providers/ldap/ldap-directory.js';
import { LOGIN_NAME } from '../../domain/identity-providers/ldap/ldap-kind.js';
import {
  LONGEST_SUBJECT,
  ProviderRefused,
  ProviderUnavailable,
} from '../../domain/identity-providers/provider-client.js';
import { CircuitBreaker, CircuitOpen } from '../circuit-breaker.js';
import { openLdap } from './ldap-connection.js';
import { LdapPool, PoolBusy } from './ldap-pool.js';

/** Attributes whose values are bytes and no text. */
const BINARY = new Set(['objectguid', 'objectsid']);
const ACCOUNT_CONTROL = 'userAccountControl';
/** ACCOUNTDISABLE of Active Directory. */
const DISABLED = 0x2;
const MOST_POOLS = 200;

/** Directories by LDAP v3, with ldapts for the messages. */
@Injectable()
export class OutboundLdapDirectory extends LdapDirectory implements OnApplicationShutdown {
  private readonly allowPrivate: boolean;
  private readonly breaker = new CircuitBreaker();
  private readonly pools = new Map<string, LdapPool>();

  constructor(config: Config) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async signIn(
    access: DirectoryAccess,
    credentials: DirectoryCredentials,
    admit: (subject: string) => Promise<boolean>,
  ): Promise<DirectoryAnswer> {
    const pool = this.poolOf(access);
    const client = await unlessAway(() => pool.take(access.deadline));
    // a bind has a time of its own, and may have ended after the deadline: nothing would cut this one off any more
    if (access.deadline.aborted) {
      pool.drop(client);
      throw new ProviderUnavailable('it took too long');
    }
    // what hangs is cut off: the connection goes, and with it whatever waits for an answer on it
    const cut = (): void => pool.drop(client);
    access.deadline.addEventListener('abort', cut, { once: true });
    let isUsable = false;
    try {
      const answer = await unlessAway(() => this.tryOn(client, access, credentials, admit));
      isUsable = true;
      return answer;
    } finally {
      access.deadline.removeEventListener('abort', cut);
      if (!access.deadline.aborted) {
        const { bindDn } = access.settings;
        // after a password was tried the connection is somebody else's, or nobody's
        if (isUsable) pool.giveBack(client, () => client.bind(bindDn, access.bindPassword));
        else pool.drop(client);
      }
    }
  }

  onApplicationShutdown(): void {
    for (const pool of this.pools.values()) pool.closeAll();
  }

  private async tryOn(
    client: Client,
    access: DirectoryAccess,
    { loginName, password }: DirectoryCredentials,
    admit: (subject: string) => Promise<boolean>,
  ): Promise<DirectoryAnswer> {
    const entries = await this.search(client, access, loginName);
    const [entry] = entries;
    if (entry === undefined) return { kind: 'no', reason: 'nobody' };
    // whom it means must be clear
    if (entries.length > 1) return { kind: 'no', reason: 'several' };
    const subject = subjectOf(entry, access.settings.subjectAttribute);
    if (!(await admit(subject))) return { kind: 'no', reason: 'blocked' };
    if (isDisabled(entry)) return { kind: 'no', reason: 'disabled' };
    if (!(await bindAs(client, entry.dn, password))) return { kind: 'no', reason: 'wrong password' };
    return { kind: 'identity', identity: { subject, claims: claimsOf(entry, access) } };
  }

  /** Two at most. Referrals to other servers are not followed: a password is shown to the one that is configured. */
  private async search(
    client: Client,
    access: DirectoryAccess,
    loginName: string,
  ): Promise<readonly Entry[]> {
    const { baseDn, userFilter, subjectAttribute, timeoutMs } = access.settings;
    const { searchEntries } = await client.search(baseDn, {
      scope: 'sub',
      derefAliases: 'never',
      filter: filterFor(userFilter, loginName),
      sizeLimit: 2,
      timeLimit: Math.ceil(timeoutMs / 1000),
      attributes: [...new Set([...access.attributes, subjectAttribute, ACCOUNT_CONTROL])],
      explicitBufferAttributes: spellingsOf(subjectAttribute),
    });
    return searchEntries;
  }

  private poolOf(access: DirectoryAccess): LdapPool {
    const known = this.pools.get(access.key);
    if (known !== undefined) return known;
    const [oldest] = this.pools.keys();
    if (oldest !== undefined && this.pools.size >= MOST_POOLS) {
      this.pools.get(oldest)?.closeAll();
      this.pools.delete(oldest);
    }
    const pool = new LdapPool(async (deadline) => await this.connect(access, deadline));
    this.pools.set(access.key, pool);
    return pool;
  }

  /** To the first server that answers, and lets whoever looks people up in. */
  private async connect(
    { key, settings, bindPassword }: DirectoryAccess,
    deadline: AbortSignal,
  ): Promise<Client> {
    let failure: unknown = new ProviderUnavailable('there is no server');
    for (const url of settings.urls) {
      try {
        return await this.breaker.run(
          `${key} ${url}`,
          () => true,
          async () => {
            const client = await openLdap({ ...settings, url, allowPrivate: this.allowPrivate }, deadline);
            await bindAsService(client, settings.bindDn, bindPassword);
            return client;
          },
        );
      } catch (error) {
        failure = error;
        if (deadline.aborted) break;
      }
    }
    throw failure;
  }
}

async function bindAsService(client: Client, bindDn: string, bindPassword: string): Promise<void> {
  try {
    if (bindPassword === '') throw new ProviderUnavailable('there is no bind password');
    await client.bind(bindDn, bindPassword);
  } catch (error) {
    client.unbind().catch(() => undefined);
    throw error;
  }
}

/**
 * What a directory answers that takes no password over such a connection, or none in this way, whoever's it is (RFC 4511
 * §4.1.9): strongerAuthRequired, authMethodNotSupported, confidentialityRequired.
 */
const SET_UP_WRONGLY = new Map([
  [7, 'it takes no passwords'],
  [8, 'it takes no passwords on such a connection: use ldaps:// or startTls'],
  [13, 'it takes no passwords without TLS: use ldaps:// or startTls'],
]);

/**
 * @returns false for a wrong password, and for an account that the directory keeps out
 * @throws ProviderUnavailable for a fault of whoever set it up, which is no wrong password of anybody
 */
async function bindAs(client: Client, dn: string, password: string): Promise<boolean> {
  // with either empty, a bind succeeds and shows nothing (RFC 4513 §5.1)
  if (password === '' || !dn.includes('=')) return false;
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error;
    if (isAway(error)) throw error;
    const fault = SET_UP_WRONGLY.get(error.code);
    if (fault !== undefined) throw new ProviderUnavailable(fault);
    return false;
  }
}

/**
 * The filter with what was typed in the place of `{loginName}`. It is put into the filter as it is sent and never into its text,
 * so nothing that anybody types is syntax.
 */
function filterFor(userFilter: string, loginName: string): Filter {
  const filter = FilterParser.parseString(userFilter);
  if (fill(filter, loginName) === 0)
    throw new ProviderRefused(`the filter compares nothing with ${LOGIN_NAME}`);
  return filter;
}

function fill(filter: Filter, loginName: string): number {
  if (filter instanceof AndFilter || filter instanceof OrFilter) {
    return filter.filters.reduce((filled, one) => filled + fill(one, loginName), 0);
  }
  if (filter instanceof NotFilter) return fill(filter.filter, loginName);
  if (!(filter instanceof EqualityFilter) || filter.value !== LOGIN_NAME) return 0;
  filter.value = loginName;
  return 1;
}

function spellingsOf(attribute: string): string[] {
  return [...new Set([attribute, attribute.toLowerCase(), 'entryUUID', 'objectGUID', 'objectSid'])];
}

/** The values of an attribute, however the server spells its name. */
function valuesOf(entry: Entry, attribute: string): readonly (string | Buffer)[] {
  const wanted = attribute.toLowerCase();
  const name = Object.keys(entry).find((known) => known.toLowerCase() === wanted && known !== 'dn');
  const value = name === undefined ? [] : entry[name];
  return value === undefined ? [] : [value].flat();
}

/** @throws ProviderRefused for what nobody can be known by */
function subjectOf(entry: Entry, attribute: string): string {
  const values = valuesOf(entry, attribute);
  const [value] = values;
  if (values.length !== 1 || value === undefined) throw new ProviderRefused(`${attribute} has not one value`);
  const bytes = Buffer.from(value);
  const isBinary = BINARY.has(attribute.toLowerCase());
  // bytes that came as text have been replaced already where they are none
  if (isBinary && typeof value === 'string') throw new ProviderRefused(`${attribute} was not read as bytes`);
  const subject = isBinary ? bytes.toString('hex') : bytes.toString('utf8');
  const isText = isBinary || (Buffer.from(subject).equals(bytes) && !/[\p{Cc}\uFFFD]/u.test(subject));
  if (subject === '' || subject.length > LONGEST_SUBJECT || !isText) {
    throw new ProviderRefused(`${attribute} is no subject`);
  }
  return subject;
}

function isDisabled(entry: Entry): boolean {
  const [control] = valuesOf(entry, ACCOUNT_CONTROL);
  return control !== undefined && (Number(control.toString()) & DISABLED) !== 0;
}

/** By the names that were asked for; one value by itself, several as a list. */
function claimsOf(entry: Entry, { attributes }: DirectoryAccess): Readonly<Record<string, unknown>> {
  const claims: [string, unknown][] = [['dn', entry.dn]];
  for (const attribute of attributes) {
    const values = valuesOf(entry, attribute).flatMap((value) => textOf(attribute, value) ?? []);
    if (values.length > 0) claims.push([attribute, values.length === 1 ? values[0] : values]);
  }
  return Object.fromEntries(claims);
}

/** What people are known by is read as bytes, and may be an attribute of their account as well. */
function textOf(attribute: string, value: string | Buffer): string | undefined {
  if (typeof value === 'string') return value;
  const text = value.toString('utf8');
  const isText = !BINARY.has(attribute.toLowerCase()) && Buffer.from(text).equals(value);
  return isText ? text : undefined;
}

function isAway(error: unknown): boolean {
  return error instanceof BusyError || error instanceof UnavailableError;
}

/** @throws ProviderUnavailable, ProviderRefused */
async function unlessAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderUnavailable || error instanceof ProviderRefused) throw error;
    throw new ProviderUnavailable(reasonOf(error));
  }
}

/** What went wrong, by kind only: messages name hosts and entries. */
function reasonOf(error: unknown): string {
  if (error instanceof CircuitOpen || error instanceof PoolBusy) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} ${code}` : error.name;
}
