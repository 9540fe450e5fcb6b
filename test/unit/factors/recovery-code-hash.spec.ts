import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  exportedHash,
  importedHash,
  isExportedHash,
  recoveryCodeHash,
} from '../../../src/domain/factors/recovery-codes/recovery-code-hash.js';
import type { Sealer } from '../../../src/domain/secrets/sealer.js';
import type { UserId } from '../../../src/domain/shared/ids.js';

const instance = (key: string) =>
  ({
    mac: (purpose: string, text: string) => createHmac('sha256', `${key}:${purpose}`).update(text).digest(),
  }) as unknown as Sealer;
const here = instance('here');
const ada = 'ada' as UserId;

describe('a recovery code that is carried away', () => {
  const kept = recoveryCodeHash(here, ada, 'abcde-fghjk');
  const told = exportedHash(here, ada, kept);

  it('comes back as it was kept', () => {
    expect(isExportedHash(told)).toBe(true);
    expect(importedHash(here, ada, { hash: told })).toBe(kept);
  });

  it('is worth nothing elsewhere, to another user, or with something else in it', () => {
    expect(importedHash(instance('there'), ada, { hash: told })).toBeUndefined();
    expect(importedHash(here, 'bob' as UserId, { hash: told })).toBeUndefined();
    expect(isExportedHash(kept)).toBe(false);
    expect(isExportedHash(`${told}x`)).toBe(false);
  });

  it('is as it was where another product hashed it', () => {
    expect(exportedHash(here, ada, '$2b$10$x')).toBe('$2b$10$x');
    expect(importedHash(here, ada, { hash: '$2b$10$x' })).toBe('$2b$10$x');
  });

  it('is kept as one of ours where it came in clear', () => {
    expect(importedHash(here, ada, { raw: 'ABCDE FGHJK' })).toBe(kept);
  });
});
