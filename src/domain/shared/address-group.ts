import { isIPv4, isIPv6 } from 'node:net';

/** ::ffff:0:0/96 */
const MAPPED = [0, 0, 0, 0, 0, 0xffff].join(':');
/** 64:ff9b::/96 */
const TRANSLATED = [0x64, 0xff9b, 0, 0, 0, 0].join(':');

/**
 * Who counts as one source. An IPv4 address is one, also when it is written as an IPv6 one (RFC 4291 §2.5.5.2), comes through a
 * translator in front of a network that has IPv6 only (RFC 6052 §2.1), or has a whole /48 of its own (6to4, RFC 3056 §2).
 * Of IPv6 the first 64 bits are: a single customer has all addresses behind them (security S008). What is no
 * address stands for itself. Some proxies forward the port as well (RFC 7239 §6 writes it so); it is the caller's to choose
 * and says nothing about who that is.
 *
 * @param bits of IPv6: 48 for what one line may have at most (RFC 6177 §2)
 */
export function addressGroup(source: string, bits: 48 | 64 = 64): string {
  const address = withoutPort(source).split('%', 1)[0] ?? source;
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return source;
  const groups = expand(address);
  const owner = embeddedIn(groups);
  if (owner !== undefined) return owner;
  return `${groups
    .slice(0, bits / 16)
    .map((group) => group.toString(16))
    .join(':')}::/${bits}`;
}

function withoutPort(source: string): string {
  return (
    /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(source)?.[1] ??
    /^\[([^\]]+)\](?::\d{1,5})?$/.exec(source)?.[1] ??
    source
  );
}

/** Eight groups of 16 bits; the URL parser has brought the text into its canonical form (RFC 5952). */
function expand(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const front = parse(head);
  if (tail === undefined) return front;
  const back = parse(tail);
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function parse(groups: string): number[] {
  return groups === '' ? [] : groups.split(':').map((group) => Number.parseInt(group, 16));
}

/** The IPv4 address that an IPv6 one stands for. */
function embeddedIn(groups: readonly number[]): string | undefined {
  const [first, second = 0, third = 0] = groups;
  if (first === 0x2002) return dotted(second, third);
  const prefix = groups.slice(0, 6).join(':');
  return prefix === MAPPED || prefix === TRANSLATED ? dotted(groups[6] ?? 0, groups[7] ?? 0) : undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
