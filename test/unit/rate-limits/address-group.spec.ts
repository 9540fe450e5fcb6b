import { describe, expect, it } from 'vitest';
import { addressGroup } from '../../../src/domain/shared/address-group.js';

describe('who counts as one source (S008, S399)', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:0000:0000:0000:0002', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
    ['192.0.2.7:50123', '192.0.2.7'],
    ['[2001:db8::1]:50123', '2001:db8:0:0::/64'],
    ['[2001:DB8::1]', '2001:db8:0:0::/64'],
    ['[::ffff:192.0.2.7]:80', '192.0.2.7'],
    ['[x]:80', '[x]:80'],
    ['not an address', 'not an address'],
    ['', ''],
    // a whole Internet of IPv4 behind one /96, and a /48 that goes with one address (S399)
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['64:ff9b::c000:207', '192.0.2.7'],
    ['64:ff9b:1::192.0.2.7', '64:ff9b:1:0::/64'],
    ['2002:c000:207::1', '192.0.2.7'],
    ['2002:C000:0207:ffff::1', '192.0.2.7'],
  ])('%s → %s', (source, group) => {
    expect(addressGroup(source)).toBe(group);
  });

  it('is a whole line of IPv6 where that is asked for', () => {
    expect(addressGroup('2001:db8:7:ff::1', 48)).toBe('2001:db8:7::/48');
    expect(addressGroup('192.0.2.7', 48)).toBe('192.0.2.7');
  });
});
