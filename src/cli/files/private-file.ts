import { randomUUID } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { PrivateDraft, type Replacing } from './private-draft.js';

/**
 * A small file of its owner alone, whole or not at all. That it can be written is known before there is anything to write:
 * only a disk that fills up meanwhile, or somebody who takes the name, can still prevent it.
 */
export class PrivateFile {
  private constructor(
    private readonly draft: PrivateDraft,
    private readonly replacing: Replacing,
  ) {}

  /** @throws FileRefused, or what the system says */
  static async open(file: string, replacing: Replacing): Promise<PrivateFile> {
    await makeFolder(path.dirname(path.resolve(file)));
    const name = `${path.basename(file)}.${randomUUID()}`;
    return new PrivateFile(await PrivateDraft.create(file, name, replacing), replacing);
  }

  /** On the disk when this returns, and nothing left behind when it throws. @throws FileRefused, or what the system says */
  async write(content: string): Promise<void> {
    const { handle } = this.draft;
    try {
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.draft.publish(this.replacing);
    } catch (error) {
      await this.draft.remove();
      throw error;
    }
  }

  /** Instead of `write`: leaves nothing behind. */
  async abandon(): Promise<void> {
    await this.draft.handle.close();
    await this.draft.remove();
  }
}

export async function writePrivateFile(file: string, content: string, replacing: Replacing): Promise<void> {
  const opened = await PrivateFile.open(file, replacing);
  await opened.write(content);
}

/** Not by Node's `recursive`: where a folder can never be, below /proc for one, that tries for ever. */
async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  await makeFolder(path.dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error;
  });
}

async function isThere(folder: string): Promise<boolean> {
  return await stat(folder).then(
    () => true,
    (error: unknown) => {
      if (isCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
