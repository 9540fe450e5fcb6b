import { describe, expect, it } from 'vitest';
import {
  readCertificateHeader,
  type CertificateFormat,
} from '../../../src/http/shared/server/certificate-header.js';
import { aCertificate } from '../../support/certificates.js';

const { der, pem, header } = await aCertificate();
const base64 = der.toString('base64');
const escaped = encodeURIComponent(pem);
const nginx = escaped.replaceAll('%20', ' ').replaceAll(' ', '%20');

describe('the header of a certificate', () => {
  it.each<[string, CertificateFormat, string]>([
    ['bytes (RFC 9440 §2.1)', 'rfc9440', header],
    ['PEM, escaped', 'pem', escaped],
    ['PEM, escaped by nginx', 'pem', nginx],
    ['PEM with lines of Windows', 'pem', encodeURIComponent(pem.replaceAll('\n', '\r\n'))],
    ['PEM without the last line break', 'pem', encodeURIComponent(pem.trim())],
    ['an element of Envoy', 'xfcc', `Hash=ab12;Cert="${escaped}";Subject="CN=a,O=\\"b\\";c";URI=`],
    ['the certificate alone', 'xfcc', `Cert="${escaped}"`],
  ])('is read: %s', (_, format, value) => {
    expect(readCertificateHeader(format, value)?.equals(der)).toBe(true);
  });

  it.each<[string, CertificateFormat, string]>([
    ['nothing', 'rfc9440', ''],
    ['nothing between the colons', 'rfc9440', '::'],
    ['base64 without colons', 'rfc9440', base64],
    ['two of them, as Node joins headers', 'rfc9440', `${header}, ${header}`],
    ['with a parameter', 'rfc9440', `${header};a=1`],
    ['with what is no base64', 'rfc9440', `:${base64.slice(0, 8)}*${base64.slice(8)}:`],
    ['with half of a byte left over', 'rfc9440', ':QUJDR:'],
    ['PEM where bytes are expected', 'rfc9440', escaped],
    ['bytes where PEM is expected', 'pem', header],
    ['PEM that is not escaped, as far as a header can be', 'pem', pem.replaceAll('\n', ' ')],
    ['two certificates', 'pem', encodeURIComponent(pem + pem)],
    ['text before it', 'pem', encodeURIComponent(`x${pem}`)],
    ['a broken escape', 'pem', `${escaped}%`],
    ['a public key', 'pem', encodeURIComponent(pem.replaceAll('CERTIFICATE', 'PUBLIC KEY'))],
    ['two elements, the first of which is the client’s own', 'xfcc', `Cert="${escaped}",Cert="${escaped}"`],
    ['two elements, the first without one', 'xfcc', `Hash=ab12,Cert="${escaped}"`],
    ['two certificates of one element', 'xfcc', `Cert="${escaped}";Cert="${escaped}"`],
    ['a certificate inside of another value', 'xfcc', `Subject="Cert=${escaped}"`],
    ['an element without a certificate', 'xfcc', 'Hash=ab12;Subject="CN=a"'],
    ['a quote that does not end', 'xfcc', `Cert="${escaped}`],
  ])('is not read: %s', (_, format, value) => {
    expect(readCertificateHeader(format, value)).toBeUndefined();
  });
});
