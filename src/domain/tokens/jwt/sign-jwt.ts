import { constants, sign, type SignKeyObjectInput } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { KeyRing, type CurrentSigner, type SignedBy } from '../../signing-keys/key-ring.js';
import type { SigningAlgorithm } from '../../signing-keys/signing-key.js';

/** Hash of each algorithm; Ed25519 has its own inside (RFC 8032, RFC 8037 §3.1). */
const DIGESTS: Readonly<Record<SigningAlgorithm, string | null>> = {
  RS256: 'sha256',
  PS256: 'sha256',
  ES256: 'sha256',
  EdDSA: null,
};

/**
 * Whether a signature is made on this thread. One on a curve takes a tenth of an RSA one, and less than handing it to
 * the thread pool and back. An RSA one is worth it, but where this process has one core there is nobody to take it.
 */
const ON_THIS_THREAD: Readonly<Record<SigningAlgorithm, boolean>> = {
  RS256: availableParallelism() === 1,
  PS256: availableParallelism() === 1,
  ES256: true,
  EdDSA: true,
};

/** Salt as long as the hash (RFC 7518 §3.5). */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as const;

/**
 * Header `typ`; `logout+jwt` is Back-Channel Logout §2.4's, `at+jwt` RFC 9068
 * §2.1's, `token-introspection+jwt` RFC 9701 §5's.
 */
type TokenType = 'JWT' | 'at+jwt' | 'logout+jwt' | 'token-introspection+jwt';

interface PreparedSigner {
  readonly of: CurrentSigner;
  /** base64url of the protected header, with its dot. */
  readonly head: string;
  readonly digest: string | null;
  readonly key: SignKeyObjectInput;
  readonly onThisThread: boolean;
}

/**
 * Signs claims with the current key as a compact JWS (RFC 7515 §7.1). The header is fixed: alg, kid, typ (protocol
 * §7.2; a type of its own keeps one kind of token from being taken for another, RFC 8725 §3.11). Goes to OpenSSL directly:
 * this is where a refresh spends its time, and the detour by way of WebCrypto costs a sixth of a signature each time.
 */
@Injectable()
export class SignJwt {
  private readonly prepared = new Map<`${SigningAlgorithm} ${TokenType}`, PreparedSigner>();

  constructor(private readonly keyRing: KeyRing) {}

  /**
   * The algorithm decides the hash of at_hash and c_hash, so the caller may need it before it signs.
   *
   * @param by what the client wants; the instance's own without
   */
  async sign(
    claims: (algorithm: SigningAlgorithm) => Readonly<Record<string, unknown>>,
    type: TokenType = 'JWT',
    by?: SignedBy,
  ): Promise<string> {
    const signer = await this.keyRing.currentSigner(by);
    const prepared = this.preparedFor(signer, type);
    const input = prepared.head + Buffer.from(JSON.stringify(claims(signer.algorithm))).toString('base64url');
    const signature = await signatureOf(input, prepared);
    return `${input}.${signature.toString('base64url')}`;
  }

  private preparedFor(signer: CurrentSigner, type: TokenType): PreparedSigner {
    const name = `${signer.algorithm} ${type}` as const;
    const known = this.prepared.get(name);
    if (known?.of === signer) return known;
    const made = prepare(signer, type);
    this.prepared.set(name, made);
    return made;
  }
}

function signatureOf(input: string, { digest, key, onThisThread }: PreparedSigner): Buffer | Promise<Buffer> {
  const bytes = Buffer.from(input, 'ascii');
  if (onThisThread) return sign(digest, bytes, key);
  return new Promise((resolve, reject) => {
    // with a callback the work is done in the thread pool
    sign(digest, bytes, key, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

function prepare(signer: CurrentSigner, type: TokenType): PreparedSigner {
  const header = JSON.stringify({ alg: signer.algorithm, kid: signer.kid, typ: type });
  return {
    of: signer,
    head: `${Buffer.from(header).toString('base64url')}.`,
    digest: DIGESTS[signer.algorithm],
    // JWS wants R and S side by side (RFC 7518 §3.4), OpenSSL would give DER
    key: { key: signer.key, dsaEncoding: 'ieee-p1363', ...(signer.algorithm === 'PS256' && PSS) },
    onThisThread: ON_THIS_THREAD[signer.algorithm],
  };
}
