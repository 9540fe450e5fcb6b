import { isIPv4, isIPv6 } from 'node:net';

/**
 * Who counts as one source. An IPv4 address is one, also when it is written as an IPv6 one (RFC 4291 §2.5.5.2).
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
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return embedded(groups);
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

function embedded([, , , , , , high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
