import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind } from './address-rules.js';
import { findAddresses, LookupBusy } from './find-addresses.js';

/** The name leads to an address that this service must not call. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is refused');
    this.name = 'AddressRefused';
  }
}

/** @throws AddressRefused */
export function requireAllowed(address: string, allowPrivate: boolean): void {
  const kind = addressKind(address);
  if (kind === 'forbidden' || (kind === 'private' && !allowPrivate)) throw new AddressRefused();
}

/** The same for a URL's host where that is an address: sockets do not look those up. @throws AddressRefused */
export function requireAllowedHost(hostname: string, allowPrivate: boolean): void {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(host) !== 0) requireAllowed(host, allowPrivate);
}

/** What is not https may be sent where private addresses may be called, and nowhere else. */
export class ClearTextRefused extends Error {
  constructor() {
    super('it is not https');
    this.name = 'ClearTextRefused';
  }
}

/**
 * The rule for whatever is called on somebody's word; where a name leads is for `guardedLookup`. What was allowed once, by another
 * setting, is not sent in clear.
 *
 * @param clearText `allowed` where the caller has asked another rule whether it may be sent in clear
 * @throws AddressRefused, ClearTextRefused
 */
export function requireCallable(
  { protocol, hostname }: URL,
  allowPrivate: boolean,
  clearText: 'refused' | 'allowed' = 'refused',
): void {
  requireAllowedHost(hostname, allowPrivate);
  if (protocol !== 'https:' && !allowPrivate && clearText === 'refused') throw new ClearTextRefused();
}

/** Names that this process may be looking up at once, each with a socket or two: of names on tenants' word no more than these wait. */
const MOST_AT_ONCE = 250;
/**
 * Of them so many of one domain: who has a name server that does not answer can make up any number of names in it. To keep
 * others waiting takes as many domains as there are places for each.
 */
const MOST_OF_A_DOMAIN = 10;

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Pending look-ups by name: concurrent requests for a name share one look-up. */
const waiting = new Map<string, Resolved[]>();

function resolve(hostname: string, family: number | undefined, done: Resolved): void {
  const key = `${family ?? 0} ${hostname}`;
  const others = waiting.get(key);
  if (others !== undefined) return void others.push(done);
  if (waiting.size >= MOST_AT_ONCE || countOf(domainOf(hostname)) >= MOST_OF_A_DOMAIN)
    return process.nextTick(done, new LookupBusy(), []);
  waiting.set(key, [done]);
  const answer: Resolved = (error, addresses) => {
    const all = waiting.get(key) ?? [];
    waiting.delete(key);
    for (const one of all) one(error, addresses);
  };
  findAddresses(hostname, family).then(
    (addresses) => answer(null, addresses),
    (error: unknown) => answer(error as NodeJS.ErrnoException, []),
  );
}

/** The last two labels. Under a suffix such as `co.uk` that covers several owners, who share one limit. */
function domainOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');
}

function countOf(domain: string): number {
  return [...waiting.keys()].filter((key) => domainOf(key.slice(key.indexOf(' ') + 1)) === domain).length;
}

/**
 * A `lookup` for sockets that hands out allowed addresses only. The socket connects to exactly what was checked, so a
 * name that answers differently the second time (DNS rebinding) gains nothing. One bad address refuses the name.
 */
export function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, familyOf(options.family), (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const [first] = addresses;
      try {
        if (first === undefined) throw new AddressRefused();
        for (const { address } of addresses) requireAllowed(address, allowPrivate);
      } catch (refused) {
        return done(refused as Error, '', 0);
      }
      if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number | undefined {
  if (family === 'IPv4') return 4;
  return family === 'IPv6' ? 6 : family;
}
