import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind } from './address-rules.js';

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

/**
 * A `lookup` for sockets that hands out allowed addresses only. The socket connects to exactly what was checked, so a
 * name that answers differently the second time (DNS rebinding) gains nothing. One bad address refuses the name.
 */
export function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
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
