import { describe, expect, it } from 'vitest';
import { addressKind } from '../../../src/outbound/address-rules.js';
import { AddressRefused, requireAllowedHost } from '../../../src/outbound/guarded-lookup.js';

describe('an address', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.0.192',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    // S503: special purposes (RFC 6890), of which no host of the internet has an address
    '192.88.99.1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:f5ff:fffe',
    '2001:2::1',
    '2001:1ff:ffff::1',
    '100::1',
    '5f00::1',
    '4000::1',
    '::ffff:0:7f00:1',
    '::1.1.1.1',
  ])('%s is never called', (address) => {
    expect(addressKind(address)).toBe('forbidden');
  });

  it.each([
    '127.0.0.1',
    '127.255.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '64:ff9b:1:a9fe:a9:fe00:808:808',
    '3fff:fff::1',
  ])('%s is private', (address) => {
    expect(addressKind(address)).toBe('private');
  });

  it.each([
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '169.253.1.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2002:101:101::',
    '2001:200::1',
    '2001:4860:4860::8888',
    '3ffe::1',
  ])('%s is public', (address) => {
    expect(addressKind(address)).toBe('public');
  });
});

describe('a URL whose host is an address', () => {
  // S162: the URL parser writes every spelling in one way
  it.each([
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://①②⑦.0.0.1/',
  ])('%s is the loopback, refused unless private addresses are allowed', (url) => {
    const { hostname } = new URL(url);
    expect(() => requireAllowedHost(hostname, false)).toThrow(AddressRefused);
    expect(() => requireAllowedHost(hostname, true)).not.toThrow();
  });

  it.each(['http://169.254.169.254/', 'http://0xa9fea9fe/', 'http://[fe80::1]/', 'http://0/'])(
    '%s is refused in any case',
    (url) => {
      expect(() => requireAllowedHost(new URL(url).hostname, true)).toThrow(AddressRefused);
    },
  );

  it('is no matter where the host is a name: that is looked up', () => {
    expect(() => requireAllowedHost('rp.test', false)).not.toThrow();
  });
});
