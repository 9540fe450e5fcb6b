import { BlockList, isIPv4 } from 'node:net';

/**
 * Which addresses this service may call on somebody else's word: a URI that an application registered must not
 * reach what only this host can reach (security S162). Judged on the resolved address, never on the name.
 */
type AddressKind = 'public' | 'private' | 'forbidden';

function networks(...list: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const network of list) {
    const [address = '', bits] = network.split('/');
    blocks.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return blocks;
}

/** Never anybody's application: link-local with the clouds' metadata services, unspecified, multicast, reserved. */
const FORBIDDEN = networks(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // protocols of the IETF, such as Teredo, which leads to an IPv4 address that it hides
  '2001::/23',
  // metadata services outside of the link-local range
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
);
/** This host and the networks behind it (RFC 1918, RFC 4193, RFC 6598, RFC 2544, documentation ranges). */
const PRIVATE = networks(
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '::1/128',
  'fc00::/7',
  '2001:db8::/32',
  '3fff::/20',
  // a translator of this network's own (RFC 8215): where in the address it reads IPv4 is its own affair as well
  '64:ff9b:1::/48',
);
/**
 * Where in IPv6 hosts of the internet can be: what IANA gives out as unicast (RFC 4291 §2.4), and what stands for IPv4. All else is for purposes of its
 * own (RFC 6890), or for none yet.
 */
const GLOBAL_IPV6 = networks('2000::/3', '64:ff9b::/96', '::ffff:0:0/96');
const STRICTEST_FIRST = ['forbidden', 'private', 'public'] as const;

/** @param address as `dns.lookup` or a socket gives it */
export function addressKind(address: string): AddressKind {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return kindOf(plain, 'ipv4');
  const inner = embeddedIPv4(plain).map((address) => kindOf(address, 'ipv4'));
  const kinds = new Set([kindOf(plain, 'ipv6'), ...inner]);
  return STRICTEST_FIRST.find((kind) => kinds.has(kind)) ?? 'forbidden';
}

function kindOf(address: string, family: 'ipv4' | 'ipv6'): AddressKind {
  if (FORBIDDEN.check(address, family)) return 'forbidden';
  if (PRIVATE.check(address, family)) return 'private';
  return family === 'ipv4' || GLOBAL_IPV6.check(address, family) ? 'public' : 'forbidden';
}

/** IPv4 inside of IPv6: mapped, compatible, NAT64 (RFC 6052, also its local prefix), 6to4 (RFC 3056). */
function embeddedIPv4(address: string): string[] {
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0] = groups;
  const tail = dotted(groups[6] ?? 0, groups[7] ?? 0);
  if (first === 0x2002) return [dotted(second, third)];
  if (first === 0x64 && second === 0xff9b) return [tail];
  const upper = groups.slice(0, 5);
  const mapped = upper.every((group) => group === 0) && [0, 0xffff].includes(groups[5] ?? 1);
  // :: and ::1 are addresses of their own
  return mapped && !(groups[5] === 0 && groups[6] === 0) ? [tail] : [];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address in whatever spelling. */
function groupsOf(address: string): number[] {
  // the URL parser writes every spelling in one way, without a dotted tail
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = read(head);
  const after = tail === undefined ? [] : read(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
