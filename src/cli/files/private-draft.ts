import { constants, existsSync } from 'node:fs';
import { link, lstat, open, realpath, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Creates and never opens an existing file; `O_EXCL` alone follows no link either, but not every file system respects that. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Its owner's alone, whatever the umask says. */
const OWNER_ONLY = 0o600;
/** Folders that know no hard links say so by one of these. */
const NO_LINKS: ReadonlySet<unknown> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
]);

/** A file cannot be created under its name; the message continues after the name. */
export class FileRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileRefused';
  }
}

export interface Replacing {
  /** Whether a file that has the name already may be replaced. */
  readonly replace: boolean;
}

/** Whether nothing has the name yet, not even a link. */
export async function isFree(file: string): Promise<boolean> {
  return await lstat(file).then(
    () => false,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return true;
      throw error;
    },
  );
}

/**
 * Whether a file may be created here. Checked before long work and again at its end: a file created in between is
 * not overwritten either.
 *
 * @throws FileRefused
 */
export async function requireFree(file: string, { replace }: Replacing): Promise<void> {
  const there = await lstat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined) return;
  if (there.isSymbolicLink()) throw new FileRefused('it is a symbolic link, and none is followed');
  if (!there.isFile()) throw new FileRefused('it is there and is no regular file');
  if (!replace) throw new FileRefused('it is there already: name another file, or replace it with --force');
}

/**
 * A file of its owner alone that is written under another name and has its own once it is whole. Neither name is ever
 * opened where something is there, no link is followed, and nothing is replaced that was not meant to be. The folder
 * is held from beginning to end, so that another one put in its place changes nothing.
 */
export class PrivateDraft {
  private isSettled = false;

  private constructor(
    private readonly folder: OpenFolder,
    private readonly name: string,
    private readonly draftName: string,
    private readonly identity: string,
    /** Whoever writes closes it. */
    readonly handle: FileHandle,
  ) {}

  /**
   * @param draftName in the same folder; what a killed run left under it is removed where `replace` says so
   * @throws FileRefused, or what the system says
   */
  static async create(file: string, draftName: string, { replace }: Replacing): Promise<PrivateDraft> {
    const folder = await OpenFolder.open(path.dirname(file));
    try {
      const name = path.basename(file);
      await requireFree(folder.at(name), { replace });
      if (replace) await unlink(folder.at(draftName)).catch(ignore('ENOENT'));
      const handle = await open(folder.at(draftName), CREATE, OWNER_ONLY).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
        throw new FileRefused(
          `${draftName} is there: another run writes it, or one was killed; remove it, or give --force`,
        );
      });
      try {
        await handle.chmod(OWNER_ONLY);
        return new PrivateDraft(
          folder,
          name,
          draftName,
          identityOf(await handle.stat({ bigint: true })),
          handle,
        );
      } catch (error) {
        await handle.close();
        throw error;
      }
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  /** After the handle was closed. @throws FileRefused, or what the system says */
  async publish({ replace }: Replacing): Promise<void> {
    const { folder, name } = this;
    const [draft, target] = [folder.at(this.draftName), folder.at(name)];
    await this.requireOwn(draft);
    if (replace) {
      await requireFree(target, { replace });
      // takes the place of a link that came meanwhile, and does not follow it
      await rename(draft, target);
    } else {
      await linkOrClaim(draft, target);
    }
    this.isSettled = true;
    await this.requireOwn(target);
    await folder.close();
  }

  /** Leaves nothing behind, but what is somebody else's. */
  async remove(): Promise<void> {
    if (!this.isSettled) {
      this.isSettled = true;
      const draft = this.folder.at(this.draftName);
      const isOwn = await this.requireOwn(draft).then(
        () => true,
        () => false,
      );
      if (isOwn) await unlink(draft).catch(ignore('ENOENT'));
    }
    await this.folder.close();
  }

  private async requireOwn(file: string): Promise<void> {
    if (identityOf(await lstat(file, { bigint: true })) !== this.identity) {
      throw new FileRefused('another process replaced the file');
    }
  }
}

/** A hard link appears whole or not at all, and never in place of something. */
async function linkOrClaim(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
    await unlink(draft);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw asRefusal(error);
    // without them: the name is claimed by an empty file of ours, which the draft then replaces
    const claim = await open(target, CREATE, OWNER_ONLY).catch((failure: unknown) => {
      throw asRefusal(failure);
    });
    await claim.close();
    await rename(draft, target);
  }
}

function asRefusal(error: unknown): unknown {
  if (codeOf(error) !== 'EEXIST') return error;
  return new FileRefused('it is there already: name another file, or replace it with --force');
}

/** A folder by what it is, not by its path: where the system allows, names in it are looked up in that very folder. */
class OpenFolder {
  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle | undefined,
  ) {}

  static async open(folder: string): Promise<OpenFolder> {
    if (process.platform === 'linux') {
      const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
      const path = `/proc/self/fd/${handle.fd}`;
      if (existsSync(path)) return new OpenFolder(path, handle);
      await handle.close();
    }
    return new OpenFolder(await realpath(folder), undefined);
  }

  at(name: string): string {
    return path.join(this.path, name);
  }

  async close(): Promise<void> {
    await this.handle?.close().catch(ignore('EBADF'));
  }
}

function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function ignore(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
