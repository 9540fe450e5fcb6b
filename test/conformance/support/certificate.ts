import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** PEM of a key and of a certificate that signs itself. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
const TRUE = Buffer.from('0101ff', 'hex');
const YEAR_MS = 365 * 24 * 3600 * 1000;

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyObject;
}

/** For `localhost` and 127.0.0.1 (RFC 5280, DER by hand): made anew for each run, so no private key lies in git. */
export function selfSignedCertificate(): Certificate {
  return make('conformance ring').certificate;
}

/** Somebody who signs certificates for `localhost` and 127.0.0.1, and whose own a client is told to trust. */
export class TestAuthority {
  private readonly own = make('test authority');

  /** PEM. */
  get cert(): string {
    return this.own.certificate.cert;
  }

  issue(commonName: string): Certificate {
    return make(commonName, this.own.issuer).certificate;
  }
}

/** @param issuer who signs it; without, it signs itself and others */
function make(commonName: string, issuer?: Issuer): { certificate: Certificate; issuer: Issuer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    ...(issuer === undefined ? [sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE)))] : []),
    sequence(SUBJECT_ALT_NAME, der(0x04, names)),
  );
  const body = sequence(
    der(0xa0, Buffer.from('020102', 'hex')), // version 3
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    issuer?.name ?? name,
    sequence(utcTime(Date.now() - YEAR_MS), utcTime(Date.now() + YEAR_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const cert = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    issuer: { name, key: privateKey },
    certificate: {
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      cert: `-----BEGIN CERTIFICATE-----\n${cert.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    },
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[^0-9]/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}
