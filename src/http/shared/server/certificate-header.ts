/**
 * How proxies hand a client's certificate on in a header: as a byte sequence (RFC 9440 §2.1), as PEM with percent-encoding
 * (nginx's `$ssl_client_escaped_cert`), or in Envoy's X-Forwarded-Client-Cert.
 */
const CERTIFICATE_FORMATS = ['rfc9440', 'pem', 'xfcc'] as const;
export type CertificateFormat = (typeof CERTIFICATE_FORMATS)[number];

/** One certificate (RFC 7468 §5), and nothing before or after it. */
const PEM = /^-----BEGIN CERTIFICATE-----\r?\n([A-Za-z0-9+/=\r\n]+)\r?\n-----END CERTIFICATE-----(?:\r?\n)?$/;
const BYTES = /^:([A-Za-z0-9+/]+={0,2}):$/;
/** A pair of X-Forwarded-Client-Cert; a value with a separator in it stands between quotes. */
const PAIR = /\s*([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^";,]*))/y;

/**
 * The certificate in DER, of a header that has exactly one: with two of them, one could be somebody else's who has sent it
 * along. Undefined for everything else. That the bytes are a certificate is not looked at.
 */
export function readCertificateHeader(format: CertificateFormat, header: string): Buffer | undefined {
  switch (format) {
    case 'rfc9440':
      return decoded(BYTES.exec(header)?.[1]);
    case 'pem':
      return readEscapedPem(header);
    case 'xfcc':
      return readForwarded(header);
  }
}

/** Node passes over what is no base64; what it would pass over is refused. */
function decoded(base64: string | undefined): Buffer | undefined {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}

function readEscapedPem(escaped: string): Buffer | undefined {
  try {
    return decoded(PEM.exec(decodeURIComponent(escaped))?.[1]?.replace(/[\r\n]/g, ''));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Of elements with commas between there may be one: further ones are what others have sent, and Envoy has appended to. */
function readForwarded(header: string): Buffer | undefined {
  const certificates: string[] = [];
  for (let at = 0; ; at += 1) {
    PAIR.lastIndex = at;
    const [pair, key, quoted, plain] = PAIR.exec(header) ?? [];
    if (pair === undefined || key === undefined) return undefined;
    if (key.toLowerCase() === 'cert') certificates.push(quoted ?? plain ?? '');
    at += pair.length;
    if (at === header.length) break;
    if (header[at] !== ';') return undefined;
  }
  const [certificate, ...others] = certificates;
  return certificate === undefined || others.length > 0 ? undefined : readEscapedPem(certificate);
}
