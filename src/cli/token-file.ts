import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TokenKeeper } from '../domain/bootstrap/credentials.js';
import { requireFree } from './files/private-draft.js';
import { writePrivateFile } from './files/private-file.js';
import { cannotUse } from './files/reason-of.js';

/** As `PersonalAccessTokens` makes them. */
const TOKEN = /^pat_[A-Za-z0-9_-]{43}$/;
const MOST_BYTES = 1_000;
const NAMED_BY = 'BOOTSTRAP_SERVICE_USER_TOKEN_FILE';

/** The file of a personal access token: 0600, written once, never replaced. */
export class TokenFile implements TokenKeeper {
  constructor(private readonly file: string) {}

  async read(): ReturnType<TokenKeeper['read']> {
    try {
      await requireFree(this.file, { replace: true });
      const handle = await open(this.file, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const found = await handle.stat();
        const token = found.size > MOST_BYTES ? '' : (await handle.readFile('utf8')).trim();
        return TOKEN.test(token) ? { kind: 'token', token, ours: isOurs(found) } : { kind: 'other' };
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { kind: 'absent' };
      throw cannotUse(this.file, NAMED_BY, error);
    }
  }

  async write(token: string): Promise<void> {
    try {
      await writePrivateFile(this.file, `${token}\n`, { replace: false });
    } catch (error) {
      throw cannotUse(this.file, NAMED_BY, error);
    }
  }
}

/** Whoever may write to the file would choose the token. */
function isOurs({ uid, mode }: Stats): boolean {
  const ownUid = process.getuid?.();
  return ownUid === undefined || (uid === ownUid && (mode & 0o077) === 0);
}
