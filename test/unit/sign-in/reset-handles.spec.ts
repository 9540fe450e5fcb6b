import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBytes, sealBytes } from '../../../src/domain/secrets/envelope.js';
import { Sealer, type SealedPlace, type SealedValue } from '../../../src/domain/secrets/sealer.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { ResetHandles } from '../../../src/domain/sign-in/reset-handles.js';
import { SetClock } from '../../support/set-clock.js';

class OneKey extends Sealer {
  opened = 0;
  private readonly key = Buffer.alloc(32, 7);

  override seal(place: SealedPlace, plain: Buffer): SealedValue {
    return { dataKeyId: 3, sealed: sealBytes(this.key, plain, place.purpose) };
  }

  override open(place: SealedPlace, { sealed }: SealedValue): Promise<Buffer> {
    this.opened += 1;
    return Promise.resolve(openBytes(this.key, sealed, place.purpose));
  }

  override mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.key).update(purpose).update(text).digest();
  }
}

function make() {
  const sealer = new OneKey();
  const clock = new SetClock(1_763_700_700_000);
  return { sealer, clock, handles: new ResetHandles(sealer, clock) };
}

describe('the handle of a forgotten password', () => {
  it.each([undefined, '1', '331', 'x'.repeat(200)])('says whose and how old it is: %s', async (userId) => {
    const { handles, clock } = make();
    const handle = handles.make(userId as UserId | undefined);
    clock.now += 1_234;
    expect(await handles.open(handle)).toEqual({ userId, ageMs: 1_234 });
  });

  it('has one length and reveals nothing, whichever user it is for (S051)', () => {
    const { handles } = make();
    const made = [undefined, 'Marker-user', 'x'.repeat(200)].map((id) =>
      handles.make(id as UserId | undefined),
    );
    expect(new Set(made.map(({ length }) => length)).size).toBe(1);
    expect(Buffer.from(made[1] ?? '', 'base64url').toString('latin1')).not.toContain('Marker');
  });

  it('is refused when any of it was changed, before anything is opened', async () => {
    const { handles, sealer } = make();
    const bytes = Buffer.from(handles.make('331' as UserId), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(await handles.open(changed.toString('base64url'))).toBeUndefined();
    }
    for (const other of [undefined, '', 'x', 'A'.repeat(342), `${bytes.toString('base64url')}A`]) {
      expect(await handles.open(other)).toBeUndefined();
    }
    expect(sealer.opened).toBe(0);
  });
});
