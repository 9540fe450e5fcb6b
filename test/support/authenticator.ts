import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** Flags of authenticator data (WebAuthn §6.1). */
const UP = 0x01;
const UV = 0x04;
const BE = 0x08;
const BS = 0x10;
const AT = 0x40;

export interface Ceremony {
  readonly challenge: string;
  readonly origin?: string;
  readonly rpId?: string;
  /** Whether it verified its user. */
  readonly verified?: boolean;
  /** Whether anybody was there. */
  readonly present?: boolean;
  readonly backedUp?: boolean;
  readonly type?: string;
  /** In place of what it has counted. */
  readonly signCount?: number;
}

/** An authenticator in software, with one passkey, as bytes on the wire: it signs whatever a test asks for. */
export class Authenticator {
  readonly credentialId = randomBytes(32);
  userHandle: string | undefined;
  signCount = 0;
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
  });

  constructor(private readonly home: { readonly origin: string; readonly rpId: string }) {}

  get id(): string {
    return this.credentialId.toString('base64url');
  }

  /** COSE_Key */
  get publicKey(): Buffer {
    const jwk = this.keys.publicKey.export({ format: 'jwk' });
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(jwk.x ?? '', 'base64url')],
      [-3, Buffer.from(jwk.y ?? '', 'base64url')],
    ]);
    return Buffer.from(isoCBOR.encode(cose));
  }

  /** As a file of users has it. */
  exported(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    this.userHandle ??= randomBytes(32).toString('base64url');
    return {
      rpId: this.home.rpId,
      credentialId: this.id,
      publicKey: this.publicKey.toString('base64url'),
      userHandle: this.userHandle,
      signCount: this.signCount,
      transports: ['internal'],
      name: 'Phone',
      passwordless: true,
      backupEligible: true,
      backedUp: true,
      ...changes,
    };
  }

  /** The same key and counter in another case: what a thief made. */
  clone(): Authenticator {
    const copy = Object.create(Authenticator.prototype) as Authenticator;
    return Object.assign(copy, this);
  }

  /** `RegistrationResponseJSON` */
  register(
    options: {
      readonly challenge: string;
      readonly user: { readonly id: string };
    },
    changes: Partial<Ceremony> & {
      readonly format?: string;
      readonly statement?: ReadonlyMap<string, unknown>;
      readonly rk?: boolean;
    } = {},
  ) {
    this.userHandle = options.user.id;
    const ceremony = { ...options, ...changes };
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, this.publicKey]);
    const attestation = new Map<string, unknown>([
      ['fmt', changes.format ?? 'none'],
      ['attStmt', changes.statement ?? new Map()],
      ['authData', new Uint8Array(Buffer.concat([this.data(ceremony, AT), attested]))],
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: changes.rk ?? true } },
      response: {
        clientDataJSON: this.clientData('webauthn.create', ceremony).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal', 'hybrid', 'new-kind'],
      },
    };
  }

  /** `AuthenticationResponseJSON` */
  assert(options: Ceremony) {
    this.signCount = options.signCount ?? (this.signCount === 0 ? 0 : this.signCount + 1);
    const clientData = this.clientData('webauthn.get', options);
    const data = this.data(options, 0);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
        userHandle: this.userHandle,
      },
    };
  }

  private clientData(type: string, { challenge, origin, ...ceremony }: Ceremony): Buffer {
    const from = origin ?? this.home.origin;
    return Buffer.from(
      JSON.stringify({ type: ceremony.type ?? type, challenge, origin: from, crossOrigin: false }),
    );
  }

  private data({ rpId, verified = true, present = true, backedUp = true }: Ceremony, more: number): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8((present ? UP : 0) | (verified ? UV : 0) | BE | (backedUp ? BS : 0) | more, 0);
    head.writeUInt32BE(this.signCount, 1);
    return Buffer.concat([
      createHash('sha256')
        .update(rpId ?? this.home.rpId)
        .digest(),
      head,
    ]);
  }
}
