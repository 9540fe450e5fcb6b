import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../../src/cli/files/bytes-of.js';
import { hasZstd } from '../../../src/domain/imports/formats/zstd.js';
import { ZSTD_FRAME, ZSTD_TEXT } from '../../support/zstd-sample.js';

async function read(bytes: Buffer): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of bytesOf('-', Readable.from([bytes]))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a file packed with zstd', () => {
  it('is known by its first bytes: read where this Node can, else refused with what would help', async () => {
    if (hasZstd) {
      expect(await read(ZSTD_FRAME)).toBe(ZSTD_TEXT);
      await expect(read(ZSTD_FRAME.subarray(0, 30))).rejects.toThrow('cannot read standard input');
    } else {
      await expect(read(ZSTD_FRAME)).rejects.toThrow('zstd needs Node 22.15 or later');
    }
  });
});
