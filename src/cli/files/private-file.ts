import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { PrivateDraft, type Replacing } from './private-draft.js';

/** Writes a small file of its owner alone: whole or not at all, on the disk when this returns. */
export async function writePrivateFile(file: string, content: string, replacing: Replacing): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const name = `${path.basename(file)}.${randomUUID()}`;
  const draft = await PrivateDraft.create(file, name, replacing);
  try {
    try {
      await draft.handle.writeFile(content);
      await draft.handle.sync();
    } finally {
      await draft.handle.close();
    }
    await draft.publish(replacing);
  } catch (error) {
    await draft.remove();
    throw error;
  }
}
