import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Sealer, type SealedPlace } from '../secrets/sealer.js';
import { Clock } from '../shared/clock.js';
import type { UserId } from '../shared/ids.js';

const PLACE: SealedPlace = { purpose: 'reset-handle', table: '-', column: '-', rowId: '-' };
const LONGEST_USER_ID = 200;
const HEAD_BYTES = 7;
const KEY_ID_BYTES = 4;
/** Seal: version, nonce and tag. */
const SEAL_BYTES = 29;
const MAC_BYTES = 16;
const BODY_BYTES = KEY_ID_BYTES + SEAL_BYTES + HEAD_BYTES + LONGEST_USER_ID;
const HANDLE_BYTES = BODY_BYTES + MAC_BYTES;
const HANDLE = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((HANDLE_BYTES * 4) / 3)}}$`);

/** Who asked for a reset code, and when. */
interface OpenedHandle {
  /** Undefined when the typed name meant nobody. */
  readonly userId: UserId | undefined;
  readonly ageMs: number;
}

/**
 * What the pages after "forgotten password?" keep of the typed name: whose code is to be entered, encrypted
 * so that neither content nor length reveals whether the name exists (ASVS 6.3.8). A handle proves nothing; it
 * only names the code that a typed one is compared with.
 */
@Injectable()
export class ResetHandles {
  constructor(
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  make(userId: UserId | undefined): string {
    const plain = Buffer.alloc(HEAD_BYTES + LONGEST_USER_ID);
    plain.writeUIntBE(this.clock.nowMs(), 0, 6);
    plain.writeUInt8(plain.write(userId ?? '', HEAD_BYTES, 'latin1'), 6);
    const { dataKeyId, sealed } = this.sealer.seal(PLACE, plain);
    const keyId = Buffer.alloc(KEY_ID_BYTES);
    keyId.writeUInt32BE(dataKeyId);
    const body = Buffer.concat([keyId, sealed]);
    return Buffer.concat([body, this.macOf(body)]).toString('base64url');
  }

  /** Undefined for what we never made. */
  async open(handle: string | undefined): Promise<OpenedHandle | undefined> {
    if (handle === undefined || !HANDLE.test(handle)) return undefined;
    const bytes = Buffer.from(handle, 'base64url');
    const body = bytes.subarray(0, BODY_BYTES);
    // first of all, so that nobody has us look for data keys that never were
    if (!timingSafeEqual(this.macOf(body), bytes.subarray(BODY_BYTES))) return undefined;
    const value = { dataKeyId: body.readUInt32BE(0), sealed: body.subarray(KEY_ID_BYTES) };
    const plain = await this.sealer.open(PLACE, value);
    const userId = plain.toString('latin1', HEAD_BYTES, HEAD_BYTES + plain.readUInt8(6));
    return {
      userId: userId === '' ? undefined : (userId as UserId),
      ageMs: this.clock.nowMs() - plain.readUIntBE(0, 6),
    };
  }

  private macOf(body: Buffer): Buffer {
    return this.sealer.mac('reset-handle', body.toString('base64')).subarray(0, MAC_BYTES);
  }
}
