import { describe, expect, it } from 'vitest';
import { areCertificates } from '../../../src/domain/identity-providers/ldap/ca-certificates.js';
import { ldapRules } from '../../../src/domain/identity-providers/ldap/ldap-rules.js';
import { aCertificate } from '../../support/certificates.js';

const SETTINGS = {
  urls: ['ldaps://directory.test'],
  startTls: false,
  baseDn: 'dc=test',
  bindDn: 'cn=identity,dc=test',
  userFilter: '(uid={loginName})',
  subjectAttribute: 'entryUUID',
  trustEmail: false,
  timeoutMs: 5000,
  requiredClaims: {},
};

function expiryOf(changes: object): Date | undefined {
  return ldapRules({ kind: 'ldap', settings: { ...SETTINGS, ...changes } }).expiresAt;
}

const inDays = (days: number) => Date.now() + days * 86_400_000;

async function authority(days: number): Promise<string> {
  return (await aCertificate({ isAuthority: true, days: [-1, days] })).pem;
}

describe('what expires of a directory', () => {
  it('is nothing where nobody said and the usual authorities count', () => {
    expect(expiryOf({})).toBeUndefined();
  });

  it('is the first of the certificates, wherever it stands', async () => {
    const [late, early] = [await authority(200), await authority(20)];
    for (const caCertificate of [
      early,
      early + late,
      `late:\n${late}early:\n${early}`,
      late + early + late,
    ]) {
      expect(Math.abs((expiryOf({ caCertificate })?.getTime() ?? 0) - inDays(20))).toBeLessThan(60_000);
    }
  });

  it('is the password where that ends before', async () => {
    const caCertificate = await authority(20);
    const [before, after] = [10, 30].map((days) => new Date(inDays(days)).toISOString());
    expect(expiryOf({ caCertificate, secretExpirationDate: before })?.toISOString()).toBe(before);
    expect(expiryOf({ secretExpirationDate: after })?.toISOString()).toBe(after);
    expect(expiryOf({ caCertificate, secretExpirationDate: after })).toEqual(expiryOf({ caCertificate }));
  });

  it('asks for certificates that can be read, each of them', async () => {
    const pem = await authority(20);
    const broken = pem.replace(/\n.{20}/, '\n');
    expect([pem, pem + pem, `# ours\n${pem}`].map(areCertificates)).toEqual([true, true, true]);
    expect(['', 'none', broken, pem + broken].map(areCertificates)).toEqual([false, false, false, false]);
    // what was kept before each was read is shown, and does not stop anybody from reading it
    expect(expiryOf({ caCertificate: broken })).toBeUndefined();
    expect(expiryOf({ caCertificate: broken + pem })).toEqual(expiryOf({ caCertificate: pem }));
  });
});
